//! What a refused command means to whoever sent it.

use chassis::{ErrorCode, Failure};
use rules::Illegal;
use table::{BadEvent, BadSetup, Reject};

pub(crate) fn failure(reject: Reject) -> Failure {
    let code = match reject {
        // A table that one may not see is none.
        Reject::NotSeated => ErrorCode::TableNotFound,
        Reject::NotYourTurn { turn } => {
            return Failure::new(ErrorCode::NotYourTurn, reject.to_string()).with("turn", turn);
        }
        Reject::WrongPhase(_) => ErrorCode::WrongPhase,
        Reject::Illegal(illegal) => illegal_code(illegal),
        Reject::NonceTooLong | Reject::NameTooLong => ErrorCode::InvalidBody,
        Reject::TableFull => ErrorCode::TableFull,
        Reject::Over(_) => ErrorCode::MatchOver,
        Reject::Corrupt(corrupt) => return Failure::internal(corrupt),
    };
    Failure::new(code, reject.to_string())
}

fn illegal_code(illegal: Illegal) -> ErrorCode {
    match illegal {
        Illegal::WrongPhase => ErrorCode::WrongPhase,
        Illegal::NoSuchContract => ErrorCode::UnknownBid,
        Illegal::BidTooLow | Illegal::AnnouncementTooLow => ErrorCode::BidTooLow,
        Illegal::MustAnnounce | Illegal::TrumpNotAllowed(_) => ErrorCode::IllegalAction,
        Illegal::DiscardCount { .. } => ErrorCode::WrongDiscardCount,
        Illegal::DiscardNotAllowed(_) | Illegal::AcesNeedTrumps => ErrorCode::DiscardNotAllowed,
        Illegal::NotHeld(_) => ErrorCode::CardNotHeld,
        Illegal::MustFollow(_) => ErrorCode::MustFollowSuit,
        Illegal::MustTrump => ErrorCode::MustTrump,
    }
}

/// What is wrong with an action that cannot even be read.
pub(crate) fn bad_action(error: &BadEvent) -> Failure {
    let code = match error {
        BadEvent::Field("bid") => ErrorCode::UnknownBid,
        BadEvent::Field("card") => ErrorCode::UnknownCard,
        _ => ErrorCode::InvalidBody,
    };
    Failure::new(code, error.to_string())
}

/// Why a table cannot be opened.
pub(crate) fn bad_setup(error: &BadSetup) -> Failure {
    let code = match error {
        BadSetup::Rules(_) | BadSetup::Deals | BadSetup::TimeControl => ErrorCode::InvalidRules,
        _ => ErrorCode::BadRequest,
    };
    Failure::new(code, error.to_string())
}
