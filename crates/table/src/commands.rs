//! The commands that are in a table's log, so that one that comes again is recognised.

use std::sync::Arc;

/// Bytes of a command as it is stored.
const STORED_BYTES: usize = 13;
/// Commands that are copied with a state; the others are shared.
const RECENT_MAX: usize = 32;

/// What tells a player's command from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandTag {
    /// Digest of the seat and of the id that the client gave the command.
    pub key: u64,
    /// Digest of what was asked, to tell a repetition from an id that is used again.
    pub fingerprint: u32,
}

/// A command as the log has it: with the first of the events that it caused, for the others may
/// be in another part of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commanded {
    /// The command.
    pub tag: CommandTag,
    /// Events that it caused after this one.
    pub following: u8,
}

impl Commanded {
    pub(crate) fn to_bytes(self) -> [u8; STORED_BYTES] {
        let mut bytes = [self.following; STORED_BYTES];
        bytes[..8].copy_from_slice(&self.tag.key.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.tag.fingerprint.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let &[following] = rest else {
            return None;
        };
        Some(Self {
            tag: CommandTag {
                key: u64::from_be_bytes(*key),
                fingerprint: u32::from_be_bytes(*fingerprint),
            },
            following,
        })
    }
}

/// A command that is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The command.
    pub tag: CommandTag,
    /// Version of the first event that it caused.
    pub first: u64,
    /// Version of the last one: the answer to the command.
    pub last: u64,
    /// When they were appended (store's clock, milliseconds).
    pub at_ms: i64,
}

/// All commands of a log. A state is copied for every decision, so what is old is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    old: Arc<Vec<Applied>>,
    recent: Vec<Applied>,
}

impl Commands {
    pub(crate) fn push(&mut self, applied: Applied) {
        if self.recent.len() == RECENT_MAX {
            Arc::make_mut(&mut self.old).append(&mut self.recent);
        }
        self.recent.push(applied);
    }

    pub(crate) fn find(&self, key: u64) -> Option<Applied> {
        let newest_first = self.recent.iter().rev().chain(self.old.iter().rev());
        newest_first.copied().find(|applied| applied.tag.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(n: u64) -> Applied {
        Applied {
            tag: CommandTag {
                key: n << 40,
                fingerprint: 7,
            },
            first: n,
            last: n,
            at_ms: 0,
        }
    }

    #[test]
    fn every_command_is_found_however_many_there_are() {
        let mut commands = Commands::default();
        for n in 0..200 {
            assert_eq!(commands.find(n << 40), None);
            let before = commands.clone();
            commands.push(applied(n));
            assert_eq!(before.find(n << 40), None);
            assert!((0..=n).all(|n| commands.find(n << 40) == Some(applied(n))));
        }
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let commanded = Commanded {
            tag: CommandTag {
                key: 0x0102_0304_0506_0708,
                fingerprint: 0x090a_0b0c,
            },
            following: 13,
        };
        let bytes = commanded.to_bytes();
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(Commanded::from_bytes(&bytes), Some(commanded));
        assert_eq!(Commanded::from_bytes(&[0; 12]), None);
        assert_eq!(Commanded::from_bytes(&[0; 14]), None);
    }
}
