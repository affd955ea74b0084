//! What tells a command from others, so that the same one may be sent again.

use chassis::{ErrorCode, Failure};
use prost::Message as _;
use proto::v1::Action;
use rules::Seat;
use sha2::{Digest as _, Sha256};
use table::CommandTag;

/// Characters of a command's id, at most.
const ID_MAX: usize = 64;

/// A command that a client may send again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receipt {
    pub(crate) tag: CommandTag,
    /// When given, the command is only good for this version.
    pub(crate) expected: Option<u64>,
}

impl Receipt {
    /// The receipt of an action, known by its seat and the id that the client gave it: the same
    /// id from another seat is another command.
    ///
    /// # Errors
    /// When the id does not have 1 to 64 characters.
    pub(crate) fn new(
        seat: Seat,
        id: &str,
        action: &Action,
        expected: Option<u64>,
    ) -> Result<Self, Failure> {
        if !(1..=ID_MAX).contains(&id.chars().count()) {
            let detail = "expected a command id of 1 to 64 characters";
            return Err(Failure::new(ErrorCode::BadRequest, detail));
        }
        let id = Sha256::new().chain_update([seat.number()]).chain_update(id);
        let asked = Sha256::digest(action.encode_to_vec());
        Ok(Self {
            tag: CommandTag {
                key: first_bytes(id.finalize().as_slice()),
                fingerprint: (first_bytes(asked.as_slice()) >> 32) as u32,
            },
            expected,
        })
    }
}

fn first_bytes(digest: &[u8]) -> u64 {
    digest
        .iter()
        .take(8)
        .fold(0, |bytes, &byte| bytes << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use proto::v1::{Pass, Play, action::Kind};

    use super::*;

    fn receipt(seat: u8, id: &str, kind: Kind) -> Result<CommandTag, Failure> {
        let action = Action { kind: Some(kind) };
        let seat = Seat::new(seat).unwrap();
        Ok(Receipt::new(seat, id, &action, None)?.tag)
    }

    #[test]
    fn a_command_is_known_by_its_seat_and_id_and_by_what_it_asks() {
        let play = |card| Kind::Play(Play { card });
        let first = receipt(0, "c", play(1)).unwrap();
        assert_eq!(receipt(0, "c", play(1)).unwrap(), first);
        let other = receipt(0, "c", play(2)).unwrap();
        assert_eq!(other.key, first.key);
        assert_ne!(other.fingerprint, first.fingerprint);
        for (seat, id) in [(1, "c"), (0, "d"), (0, "C"), (0, "c ")] {
            let other = receipt(seat, id, play(1)).unwrap();
            assert_ne!(other.key, first.key, "{seat} {id}");
            assert_eq!(other.fingerprint, first.fingerprint);
        }
    }

    #[test]
    fn ids_are_bounded() {
        let pass = || Kind::Pass(Pass {});
        for wrong in [String::new(), "x".repeat(ID_MAX + 1)] {
            let refused = receipt(0, &wrong, pass()).unwrap_err();
            assert_eq!(refused.code, ErrorCode::BadRequest);
        }
        // Characters, not bytes; and nothing in an id is special.
        assert!(receipt(0, &"\u{df}\0{ ".repeat(ID_MAX / 4), pass()).is_ok());
    }
}
