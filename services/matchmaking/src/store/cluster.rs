//! Tickets in Redis (7 or later). Time is Redis' clock, read inside the scripts.
//!
//! Every change is one Lua script, so it is atomic. All keys start with `<prefix>:{mm}`: one hash
//! tag, because "one live ticket per player" joins the player and the queue in one step, and
//! that holds in Redis Cluster only within a slot. One Redis core makes tens of thousands of
//! such steps per second, far more than players come.
//!
//! Changes are published on one channel, and every replica wakes its own watchers. Pub/sub loses
//! messages with its connection: after a reconnect everybody is woken, and watchers read again
//! every few seconds in any case.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chassis::kv::{self, Heard, Kv};
use redis::{Script, ScriptInvocation};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::{
    Claim, Created, KEEP_SETTLED, Lease, NewTicket, Party, PartyRequest, Proposal, RECENT_MAX,
    Standing, StoreError, Ticket, TicketState, TicketStore, WAITS_MAX, Waiting, Watcher, hub::Hub,
    join_ids, millis, parse_id, split_ids,
};

mod fields;

use fields::{Fields, parse_number, ticket};

/// Tickets that are read in one round trip.
const CHUNK: usize = 500;

macro_rules! scripts {
    ($($name:ident),+) => {
        #[derive(Debug)]
        struct Scripts { $($name: Script,)+ }

        impl Scripts {
            /// With the lines that say what time it is.
            fn new(clock: &str) -> Self {
                let script = |text: &str| Script::new(&format!("{clock}{text}"));
                Self {
                    $($name: script(concat!(
                        include_str!("lua/prelude.lua"),
                        include_str!(concat!("lua/", stringify!($name), ".lua")),
                    )),)+
                }
            }
        }
    };
}

scripts!(
    create,
    live,
    cancel,
    lease,
    release,
    claim,
    settle,
    reopen,
    list_proposals,
    list_waiting,
    sweep,
    standing,
    set_blocked,
    add_invite,
    invite
);

/// The adapter for a cluster.
#[derive(Debug)]
pub struct ClusterTickets {
    kv: Kv,
    /// What every key starts with.
    base: String,
    keep_ms: i64,
    scripts: Scripts,
    hub: Arc<Hub>,
    /// Stops the listener.
    _listening: DropGuard,
}

impl ClusterTickets {
    /// Keeps tickets in this Redis, and listens for changes in the background until dropped.
    /// Needs a Tokio runtime.
    #[must_use]
    pub fn new(kv: Kv) -> Self {
        Self::with_keep(kv, KEEP_SETTLED)
    }

    /// As [`Self::new`], with another time for [`KEEP_SETTLED`].
    #[must_use]
    pub fn with_keep(kv: Kv, keep: Duration) -> Self {
        let base = format!("{}:{{mm}}", kv.prefix);
        let hub = Arc::new(Hub::default());
        let stop = CancellationToken::new();
        let channel = format!("{base}:changed");
        let hearing = Arc::clone(&hub);
        let listening = kv::listen(kv.address.clone(), vec![channel], move |heard| {
            tell(&hearing, heard);
        });
        tokio::spawn(stop.clone().run_until_cancelled_owned(listening));
        Self {
            kv,
            base,
            keep_ms: millis(keep),
            scripts: Scripts::new(include_str!("lua/clock.lua")),
            hub,
            _listening: stop.drop_guard(),
        }
    }

    /// The same tickets in a time of one's own, that of [`Self::set_now`]. Only keys that end by
    /// themselves still end by the server's clock.
    #[cfg(test)]
    pub(crate) fn at_own_time(mut self) -> Self {
        let clock = "local now = tonumber(redis.call('GET', KEYS[1] .. ':now'))\n\n";
        self.scripts = Scripts::new(clock);
        self
    }

