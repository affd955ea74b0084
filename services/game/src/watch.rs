//! A table's events for one player, from any version on and then live, without a gap.

use std::{sync::Arc, time::Duration};

use chassis::Failure;
use proto::v1::{Heartbeat, Resync, TableUpdate, table_update::Kind};
use table::Table;
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        mpsc,
    },
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use crate::{
    Game,
    follow::{Followers, News},
    metrics::Watching,
    tables::{not_found, take},
};

/// Updates that wait for a slow reader before the stream waits too.
const BUFFERED_MAX: usize = 64;

/// One stream in the making.
struct Watcher {
    game: Arc<Game>,
    id: Uuid,
    player: Uuid,
    /// Of the last update that was sent or that the reader knew.
    version: u64,
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
    // Join first, look afterwards: nothing falls between.
    let news = Followers::join(&game, id, shutdown.clone()).await?;
    let (current, now_ms) = game.tables.look(id).await?;
    current.seat_of(player).ok_or_else(not_found)?;
    let (sender, receiver) = mpsc::channel(BUFFERED_MAX);
    if after > current.version() {
        // The channel is new and empty.
        let _ = sender.try_send(Ok(resync(current.version(), now_ms)));
        return Ok(receiver);
    }
    let behind = after < current.version();
    let mut watcher = Watcher {
        game,
        id,
        player,
        version: after,
        sender,
    };
    tokio::spawn(async move {
        let _watching = Watching::new();
        let stopped = async {
            if behind {
                watcher.catch_up().await?;
            }
            watcher.follow(news).await
        };
        tokio::select! {
            biased;
            _ = stopped => {}
            () = shutdown.cancelled() => {}
        }
    });
    Ok(receiver)
}

fn resync(version: u64, at_ms: i64) -> TableUpdate {
    TableUpdate {
        version,
        at_ms,
        kind: Some(Kind::Resync(Resync {})),
        ..TableUpdate::default()
    }
}

/// The reader is gone, or was told why the stream ends.
struct Ended;

impl Watcher {
    async fn send(&mut self, update: TableUpdate) -> Result<(), Ended> {
        self.version = update.version;
        // What follows continues a history that the reader has to look up first.
        let last = matches!(update.kind, Some(Kind::Resync(_)));
        self.sender.send(Ok(update)).await.map_err(|_| Ended)?;
        if last { Err(Ended) } else { Ok(()) }
    }

    async fn fail(&self, failure: Failure) -> Ended {
        let _ = self.sender.send(Err(failure.into())).await;
        Ended
    }

    /// Sends everything that is in the log after the version that the reader knows.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        let entries = match self.game.tables.log().read(self.id, 0).await {
            Ok(entries) => entries,
            Err(error) => return Err(self.fail(error.into()).await),
        };
        let mut table: Option<Table> = None;
        let mut last = 0;
        for entry in &entries {
            if entry.version > self.version && last < self.version {
                // The store lost what the reader saw.
                let head = entries.last().unwrap_or(entry);
                return self.send(resync(head.version, head.at_ms)).await;
            }
            last = entry.version;
            let (event, after) = match take(&mut table, entry) {
                Ok(taken) => taken,
                Err(failure) => return Err(self.fail(failure).await),
            };
            if entry.version > self.version {
                let update = table::update_for(after, &event, self.player, entry.at_ms);
                self.send(update).await?;
            }
        }
        Ok(())
    }

    /// Passes on what happens from now on, and says where the head is when nothing does.
    async fn follow(mut self, mut news: broadcast::Receiver<News>) -> Result<(), Ended> {
        let heartbeat = Duration::from_millis(self.game.config.heartbeat_ms);
        let mut beat = Instant::now() + heartbeat;
        loop {
            match timeout_at(beat, news.recv()).await {
                Err(_) => self.beat().await?,
                Ok(Ok(News::Step(step))) if step.after.version() <= self.version => continue,
                Ok(Ok(News::Step(step))) if step.after.version() == self.version + 1 => {
                    let update =
                        table::update_for(&step.after, &step.event, self.player, step.at_ms);
                    self.send(update).await?;
                    if step.after.seat_of(self.player).is_none() {
                        return Err(self.fail(not_found()).await);
                    }
                }
                // The reader was too slow for what others were told.
                Ok(Ok(News::Step(_)) | Err(RecvError::Lagged(_))) => self.catch_up().await?,
                Ok(Ok(News::Lost { version, now_ms })) => {
                    self.send(resync(version, now_ms)).await?;
                }
                Ok(Ok(News::Ended) | Err(RecvError::Closed)) => {
                    let failure = Failure::unavailable("the live table cannot be read");
                    return Err(self.fail(failure).await);
                }
            }
            beat = Instant::now() + heartbeat;
        }
    }

    async fn beat(&mut self) -> Result<(), Ended> {
        let at_ms = match self.game.tables.now_ms(self.id).await {
            Ok(now_ms) => now_ms,
            Err(failure) => return Err(self.fail(failure).await),
        };
        let version = self.version;
        self.send(TableUpdate {
            version,
            at_ms,
            kind: Some(Kind::Heartbeat(Heartbeat {})),
            ..TableUpdate::default()
        })
        .await
    }
}

#[cfg(test)]
mod tests;
