//! Tickets as hashes.

use std::collections::HashMap;

use super::super::{EndReason, Party, StoreError, Ticket, TicketState, parse_id, split_ids};

/// A hash as Redis gives it.
pub(super) type Fields = HashMap<String, String>;

/// A ticket of the fields of its hash; nothing when there are none.
pub(super) fn ticket(fields: &Fields) -> Result<Option<Ticket>, StoreError> {
    if fields.is_empty() {
        return Ok(None);
    }
    let text = |name: &str| {
        let value = fields.get(name).map(String::as_str);
        value.ok_or_else(|| StoreError::Corrupt(format!("a ticket without {name}")))
    };
    let known = |name: &str| fields.get(name).map(String::as_str);
    let party = match (known("party"), known("party_size")) {
        (Some(code), Some(size)) => Some(Party {
            code: code.to_owned(),
            size: parse_number(size)?,
        }),
        _ => None,
    };
    Ok(Some(Ticket {
        id: parse_id(text("id")?)?,
        queue: text("queue")?.to_owned(),
        player: parse_id(text("player")?)?,
        player_name: text("name")?.to_owned(),
        rating: parse_number(text("rating")?)?,
        recent: split_ids(text("recent")?)?,
        // The previous release wrote neither.
        blocked: split_ids(known("blocked").unwrap_or_default())?,
        protocol: known("protocol").map_or(Ok(1), parse_number)?,
        party,
        state: TicketState::from_name(text("state")?)?,
        table: known("table").map(parse_id).transpose()?,
        reason: known("reason").map(EndReason::from_name).transpose()?,
        created_ms: parse_number(text("created")?)?,
    }))
}

pub(super) fn parse_number<T: std::str::FromStr>(text: &str) -> Result<T, StoreError> {
    text.parse()
        .map_err(|_| StoreError::Corrupt(format!("expected a number, got {text:?}")))
}
