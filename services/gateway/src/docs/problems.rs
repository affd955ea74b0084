//! What each error code means, and what a client does about it.

use chassis::ErrorCode;

/// What happened, and what to do.
#[expect(clippy::too_many_lines, reason = "a table, one entry for each code")]
pub(super) const fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::BadRequest => {
            "The request cannot be understood: malformed JSON, or a bad header or query. Sending \
             it again will not help."
        }
        ErrorCode::InvalidBody => {
            "The body is well-formed JSON, but a member is missing, unknown, or has a value that \
             is not allowed. The detail names it."
        }
        ErrorCode::Unauthorized => "There is no valid token in the request. Sign in again.",
        ErrorCode::TokenExpired => {
            "The access token was valid once. Renew it with your refresh token and send the \
             request again."
        }
        ErrorCode::Forbidden => "You are signed in, but you may not do this.",
        ErrorCode::NotFound => "There is nothing at this path, or nothing with this id.",
        ErrorCode::TableNotFound => "There is no such table, or none that you may see.",
        ErrorCode::TicketNotFound => "You have no such ticket. Settled tickets go after a while.",
        ErrorCode::QueueNotFound => "There is no such queue. `/v1/queues` lists those there are.",
        ErrorCode::InviteNotFound => {
            "No table has this invite code. Codes are gone once a table is full or closed."
        }
        ErrorCode::PartyNotFound => {
            "No party with this code waits in the queue, or it is complete. Ask the friend who \
             opened it for the code and the queue."
        }
        ErrorCode::MethodNotAllowed => {
            "The path exists, but not with this method. The header Allow lists those it has."
        }
        ErrorCode::NotYourTurn => "Another seat is to act. Look at the table again.",
        ErrorCode::WrongPhase => {
            "This action belongs to another phase of the deal. Look at the table again: \
             `legal_actions` lists what you may do."
        }
        ErrorCode::StaleVersion => {
            "The table has moved on since the version you expected; nothing was done. `version` \
             is the newest. Look at the table again and decide anew."
        }
        ErrorCode::TicketExists => {
            "You have a live ticket already; `ticket_id` names it. Follow or cancel that one."
        }
        ErrorCode::AlreadyPlaying => {
            "You sit at the table of your last ticket; `table_id` names it. Play on, or leave it \
             for good with the action `leave`."
        }
        ErrorCode::ListFull => "This list of yours is full. Take something off it first.",
        ErrorCode::AlreadyMatched => {
            "It is too late to cancel: you were matched. The ticket names the table."
        }
        ErrorCode::TableFull => "No seat of this table is free any more.",
        ErrorCode::Conflict => {
            "The same id was used for something else, or a request with the same Idempotency-Key \
             is still running. In the second case, try again in a moment."
        }
        ErrorCode::MatchOver => "The match is over: nobody acts at this table any more.",
        ErrorCode::TooLarge => "The body is larger than 64 KiB, which no request needs.",
        ErrorCode::UnsupportedMediaType => {
            "The body must be JSON, with the header `Content-Type: application/json`."
        }
        ErrorCode::IllegalAction => {
            "The rules do not allow this action. `legal_actions` of the table lists what you may \
             do."
        }
        ErrorCode::UnknownCard => {
            "There is no such card. A card is a suit letter (E, G, H, S) and a rank letter \
             (A, X, K, O, U, 9, 8, 7, 6), such as HA."
        }
        ErrorCode::UnknownBid => {
            "There is no such contract in this rule set. `/v1/rulesets` lists those there are."
        }
        ErrorCode::CardNotHeld => "The card is not in your hand.",
        ErrorCode::MustFollowSuit => "You hold a card of the suit that was led and must play one.",
        ErrorCode::MustTrump => {
            "You hold no card of the suit that was led, but a trump, and must play one."
        }
        ErrorCode::BidTooLow => {
            "A bid must be higher than the highest so far; an announcement at least as high."
        }
        ErrorCode::WrongDiscardCount => "You must lay off exactly as many cards as you took up.",
        ErrorCode::DiscardNotAllowed => {
            "One of these cards may not be laid off; `from` of the legal action lists those that \
             may."
        }
        ErrorCode::InvalidRules => {
            "There is no such rule set or number of players, or an option has a value that it \
             does not take. `/v1/rulesets` lists what there is."
        }
        ErrorCode::PartyNotAllowed => {
            "Parties play in casual queues only, and are at most as large as a table. The detail \
             says how large."
        }
        ErrorCode::UnsupportedProtocol => {
            "The server does not speak this `protocol_version`. The detail says which ones it \
             does; a newer app may help."
        }
        ErrorCode::CommandIdReused => {
            "The same `command_id` or Idempotency-Key came with another request before. Make a \
             new one for each new request."
        }
        ErrorCode::RateLimited => {
            "Too many requests. Wait for as many seconds as the header Retry-After says."
        }
        ErrorCode::Internal => {
            "The server failed. Tell the operator the `instance` of the error. A request with a \
             `command_id` or an Idempotency-Key can safely be sent again."
        }
        ErrorCode::Unavailable => {
            "A part of the server cannot be reached now. Try again after as many seconds as the \
             header Retry-After says, with the same `command_id` or Idempotency-Key."
        }
        ErrorCode::Timeout => {
            "The answer took too long; whether anything was done is not known. Send the request \
             again, with the same `command_id` or Idempotency-Key."
        }
    }
}
