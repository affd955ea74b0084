//! One reader of a table's log for all who watch the table here.
//!
//! However many watch, each event is read and understood once; what each may see of it is made
//! from the state after it. A follower starts with the first who watches and ends after the last.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chassis::Failure;
use table::{Event, Table};
use tokio::{sync::broadcast, time::timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    Game,
    log::{Entry, Notice, Subscription},
    tables::{decode, position},
};

/// Steps that wait for the slowest of those who watch; who falls behind further reads the log.
const STEPS_KEPT: usize = 64;

/// An event, and the table after it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) event: Event,
    pub(crate) at_ms: i64,
    pub(crate) after: Arc<Table>,
}

/// What those who watch are told.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// The table moved on.
    Step(Arc<Step>),
    /// The store knows less than it did: it lost its last entries.
    Lost {
        /// Its head now.
        version: u64,
        /// Its time.
        now_ms: i64,
    },
    /// The log cannot be read; who still wants to watch comes again.
    Ended,
}

/// The followers of this process. Whatever ends one closes its channel: who watched comes again,
/// and who joins starts another.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    tables: Mutex<HashMap<Uuid, broadcast::WeakSender<News>>>,
}

impl Followers {
    fn tables(&self) -> MutexGuard<'_, HashMap<Uuid, broadcast::WeakSender<News>>> {
        // No code that could panic half-way runs under the lock.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tables are followed.
    pub(crate) fn count(&self) -> usize {
        self.tables().len()
    }

    /// Everything after the state that [`crate::tables::Tables::look`] gives after this.
    pub(crate) async fn join(
        game: &Arc<Game>,
        id: Uuid,
        shutdown: CancellationToken,
    ) -> Result<broadcast::Receiver<News>, Failure> {
        if let Some(news) = listen(&game.followers.tables(), id) {
            return Ok(news);
        }
        // Subscribe first, read afterwards: nothing falls between.
        let subscription = game.tables.log().subscribe(id).await?;
        let (table, _) = game.tables.look(id).await?;
        let mut tables = game.followers.tables();
        if let Some(news) = listen(&tables, id) {
            return Ok(news);
        }
        let (sender, news) = broadcast::channel(STEPS_KEPT);
        tables.insert(id, sender.downgrade());
        drop(tables);
        let follower = Follower {
            game: Arc::clone(game),
            id,
            subscription,
            table,
            sender,
        };
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = follower.run() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(news)
    }

    /// Ends a follower that nobody hears. Who joins meanwhile is heard.
    fn end_if_alone(&self, id: Uuid, sender: &broadcast::Sender<News>) -> bool {
        let mut tables = self.tables();
        let alone = sender.receiver_count() == 0;
        if alone {
            tables.remove(&id);
        }
        alone
    }
}

/// Joins a follower that lives, under the lock that keeps it from ending meanwhile.
fn listen(
    tables: &HashMap<Uuid, broadcast::WeakSender<News>>,
    id: Uuid,
) -> Option<broadcast::Receiver<News>> {
    let sender = tables.get(&id)?.upgrade()?;
    Some(sender.subscribe())
}

struct Follower {
    game: Arc<Game>,
    id: Uuid,
    subscription: Subscription,
    table: Arc<Table>,
    sender: broadcast::Sender<News>,
}

impl Follower {
    async fn run(mut self) {
        let heartbeat = Duration::from_millis(self.game.config.heartbeat_ms);
        loop {
            // A notice that was lost is made up for within one beat.
            let notice = timeout(heartbeat, self.subscription.next()).await;
            if self.game.followers.end_if_alone(self.id, &self.sender) {
                return;
            }
            let news = match self.new_entries(notice.unwrap_or(Notice::Unknown)).await {
                Ok(Some(entries)) => self.pass_on(&entries).map(|()| None),
                Ok(None) => self.lost().await.map(Some),
                Err(failure) => Err(failure),
            };
            let last_words = match news {
                Ok(None) => continue,
                Ok(Some(lost)) => lost,
                Err(failure) => {
                    tracing::warn!(table = %self.id, %failure, "cannot follow a table");
                    News::Ended
                }
            };
            // Whoever joins from here on starts another follower.
            self.game.followers.tables().remove(&self.id);
            let _ = self.sender.send(last_words);
            return;
        }
    }

    /// What is new, read from the log unless the notice says all; `None` when the store does not
    /// have any more what was read.
    async fn new_entries(&self, notice: Notice) -> Result<Option<Arc<[Entry]>>, Failure> {
        let position = position(&self.table);
        if let Notice::Appended { after, entries } = notice {
            if after == position {
                return Ok(Some(entries));
            }
            let last = entries.last().map(|last| (last.version, last.at_ms));
            if last == Some(position) {
                return Ok(Some(Arc::default()));
            }
        }
        let read = self.game.tables.after(self.id, &self.table).await?;
        Ok(read.map(Arc::from))
    }

    /// Sees to it that the table goes on after a loss.
    async fn lost(&self) -> Result<News, Failure> {
        let tables = &self.game.tables;
        tables.whole_log(self.id, Some(&self.table)).await?;
        let (table, now_ms) = tables.look(self.id).await?;
        Ok(News::Lost {
            version: table.version(),
            now_ms,
        })
    }

    fn pass_on(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        for entry in entries {
            let (event, _) = decode(entry, Some(self.table.rules()))?;
            let mut table = Table::clone(&self.table);
            table
                .evolve(entry.version, entry.at_ms, &event)
                .map_err(Failure::internal)?;
            self.table = Arc::new(table);
            // An error only means that nobody listens any more.
            let _ = self.sender.send(News::Step(Arc::new(Step {
                event,
                at_ms: entry.at_ms,
                after: Arc::clone(&self.table),
            })));
        }
        Ok(())
    }
}
