//! One list of error codes, with what each means over gRPC and over HTTP.

use std::{collections::BTreeMap, error::Error as _, fmt};

use prost::Message as _;
use proto::v1::ErrorDetail;
use tonic::{Code, Status, TimeoutExpired};

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $http:literal, $grpc:ident;)+) => {
        /// What went wrong, for programs. The names are stable: clients branch on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $variant,)+ }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The stable name, such as `not_your_turn`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The HTTP status that carries it.
            #[must_use]
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$variant => $http,)+ }
            }

            /// The gRPC status that carries it.
            #[must_use]
            pub const fn grpc_code(self) -> Code {
                match self { $(Self::$variant => Code::$grpc,)+ }
            }
        }
    };
}

error_codes! {
    /// The request is malformed.
    BadRequest = "bad_request", 400, InvalidArgument;
    /// The body is valid JSON of the wrong shape.
    InvalidBody = "invalid_body", 422, InvalidArgument;
    /// No or no valid credentials.
    Unauthorized = "unauthorized", 401, Unauthenticated;
    /// The access token was valid once.
    TokenExpired = "token_expired", 401, Unauthenticated;
    /// The caller may not do this.
    Forbidden = "forbidden", 403, PermissionDenied;
    /// Nothing is there.
    NotFound = "not_found", 404, NotFound;
    /// No such table, or none that the caller may see.
    TableNotFound = "table_not_found", 404, NotFound;
    /// No such ticket of the caller's.
    TicketNotFound = "ticket_not_found", 404, NotFound;
    /// No such queue.
    QueueNotFound = "queue_not_found", 404, NotFound;
    /// No table with this invite code.
    InviteNotFound = "invite_not_found", 404, NotFound;
    /// No party with this code waits in the queue, or it is complete.
    PartyNotFound = "party_not_found", 404, NotFound;
    /// The path exists, but not with this method.
    MethodNotAllowed = "method_not_allowed", 405, Unimplemented;
    /// Another seat is to act.
    NotYourTurn = "not_your_turn", 409, FailedPrecondition;
    /// This action belongs to another phase of the deal.
    WrongPhase = "wrong_phase", 409, FailedPrecondition;
    /// The table has moved on since the version the client expected.
    StaleVersion = "stale_version", 409, Aborted;
    /// The player has a live ticket already.
    TicketExists = "ticket_exists", 409, AlreadyExists;
    /// The player sits at a table of an earlier ticket.
    AlreadyPlaying = "already_playing", 409, FailedPrecondition;
    /// A list of the player's is full.
    ListFull = "list_full", 409, FailedPrecondition;
    /// Too late to cancel: the ticket was matched.
    AlreadyMatched = "already_matched", 409, FailedPrecondition;
    /// No seat is free.
    TableFull = "table_full", 409, FailedPrecondition;
    /// The same id was used for something else before.
    Conflict = "conflict", 409, AlreadyExists;
    /// The match is over.
    MatchOver = "match_over", 410, FailedPrecondition;
    /// The body is larger than allowed.
    TooLarge = "too_large", 413, OutOfRange;
    /// The body is not JSON.
    UnsupportedMediaType = "unsupported_media_type", 415, InvalidArgument;
    /// The rules do not allow this action.
    IllegalAction = "illegal_action", 422, InvalidArgument;
    /// No such card in the pack.
    UnknownCard = "unknown_card", 422, InvalidArgument;
    /// No such contract in this rule set.
    UnknownBid = "unknown_bid", 422, InvalidArgument;
    /// The card is not in the seat's hand.
    CardNotHeld = "card_not_held", 422, InvalidArgument;
    /// The seat holds a card of the suit led.
    MustFollowSuit = "must_follow_suit", 422, InvalidArgument;
    /// The seat is void of the suit led and holds a trump.
    MustTrump = "must_trump", 422, InvalidArgument;
    /// The bid does not raise the highest one.
    BidTooLow = "bid_too_low", 422, InvalidArgument;
    /// Too few or too many cards laid off.
    WrongDiscardCount = "wrong_discard_count", 422, InvalidArgument;
    /// This card may not be laid off.
    DiscardNotAllowed = "discard_not_allowed", 422, InvalidArgument;
    /// No such rule set or number of players, or an impossible option.
    InvalidRules = "invalid_rules", 422, InvalidArgument;
    /// No parties in this queue, or none of this size.
    PartyNotAllowed = "party_not_allowed", 422, InvalidArgument;
    /// The server does not speak this version of the protocol.
    UnsupportedProtocol = "unsupported_protocol", 422, InvalidArgument;
    /// The same command id came with another action before.
    CommandIdReused = "command_id_reused", 422, InvalidArgument;
    /// Too many requests.
    RateLimited = "rate_limited", 429, ResourceExhausted;
    /// A fault of the server.
    Internal = "internal", 500, Internal;
    /// A part of the server cannot be reached now.
    Unavailable = "unavailable", 503, Unavailable;
    /// The answer took too long.
    Timeout = "timeout", 504, DeadlineExceeded;
}

