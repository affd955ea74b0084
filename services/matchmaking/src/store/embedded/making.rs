//! Making tickets, and ending those for which nobody came.

use std::time::Duration;

use uuid::Uuid;

use super::{
    super::{
        Created, NewTicket, Party, PartyRequest, RECENT_MAX, StoreError, join_ids, millis,
        parse_id, split_ids,
    },
    EmbeddedTickets, Tx,
    rows::{self, COLUMNS, ids},
};

/// Why a ticket is not made.
type Refusal = Created;

impl EmbeddedTickets {
    pub(super) async fn make(&self, new: NewTicket) -> Result<Created, StoreError> {
        let mut tx = self.db.begin().await?;
        let now = self.now();
        let player = new.player.to_string();
        let live: Option<(String,)> = sqlx::query_as(
            "SELECT id FROM tickets WHERE player_id = $1 AND state IN ('waiting', 'proposed')",
        )
        .bind(&player)
        .fetch_optional(&mut *tx)
        .await?;
        if let Some((id,)) = live {
            return Ok(Created::Exists(parse_id(&id)?));
        }
        if let Some(table) = self.last_table(&mut tx, &player, now).await?
            && new.over != Some(table)
        {
            return Ok(Created::Seated(table));
        }
        let (party, members) = match party(&mut tx, &new).await? {
            Ok(found) => found,
            Err(refusal) => return Ok(refusal),
        };
        let recent = self.recent(&mut tx, &player, now).await?;
        let sql = format!(
            "INSERT INTO tickets ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, \
             'waiting', NULL, NULL, $11)"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(new.id.to_string())
            .bind(&new.queue)
            .bind(&player)
            .bind(&new.player_name)
            .bind(i64::from(new.rating))
            .bind(&recent)
            .bind(join_ids(&new.blocked))
            .bind(i64::from(new.protocol))
            .bind(party.as_ref().map(|party| party.code.clone()))
            .bind(party.as_ref().map(|party| i64::from(party.size)))
            .bind(now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.hub.arrived();
        self.announce(&members);
        Ok(Created::Ticket(new.made(now, split_ids(&recent)?, party)))
    }

    /// The table to which a player's last ticket led, as long as it is remembered.
    async fn last_table(
        &self,
        tx: &mut Tx,
        player: &str,
        now: i64,
    ) -> Result<Option<Uuid>, StoreError> {
        let last: Option<(String,)> = sqlx::query_as(
            "SELECT table_id FROM tickets WHERE player_id = $1 AND state = 'matched' \
             AND settled_ms > $2 ORDER BY settled_ms DESC, id DESC LIMIT 1",
        )
        .bind(player)
        .bind(now.saturating_sub(self.keep_ms))
        .fetch_optional(&mut **tx)
        .await?;
        last.map(|(table,)| parse_id(&table)).transpose()
    }

    async fn recent(&self, tx: &mut Tx, player: &str, now: i64) -> Result<String, StoreError> {
        let rows: Vec<(String,)> = sqlx::query_as(
            "SELECT other.player_id FROM tickets mine \
             JOIN tickets other ON other.table_id = mine.table_id AND other.id <> mine.id \
             WHERE mine.player_id = $1 AND mine.state = 'matched' AND mine.settled_ms > $2 \
             GROUP BY other.player_id ORDER BY MAX(mine.settled_ms) DESC LIMIT $3",
        )
        .bind(player)
        .bind(now.saturating_sub(self.keep_ms))
        .bind(i64::try_from(RECENT_MAX).unwrap_or(i64::MAX))
        .fetch_all(&mut **tx)
        .await?;
        let ids: Vec<String> = rows.into_iter().map(|(id,)| id).collect();
        Ok(ids.join(","))
    }

    pub(super) async fn expire(&self, max_wait: Duration, limit: u32) -> Result<u32, StoreError> {
        let now = self.now();
        let made_before = now.saturating_sub(millis(max_wait));
        let settled_before = now.saturating_sub(self.keep_ms);
        let (due,): (i64,) = sqlx::query_as(
            "SELECT (SELECT COUNT(*) FROM tickets WHERE state = 'waiting' AND created_ms <= $1) \
             + (SELECT COUNT(*) FROM tickets WHERE settled_ms <= $2) \
             + (SELECT COUNT(*) FROM invites WHERE until_ms <= $3)",
        )
        .bind(made_before)
        .bind(settled_before)
        .bind(now)
        .fetch_one(&self.db.pool)
        .await?;
        if due == 0 {
            return Ok(0);
        }
        let mut tx = self.db.begin().await?;
        let expired = sqlx::query_as(
            "UPDATE tickets SET state = 'expired', settled_ms = $2, reason = CASE \
             WHEN party IS NOT NULL AND party_size > (SELECT COUNT(*) FROM tickets other \
              WHERE other.party = tickets.party AND other.state IN ('waiting', 'proposed')) \
             THEN 'party_incomplete' ELSE 'nobody_found' END WHERE id IN \
             (SELECT id FROM tickets WHERE state = 'waiting' AND created_ms <= $1 \
              ORDER BY created_ms LIMIT $3) RETURNING id",
        )
        .bind(made_before)
        .bind(now)
        .bind(i64::from(limit))
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query("DELETE FROM tickets WHERE settled_ms <= $1")
            .bind(settled_before)
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM invites WHERE until_ms <= $1")
            .bind(now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        let expired = ids(&expired)?;
        self.announce(&expired);
        Ok(u32::try_from(expired.len()).unwrap_or(u32::MAX))
    }
}

/// The party of a ticket to be made, and the tickets of those who are in it already.
async fn party(
    tx: &mut Tx,
    new: &NewTicket,
) -> Result<Result<(Option<Party>, Vec<Uuid>), Refusal>, StoreError> {
    let code = match &new.party {
        None => return Ok(Ok((None, Vec::new()))),
        Some(PartyRequest::Open(party)) => &party.code,
        Some(PartyRequest::Join(code)) => code,
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM tickets WHERE party = $1 AND state IN ('waiting', 'proposed')"
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(code)
        .fetch_all(&mut **tx)
        .await?;
    let members: Vec<_> = found.iter().map(rows::ticket).collect::<Result<_, _>>()?;
    let party = match (&new.party, members.first()) {
        (Some(PartyRequest::Open(party)), None) => Some(party.clone()),
        (Some(PartyRequest::Open(_)), Some(_)) => return Ok(Err(Refusal::CodeTaken)),
        (_, first) => first.and_then(|first| first.party.clone()),
    };
    let fits = members.iter().all(|member| {
        member.queue == new.queue
            && member.protocol == new.protocol
            && !member.state.is_settled()
            && member.table.is_none()
            && !member.blocked.contains(&new.player)
            && !new.blocked.contains(&member.player)
    });
    match party {
        Some(party) if fits && members.len() < party.size as usize => {
            let ids = members.iter().map(|member| member.id).collect();
            Ok(Ok((Some(party), ids)))
        }
        _ => Ok(Err(Refusal::NoParty)),
    }
}
