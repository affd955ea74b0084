//! Stores at the start: they may come up later than this process, and so may the schema.

use std::{fmt::Display, time::Duration};

use anyhow::{Context as _, bail};
use chassis::{db::Db, kv::Kv};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::settings;

/// Between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Waits for stores until a point in time, or until the process is to stop.
#[derive(Debug)]
pub(crate) struct Patience {
    until: Instant,
    shutdown: CancellationToken,
}

impl Patience {
    pub(crate) fn new(wait: Duration, shutdown: &CancellationToken) -> Self {
        Self {
            until: Instant::now() + wait,
            shutdown: shutdown.clone(),
        }
    }

    /// A pool on a schema that fits this program.
    pub(crate) async fn postgres(&self, settings: &settings::Postgres) -> anyhow::Result<Db> {
        let db = Db::open(&settings.url, settings.connections)?;
        self.retry("postgres", || db.check_schema()).await?;
        db.count_connections();
        Ok(db)
    }

    pub(crate) async fn redis(&self, settings: &settings::Redis) -> anyhow::Result<Kv> {
        self.retry("redis", || Kv::connect(&settings.url, &settings.prefix))
            .await
    }

    /// Tries until it works; the first attempt may take its time, however little patience there
    /// is.
    pub(crate) async fn retry<T, E, F>(
        &self,
        what: &'static str,
        attempt: impl Fn() -> F,
    ) -> anyhow::Result<T>
    where
        E: Display + std::error::Error + Send + Sync + 'static,
        F: Future<Output = Result<T, E>>,
    {
        let mut answer = attempt().await;
        loop {
            let error = match answer {
                Ok(value) => return Ok(value),
                Err(error) if Instant::now() + PAUSE >= self.until => {
                    return Err(error).context(what);
                }
                Err(error) => error,
            };
            tracing::warn!(store = what, %error, "waiting");
            let Some(()) = self.shutdown.run_until_cancelled(sleep(PAUSE)).await else {
                bail!("{what}: stopped while waiting: {error}");
            };
            answer = match timeout_at(self.until, attempt()).await {
                Ok(answer) => answer,
                Err(_) => return Err(error).context(what),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, io};

    use super::*;

    async fn attempts(patience: &Patience, good: Option<u32>) -> (anyhow::Result<()>, u32) {
        let tried = Cell::new(0);
        let answer = patience
            .retry("redis", || {
                tried.set(tried.get() + 1);
                let answer = match good {
                    Some(good) if tried.get() >= good => Ok(()),
                    _ => Err(io::Error::other("refused")),
                };
                async move { answer }
            })
            .await;
        (answer, tried.get())
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_comes_up_late_is_waited_for() {
        let patience = Patience::new(Duration::from_secs(60), &CancellationToken::new());
        let (answer, tried) = attempts(&patience, Some(5)).await;
        answer.expect("an answer");
        assert_eq!(tried, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends_and_says_what_was_missing() {
        let none = Patience::new(Duration::ZERO, &CancellationToken::new());
        assert_eq!(attempts(&none, None).await.1, 1);
        let some = Patience::new(Duration::from_secs(10), &CancellationToken::new());
        let (answer, tried) = attempts(&some, None).await;
        let error = format!("{:#}", answer.expect_err("no answer"));
        assert_eq!(error, "redis: refused");
        assert!((5..=10).contains(&tried), "{tried}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_is_to_stop_does_not_wait() {
        let shutdown = CancellationToken::new();
        shutdown.cancel();
        let patience = Patience::new(Duration::from_secs(3600), &shutdown);
        let (answer, tried) = attempts(&patience, None).await;
        assert!(answer.is_err() && tried == 1);
    }
}