    /// What time it is: milliseconds since 1970 UTC, never going back.
    #[cfg(test)]
    pub(crate) async fn set_now(&self, now_ms: i64) -> Result<(), StoreError> {
        let mut set = redis::cmd("SET");
        set.arg(format!("{}:now", self.base)).arg(now_ms);
        Ok(set.query_async(&mut self.connection()).await?)
    }

    fn connection(&self) -> kv::Connection {
        self.kv.connection.clone()
    }

    fn call<'a>(&self, script: &'a Script) -> ScriptInvocation<'a> {
        script.key(&self.base)
    }

    fn pairings_key(&self) -> String {
        format!("{}:pairings", self.base)
    }

    fn key(&self, kind: &str, id: &str) -> String {
        format!("{}:{kind}:{id}", self.base)
    }
}

/// A message is the id of a ticket that changed, or says that one arrived.
fn tell(hub: &Hub, heard: Heard<'_>) {
    match heard {
        // What happened before was not heard.
        Heard::Anew => hub.all_changed(),
        Heard::Message(message) => {
            let text = std::str::from_utf8(message).ok();
            match text.and_then(|text| text.parse().ok()) {
                Some(ticket) => hub.changed(ticket),
                None => hub.arrived(),
            }
        }
    }
}

#[async_trait]
impl TicketStore for ClusterTickets {
    async fn create(&self, new: NewTicket) -> Result<Created, StoreError> {
        let (party, size) = match &new.party {
            None => ("", String::new()),
            Some(PartyRequest::Open(party)) => (party.code.as_str(), party.size.to_string()),
            Some(PartyRequest::Join(code)) => (code.as_str(), String::new()),
        };
        let answer: Vec<String> = self
            .call(&self.scripts.create)
            .arg(new.id.to_string())
            .arg(&new.queue)
            .arg(new.player.to_string())
            .arg(&new.player_name)
            .arg(new.rating)
            .arg(self.keep_ms)
            .arg(RECENT_MAX)
            .arg(new.over.map(|table| table.to_string()).unwrap_or_default())
            .arg(join_ids(&new.blocked))
            .arg(new.protocol)
            .arg(party)
            .arg(size)
            .invoke_async(&mut self.connection())
            .await?;
        let answer: Vec<&str> = answer.iter().map(String::as_str).collect();
        match answer.as_slice() {
            ["exists", live] => Ok(Created::Exists(parse_id(live)?)),
            ["seated", table] => Ok(Created::Seated(parse_id(table)?)),
            ["no_party"] => Ok(Created::NoParty),
            ["code_taken"] => Ok(Created::CodeTaken),
            ["made", created, recent, size] => {
                let party = match party {
                    "" => None,
                    code => Some(Party {
                        code: code.to_owned(),
                        size: parse_number(size)?,
                    }),
                };
                let (created, recent) = (parse_number(created)?, split_ids(recent)?);
                Ok(Created::Ticket(new.made(created, recent, party)))
            }
            _ => Err(StoreError::Corrupt(format!("a new ticket of {answer:?}"))),
        }
    }

    async fn get(&self, id: Uuid) -> Result<Option<Ticket>, StoreError> {
        let fields: Fields = redis::cmd("HGETALL")
            .arg(self.key("ticket", &id.to_string()))
            .query_async(&mut self.connection())
            .await?;
        ticket(&fields)
    }

    async fn live(&self, player: Uuid) -> Result<Option<Ticket>, StoreError> {
        let fields: Fields = self
            .call(&self.scripts.live)
            .arg(player.to_string())
            .invoke_async(&mut self.connection())
            .await?;
        ticket(&fields)
    }

    async fn cancel(&self, id: Uuid, player: Uuid) -> Result<Option<Ticket>, StoreError> {
        let fields: Fields = self
            .call(&self.scripts.cancel)
            .arg(id.to_string())
            .arg(player.to_string())
            .arg(self.keep_ms)
            .invoke_async(&mut self.connection())
            .await?;
        ticket(&fields)
    }