impl ErrorCode {
    /// The code with this stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// A short text for people, the same for every occurrence.
    #[must_use]
    pub fn title(self) -> String {
        let mut title = self.as_str().replace('_', " ");
        if let Some(first) = title.get_mut(0..1) {
            first.make_ascii_uppercase();
        }
        title
    }
}

/// An error that a caller gets to see, over gRPC or over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong, for programs.
    pub code: ErrorCode,
    /// What went wrong here, for people. Never a secret, never a hidden card.
    pub detail: String,
    /// Values that a program may want, such as the head `version`.
    pub params: BTreeMap<String, String>,
}

impl Failure {
    /// A failure without parameters.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            params: BTreeMap::new(),
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.params.insert(name.to_owned(), value.to_string());
        self
    }

    /// A fault of the server: logs the cause here, where it is handled, and tells the caller
    /// nothing of it.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(ErrorCode::Internal, "the server failed to answer")
    }

    /// A part of the server cannot be reached: logs the cause and asks the caller to try again.
    pub fn unavailable(cause: impl fmt::Display) -> Self {
        tracing::warn!(%cause, "dependency unavailable");
        Self::new(ErrorCode::Unavailable, "try again in a moment")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.detail)
    }
}

impl std::error::Error for Failure {}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        let detail = ErrorDetail {
            code: failure.code.as_str().to_owned(),
            params: failure.params.into_iter().collect(),
        };
        Self::with_details(
            failure.code.grpc_code(),
            failure.detail,
            detail.encode_to_vec().into(),
        )
    }
}

/// Whether a call was on its way when its connection was closed: by a server that stops, or by one
/// that hung for long and finds more calls given up than it bears. What a service sent has no
/// source, and a deadline has one of its own.
fn lost_connection(status: &Status) -> bool {
    let mut cause = status.source();
    let lost = cause.is_some();
    while let Some(error) = cause {
        if error.is::<TimeoutExpired>() {
            return false;
        }
        cause = error.source();
    }
    lost
}

impl From<Status> for Failure {
    /// The failure that a service sent; a status that none of our services made (transport,
    /// deadline) gets the code that fits it.
    fn from(status: Status) -> Self {
        let detail = ErrorDetail::decode(status.details()).unwrap_or_default();
        if let Some(code) = ErrorCode::from_name(&detail.code) {
            return Self {
                code,
                detail: status.message().to_owned(),
                params: detail.params.into_iter().collect(),
            };
        }
        match status.code() {
            // A connection that breaks in the middle of a call is "unknown" to the transport.
            Code::Unavailable | Code::Unknown => Self::unavailable(status),
            Code::Internal | Code::Cancelled | Code::ResourceExhausted
                if lost_connection(&status) =>
            {
                Self::unavailable(status)
            }
            Code::DeadlineExceeded | Code::Cancelled => {
                Self::new(ErrorCode::Timeout, "the answer took too long")
            }
            Code::ResourceExhausted => Self::new(ErrorCode::RateLimited, "too many requests"),
            _ => Self::internal(status),
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::unavailable(error),
            // What the database refused, or an answer that does not fit the question.
            other => Self::internal(other),
        }
    }
}

impl From<redis::RedisError> for Failure {
    fn from(error: redis::RedisError) -> Self {
        if crate::kv::may_pass(&error) {
            Self::unavailable(error)
        } else {
            Self::internal(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, sync::Arc};

    use super::*;

    #[test]
    fn failures_survive_the_wire() {
        for &code in ErrorCode::ALL {
            let failure = Failure::new(code, "what was expected").with("version", 7);
            assert_eq!(Failure::from(Status::from(failure.clone())), failure);
        }
    }

    #[test]
    fn a_connection_that_closed_under_a_call_says_nothing_about_the_call() {
        let caused = |mut status: Status, cause: Option<Arc<dyn Error + Send + Sync>>| {
            if let Some(cause) = cause {
                status.set_source(cause);
            }
            Failure::from(status).code
        };
        let closed = || -> Option<Arc<dyn Error + Send + Sync>> {
            Some(Arc::new(std::io::Error::other("go away")))
        };
        let unavailable = ErrorCode::Unavailable;
        assert_eq!(
            caused(Status::internal("http2 error"), closed()),
            unavailable
        );
        assert_eq!(
            caused(Status::cancelled("cancelled"), closed()),
            unavailable
        );
        let late = Arc::new(TimeoutExpired(()));
        let late = caused(Status::cancelled("Timeout expired"), Some(late));
        assert_eq!(late, ErrorCode::Timeout);
        let sent = caused(Status::internal("a fault of the service"), None);
        assert_eq!(sent, ErrorCode::Internal);
    }
}
