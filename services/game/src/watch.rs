//! A table's events for one player, from any version on and then live, without a gap.

use std::{sync::Arc, time::Duration};

use chassis::Failure;
use proto::v1::{Heartbeat, Resync, TableUpdate, table_update::Kind};
use table::Table;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use crate::{
    Game,
    log::{Entry, Subscription},
    tables::{decode, not_found},
};

/// Updates that wait for a slow reader before the stream waits too.
const BUFFERED_MAX: usize = 64;

/// One stream in the making.
struct Watcher {
    game: Arc<Game>,
    id: Uuid,
    player: Uuid,
    subscription: Subscription,
    table: Table,
    sender: mpsc::Sender<Result<TableUpdate, Status>>,
}

/// Starts a stream for a player who sits at the table.
///
/// # Errors
/// When there is no such table for the player.
pub(crate) async fn watch(
    game: Arc<Game>,
    id: Uuid,
    player: Uuid,
    after: u64,
    shutdown: CancellationToken,
) -> Result<mpsc::Receiver<Result<TableUpdate, Status>>, Failure> {
    // Subscribe first, read afterwards: nothing falls between.
    let subscription = game.tables.log().subscribe(id).await?;
    let (current, now_ms) = game.tables.look(id).await?;
    current.seat_of(player).ok_or_else(not_found)?;
    let (sender, receiver) = mpsc::channel(BUFFERED_MAX);
    if after > current.version() {
        let resync = TableUpdate {
            version: current.version(),
            at_ms: now_ms,
            kind: Some(Kind::Resync(Resync {})),
        };
        // The channel is new and empty.
        let _ = sender.try_send(Ok(resync));
        return Ok(receiver);
    }
    let entries = game.tables.log().read(id, 0).await?;
    let (opening, rest) = entries.split_first().ok_or_else(not_found)?;
    let event = decode(opening, None)?;
    let table = Table::open(opening.version, opening.at_ms, &event).map_err(Failure::internal)?;
    let mut watcher = Watcher {
        game,
        id,
        player,
        subscription,
        table,
        sender,
    };
    let first = table::update_for(&watcher.table, &event, player, opening.at_ms);
    let rest = rest.to_vec();
    tokio::spawn(async move {
        let stopped = async {
            if after == 0 {
                watcher.send(first).await?;
            }
            watcher.pass_on(&rest, after).await?;
            watcher.follow().await
        };
        tokio::select! {
            _ = stopped => {}
            () = shutdown.cancelled() => {}
        }
    });
    Ok(receiver)
}

/// The reader is gone, or was told why the stream ends.
struct Ended;

impl Watcher {
    async fn send(&self, update: TableUpdate) -> Result<(), Ended> {
        self.sender.send(Ok(update)).await.map_err(|_| Ended)
    }

    async fn fail(&self, failure: Failure) -> Ended {
        let _ = self.sender.send(Err(failure.into())).await;
        Ended
    }

    /// Takes entries, and sends those after a version.
    async fn pass_on(&mut self, entries: &[Entry], after: u64) -> Result<(), Ended> {
        for entry in entries {
            let event = match decode(entry, Some(self.table.rules())) {
                Ok(event) => event,
                Err(failure) => return Err(self.fail(failure).await),
            };
            if let Err(corrupt) = self.table.evolve(entry.version, entry.at_ms, &event) {
                return Err(self.fail(Failure::internal(corrupt)).await);
            }
            if entry.version > after {
                let update = table::update_for(&self.table, &event, self.player, entry.at_ms);
                self.send(update).await?;
            }
        }
        Ok(())
    }

    /// Passes on what happens from now on, and says where the head is when nothing does.
    async fn follow(mut self) -> Result<(), Ended> {
        let heartbeat = Duration::from_millis(self.game.config.heartbeat_ms);
        loop {
            if self.table.seat_of(self.player).is_none() {
                return Err(self.fail(not_found()).await);
            }
            let moved = tokio::time::timeout(heartbeat, self.subscription.changed()).await;
            let entries = match self
                .game
                .tables
                .log()
                .read(self.id, self.table.version())
                .await
            {
                Ok(entries) => entries,
                Err(error) => return Err(self.fail(error.into()).await),
            };
            let after = self.table.version();
            self.pass_on(&entries, after).await?;
            let quiet = moved.is_err();
            if quiet {
                self.beat().await?;
            }
        }
    }

    async fn beat(&self) -> Result<(), Ended> {
        self.send(TableUpdate {
            version: self.table.version(),
            at_ms: chassis::now_ms(),
            kind: Some(Kind::Heartbeat(Heartbeat {})),
        })
        .await
    }
}
