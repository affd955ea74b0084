//! Tickets as rows.

use sqlx::{Row as _, any::AnyRow};
use uuid::Uuid;

use super::super::{EndReason, Party, StoreError, Ticket, TicketState, parse_id, split_ids};

/// What [`ticket`] reads.
pub(super) const COLUMNS: &str = "id, queue_id, player_id, player_name, rating, recent, blocked, \
                                  protocol, party, party_size, state, table_id, reason, created_ms";

pub(super) fn ticket(row: &AnyRow) -> Result<Ticket, StoreError> {
    let table: Option<String> = row.try_get("table_id")?;
    let reason: Option<String> = row.try_get("reason")?;
    let code: Option<String> = row.try_get("party")?;
    let size: Option<i64> = row.try_get("party_size")?;
    let party = match (code, size) {
        (Some(code), Some(size)) => Some(Party {
            code,
            size: small(size)?,
        }),
        _ => None,
    };
    Ok(Ticket {
        id: parse_id(row.try_get("id")?)?,
        queue: row.try_get("queue_id")?,
        player: parse_id(row.try_get("player_id")?)?,
        player_name: row.try_get("player_name")?,
        rating: small(row.try_get("rating")?)?,
        recent: split_ids(row.try_get("recent")?)?,
        blocked: split_ids(row.try_get("blocked")?)?,
        protocol: small(row.try_get("protocol")?)?,
        party,
        state: TicketState::from_name(row.try_get("state")?)?,
        table: table.as_deref().map(parse_id).transpose()?,
        reason: reason.as_deref().map(EndReason::from_name).transpose()?,
        created_ms: row.try_get("created_ms")?,
    })
}

/// A number that fits, or the row was not written by us.
pub(super) fn small<T: TryFrom<i64>>(number: i64) -> Result<T, StoreError> {
    T::try_from(number).map_err(|_| StoreError::Corrupt(format!("a ticket with {number}")))
}

pub(super) fn ids(rows: &[(String,)]) -> Result<Vec<Uuid>, StoreError> {
    rows.iter().map(|(id,)| parse_id(id)).collect()
}