    async fn standing(&self, ticket: &Ticket) -> Result<Standing, StoreError> {
        let party = ticket.party.as_ref().map_or("", |party| &party.code);
        let (rank, joined): (i64, u32) = self
            .call(&self.scripts.standing)
            .arg(ticket.id.to_string())
            .arg(&ticket.queue)
            .arg(party)
            .invoke_async(&mut self.connection())
            .await?;
        Ok(Standing {
            position: u32::try_from(rank + 1).ok().filter(|&place| place > 0),
            joined,
        })
    }

    async fn waits(&self, queue: &str) -> Result<Vec<i64>, StoreError> {
        Ok(redis::cmd("LRANGE")
            .arg(self.key("waits", queue))
            .arg(0)
            .arg(-1)
            .query_async(&mut self.connection())
            .await?)
    }

    async fn set_blocked(&self, player: Uuid, blocked: &[Uuid]) -> Result<(), StoreError> {
        let () = self
            .call(&self.scripts.set_blocked)
            .arg(player.to_string())
            .arg(join_ids(blocked))
            .invoke_async(&mut self.connection())
            .await?;
        Ok(())
    }

    async fn due_pairings(&self, limit: u32) -> Result<Vec<(Uuid, Vec<u8>)>, StoreError> {
        let rows: Vec<(String, Vec<u8>)> = redis::cmd("HRANDFIELD")
            .arg(self.pairings_key())
            .arg(limit)
            .arg("WITHVALUES")
            .query_async(&mut self.connection())
            .await?;
        rows.into_iter()
            .map(|(table, pairing)| Ok((parse_id(&table)?, pairing)))
            .collect()
    }

    async fn due_pairing(&self, table: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(redis::cmd("HGET")
            .arg(self.pairings_key())
            .arg(table.to_string())
            .query_async(&mut self.connection())
            .await?)
    }

    async fn forget_pairings(&self, tables: &[Uuid]) -> Result<(), StoreError> {
        if tables.is_empty() {
            return Ok(());
        }
        let tables: Vec<String> = tables.iter().map(Uuid::to_string).collect();
        let () = redis::cmd("HDEL")
            .arg(self.pairings_key())
            .arg(tables)
            .query_async(&mut self.connection())
            .await?;
        Ok(())
    }

    async fn count_waiting(&self, queues: &[String]) -> Result<Vec<u32>, StoreError> {
        if queues.is_empty() {
            return Ok(Vec::new());
        }
        let mut pipe = redis::pipe();
        for queue in queues {
            pipe.cmd("ZCARD").arg(self.key("queue", queue));
        }
        Ok(pipe.query_async(&mut self.connection()).await?)
    }

