//! Several replicas of one service, and which of them to call about what.
//!
//! Any replica can do anything. Calls about the same thing go to the same one where possible,
//! because it has the thing in its cache. One that cannot be reached is left out for a moment,
//! and the call goes to the next.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tonic::{Code, Status, transport::Uri};
use uuid::Uuid;

use super::{Channel, connect, expected, host};
use crate::{rendezvous::weight, tls::Tls};

/// How often names are looked up again: how long a new replica gets no calls.
const LOOK_UP: Duration = Duration::from_secs(2);
/// How long a replica that could not be reached is called last.
const AVOIDED: Duration = Duration::from_secs(1);
/// How long a replica may take while there is another one: it may hang without a sign.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many replicas one call is sent to, at most.
const TRIED_MAX: usize = 2;

/// The replicas of a service.
#[derive(Clone, Debug)]
pub struct Replicas(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// By address; a single one needs none.
    targets: Mutex<BTreeMap<String, Target>>,
    tls: Option<Tls>,
}

#[derive(Clone, Debug)]
struct Target {
    channel: Channel,
    avoided_until: Option<Instant>,
}

impl From<Channel> for Target {
    fn from(channel: Channel) -> Self {
        Self {
            channel,
            avoided_until: None,
        }
    }
}

impl From<Channel> for Replicas {
    /// The only replica.
    fn from(channel: Channel) -> Self {
        let targets = BTreeMap::from([(String::new(), channel.into())]);
        Self(Arc::new(Inner {
            targets: Mutex::new(targets),
            tls: None,
        }))
    }
}

impl Replicas {
    /// The replicas at these URLs, such as `http://game:7001`: each address that a name has is
    /// one, and names are looked up again and again. With TLS, `https://`, and the certificate of
    /// each has that name. Needs a Tokio runtime.
    ///
    /// # Errors
    /// When there is no URL, or one is not understood or does not go with `tls`.
    pub fn at<'a>(
        urls: impl IntoIterator<Item = &'a str>,
        tls: Option<&Tls>,
    ) -> Result<Self, String> {
        let mut names = Vec::new();
        let mut targets = BTreeMap::new();
        for url in urls {
            let uri: Uri = url.parse().map_err(|_| expected(tls).to_owned())?;
            let host = host(&uri, tls)?;
            // Until the name is looked up.
            let by_name = connect(url, &host, tls)?;
            targets.insert(url.to_owned(), Target::from(by_name));
            let port = if tls.is_some() { 443 } else { 80 };
            names.push((host, uri.port_u16().unwrap_or(port)));
        }
        if names.is_empty() {
            return Err(format!(
                "{}; several are separated by commas",
                expected(tls)
            ));
        }
        let inner = Arc::new(Inner {
            targets: Mutex::new(targets),
            tls: tls.cloned(),
        });
        tokio::spawn(keep_looking_up(Arc::downgrade(&inner), names));
        Ok(Self(inner))
    }

    /// Makes a call about a thing, at the next replica too if the first cannot be reached. It must
    /// be one that may arrive twice.
    ///
    /// # Errors
    /// That of the last replica that was called.
    pub async fn call<T, F>(&self, about: Uuid, call: impl Fn(Channel) -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut order = self.order(about);
        order.truncate(TRIED_MAX);
        let Some((last, channel)) = order.pop() else {
            return Err(Status::unavailable("no replica is known"));
        };
        for (address, channel) in order {
            match timeout(PATIENCE, call(channel)).await {
                Ok(Err(status)) if is_unreachable(&status) => self.avoid(&address),
                Ok(answer) => return answer,
                Err(_) => self.avoid(&address),
            }
        }
        let answer = call(channel).await;
        if answer.as_ref().is_err_and(is_unreachable) {
            self.avoid(&last);
        }
        answer
    }

    /// A replica for calls that are about nothing in particular.
    #[must_use]
    pub fn any(&self) -> Option<Channel> {
        let first = self.order(Uuid::new_v4()).into_iter().next();
        first.map(|(_, channel)| channel)
    }

    /// The best for a thing first; those to avoid last.
    fn order(&self, about: Uuid) -> Vec<(String, Channel)> {
        let now = Instant::now();
        let targets = self.0.targets();
        let mut order: Vec<_> = targets.iter().collect();
        order.sort_by_key(|(address, target)| {
            let avoided = target.avoided_until.is_some_and(|until| until > now);
            let weight = weight(address.as_bytes(), about.as_bytes());
            (avoided, std::cmp::Reverse(weight))
        });
        let order = order.into_iter();
        order
            .map(|(address, target)| (address.clone(), target.channel.clone()))
            .collect()
    }

    fn avoid(&self, address: &str) {
        if let Some(target) = self.0.targets().get_mut(address) {
            target.avoided_until = Some(Instant::now() + AVOIDED);
        }
    }
}

