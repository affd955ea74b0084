//! What a replica needs to become ready, but not to stay it.

use std::{
    future::Future,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether a dependency has answered since the start. One that all replicas share and that most
/// of the work goes on without must not take them all away when it fails.
#[derive(Debug, Default)]
pub struct AtStart(AtomicBool);

impl AtStart {
    /// Asks, until there was one good answer.
    ///
    /// # Errors
    /// Those of `ask`, before that.
    pub async fn check<E>(&self, ask: impl Future<Output = Result<(), E>>) -> Result<(), E> {
        if !self.0.load(Ordering::Relaxed) {
            ask.await?;
            self.0.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn what_answered_once_is_not_asked_again() {
        let at_start = AtStart::default();
        assert_eq!(at_start.check(ready(Err("away"))).await, Err("away"));
        assert_eq!(at_start.check(ready(Ok::<(), &str>(()))).await, Ok(()));
        assert_eq!(at_start.check(ready(Err("away"))).await, Ok(()));
    }
}