    async fn list_waiting(&self, queue: &str, limit: u32) -> Result<Waiting, StoreError> {
        let mut connection = self.connection();
        let (now_ms, ids): (i64, Vec<String>) = self
            .call(&self.scripts.list_waiting)
            .arg(queue)
            .arg(limit)
            .invoke_async(&mut connection)
            .await?;
        let mut tickets = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let mut pipe = redis::pipe();
            for id in chunk {
                pipe.cmd("HGETALL").arg(self.key("ticket", id));
            }
            let found: Vec<Fields> = pipe.query_async(&mut connection).await?;
            for fields in &found {
                // Between the two readings a ticket may have moved on.
                let found = ticket(fields)?;
                tickets.extend(found.filter(|ticket| ticket.state == TicketState::Waiting));
            }
        }
        Ok(Waiting { now_ms, tickets })
    }

    async fn lease(
        &self,
        queue: &str,
        holder: Uuid,
        duration: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        let token: i64 = self
            .call(&self.scripts.lease)
            .arg(queue)
            .arg(holder.to_string())
            .arg(millis(duration))
            .invoke_async(&mut self.connection())
            .await?;
        Ok((token > 0).then(|| Lease {
            queue: queue.to_owned(),
            holder,
            token,
        }))
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        let () = self
            .call(&self.scripts.release)
            .arg(&lease.queue)
            .arg(lease.holder.to_string())
            .arg(lease.token)
            .invoke_async(&mut self.connection())
            .await?;
        Ok(())
    }

    async fn claim(&self, lease: &Lease, proposal: &Proposal) -> Result<Claim, StoreError> {
        let answer: i64 = self
            .call(&self.scripts.claim)
            .arg(&lease.queue)
            .arg(lease.holder.to_string())
            .arg(lease.token)
            .arg(proposal.table.to_string())
            .arg(&proposal.request)
            .arg(&proposal.pairing)
            .arg(join_ids(&proposal.tickets))
            .invoke_async(&mut self.connection())
            .await?;
        match answer {
            0 => Ok(Claim::Stale),
            1 => Ok(Claim::Claimed),
            2 => Ok(Claim::Taken),
            other => Err(StoreError::Corrupt(format!("a claim answered {other}"))),
        }
    }

    async fn settle(&self, table: Uuid) -> Result<bool, StoreError> {
        Ok(self
            .call(&self.scripts.settle)
            .arg(table.to_string())
            .arg(self.keep_ms)
            .arg(RECENT_MAX)
            .arg(WAITS_MAX)
            .invoke_async(&mut self.connection())
            .await?)
    }

    async fn reopen(&self, lease: &Lease, table: Uuid) -> Result<bool, StoreError> {
        Ok(self
            .call(&self.scripts.reopen)
            .arg(&lease.queue)
            .arg(lease.holder.to_string())
            .arg(lease.token)
            .arg(table.to_string())
            .invoke_async(&mut self.connection())
            .await?)
    }

    async fn list_proposals(
        &self,
        min_age: Duration,
        limit: u32,
    ) -> Result<Vec<Proposal>, StoreError> {
        let rows: Vec<(String, String, String, Vec<u8>, Option<Vec<u8>>)> = self
            .call(&self.scripts.list_proposals)
            .arg(millis(min_age))
            .arg(limit)
            .invoke_async(&mut self.connection())
            .await?;
        let proposal =
            |(table, queue, tickets, request, pairing): (String, _, String, _, Option<_>)| {
                Ok(Proposal {
                    table: parse_id(&table)?,
                    queue,
                    tickets: split_ids(&tickets)?,
                    request,
                    pairing: pairing.unwrap_or_default(),
                })
            };
        rows.into_iter().map(proposal).collect()
    }

    async fn sweep(&self, max_wait: Duration, limit: u32) -> Result<u32, StoreError> {
        Ok(self
            .call(&self.scripts.sweep)
            .arg(millis(max_wait))
            .arg(limit)
            .arg(self.keep_ms)
            .invoke_async(&mut self.connection())
            .await?)
    }

    async fn add_invite(
        &self,
        code: &str,
        table: Uuid,
        duration: Duration,
    ) -> Result<bool, StoreError> {
        Ok(self
            .call(&self.scripts.add_invite)
            .arg(code)
            .arg(table.to_string())
            .arg(millis(duration))
            .invoke_async(&mut self.connection())
            .await?)
    }

    async fn invite(&self, code: &str) -> Result<Option<Uuid>, StoreError> {
        let table: Option<String> = self
            .call(&self.scripts.invite)
            .arg(code)
            .invoke_async(&mut self.connection())
            .await?;
        table.as_deref().map(parse_id).transpose()
    }

    async fn remove_invite(&self, code: &str) -> Result<(), StoreError> {
        let () = redis::cmd("DEL")
            .arg(self.key("invite", code))
            .query_async(&mut self.connection())
            .await?;
        Ok(())
    }

    fn watch(&self, ticket: Uuid) -> Watcher {
        self.hub.watch(ticket)
    }

    async fn arrival(&self) {
        self.hub.arrival().await;
    }
}