impl Inner {
    fn targets(&self) -> MutexGuard<'_, BTreeMap<String, Target>> {
        // No code that could panic half-way runs under the lock.
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the connections to addresses that are still there; each has the name under which it
    /// was found.
    fn replace(&self, found: &BTreeMap<SocketAddr, &str>) {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut targets = self.targets();
        let mut next = BTreeMap::new();
        for (address, name) in found {
            let url = format!("{scheme}://{address}");
            let target = match targets.remove(&url) {
                Some(known) => known,
                None => match connect(&url, name, self.tls.as_ref()) {
                    Ok(new) => new.into(),
                    Err(error) => {
                        tracing::warn!(%address, %error, "a replica cannot be called");
                        continue;
                    }
                },
            };
            next.insert(url, target);
        }
        *targets = next;
    }
}

/// Looks names up until nobody calls any more. While one of them leads nowhere, what is known
/// stays.
async fn keep_looking_up(replicas: Weak<Inner>, names: Vec<(String, u16)>) {
    let mut turns = interval(LOOK_UP);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        let mut found = BTreeMap::new();
        for (host, port) in &names {
            match tokio::net::lookup_host((host.as_str(), *port)).await {
                Ok(addresses) => found.extend(addresses.map(|address| (address, host.as_str()))),
                Err(error) => tracing::debug!(%host, %error, "a name leads nowhere"),
            }
        }
        let Some(replicas) = replicas.upgrade() else {
            return;
        };
        if !found.is_empty() {
            replicas.replace(&found);
        }
    }
}

/// Whether a failure is one of the way to the service, not of the service.
fn is_unreachable(status: &Status) -> bool {
    use std::error::Error as _;
    status.source().is_some()
        && matches!(
            status.code(),
            Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Replicas {
        let urls = [
            "http://10.0.0.1:7001",
            "http://10.0.0.2:7001",
            "http://10.0.0.3:7001",
        ];
        Replicas::at(urls, None).unwrap()
    }

    fn addresses(replicas: &Replicas, about: u128) -> Vec<String> {
        let order = replicas.order(Uuid::from_u128(about)).into_iter();
        order.map(|(address, _)| address).collect()
    }

    fn unreachable() -> Status {
        let mut status = Status::unavailable("refused");
        status.set_source(Arc::new(std::io::Error::other("refused")));
        status
    }

    #[tokio::test]
    async fn a_thing_has_its_replica_and_things_spread() {
        let replicas = three();
        let mut first = BTreeMap::<String, u32>::new();
        for about in 0..300 {
            let order = addresses(&replicas, about);
            assert_eq!(order, addresses(&three(), about));
            *first.entry(order[0].clone()).or_default() += 1;
        }
        assert!(first.values().all(|&count| count > 60), "{first:?}");
        assert_eq!(first.len(), 3);
    }

    #[tokio::test]
    async fn who_cannot_be_reached_is_called_last_for_a_while() {
        tokio::time::pause();
        let replicas = three();
        let about = Uuid::from_u128(7);
        let calls = std::cell::Cell::new(0);
        let answer = replicas
            .call(about, |_| {
                calls.set(calls.get() + 1);
                let first = calls.get() == 1;
                async move { if first { Err(unreachable()) } else { Ok(()) } }
            })
            .await;
        assert!(answer.is_ok());
        assert_eq!(calls.get(), 2);
        let before = addresses(&three(), 7);
        assert_eq!(addresses(&replicas, 7)[2], before[0]);
        tokio::time::advance(AVOIDED * 2).await;
        assert_eq!(addresses(&replicas, 7), before);
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_hangs_is_not_waited_for() {
        let replicas = three();
        let calls = std::cell::Cell::new(0);
        let answer = replicas
            .call(Uuid::from_u128(7), |_| {
                calls.set(calls.get() + 1);
                let hangs = calls.get() == 1;
                async move {
                    if hangs {
                        std::future::pending::<()>().await;
                    }
                    Ok(())
                }
            })
            .await;
        assert!(answer.is_ok());
        assert_eq!(addresses(&replicas, 7)[2], addresses(&three(), 7)[0]);
    }

    #[tokio::test]
    async fn what_the_service_says_is_the_answer() {
        let calls = std::cell::Cell::new(0);
        let answer: Result<(), Status> = three()
            .call(Uuid::nil(), |_| {
                calls.set(calls.get() + 1);
                async { Err(Status::unavailable("Redis is away")) }
            })
            .await;
        assert_eq!(answer.unwrap_err().message(), "Redis is away");
        assert_eq!(calls.get(), 1);
    }

    #[tokio::test]
    async fn only_the_things_of_who_goes_move() {
        let replicas = three();
        let before: Vec<String> = (0..99)
            .map(|n| addresses(&replicas, n)[0].clone())
            .collect();
        let left = ["10.0.0.1:7001", "10.0.0.3:7001"];
        let left = left.map(|address| (address.parse().unwrap(), "game"));
        replicas.0.replace(&BTreeMap::from(left));
        for (about, before) in before.iter().enumerate() {
            let after = &addresses(&replicas, about as u128)[0];
            assert!(
                after == before || before.contains("10.0.0.2"),
                "{before} {after}"
            );
        }
    }

    #[tokio::test]
    async fn urls_are_checked() {
        for urls in [&[][..], &["game:7001"], &["https://game"], &["http://"]] {
            let replicas = Replicas::at(urls.iter().copied(), None);
            assert!(replicas.is_err(), "{urls:?}");
        }
    }
}
