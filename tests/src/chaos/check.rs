//! What is right about a finished match: every acknowledged move is in it once, everybody was
//! told the same, it was archived and rated once, and its replay is what the rules say.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::player::{Acknowledged, Played};
use crate::{client::Client, replay};

/// How long the archive may take after the end of a match.
const PATIENCE: Duration = Duration::from_secs(60);
const BACK_OFF: Duration = Duration::from_millis(200);

/// One seat's moves in comparison with the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Acknowledged, but not in the log.
    pub lost: u64,
    /// Of those, the ones that a resync told of.
    pub told: u64,
    /// In the log more often than sent.
    pub repeated: u64,
}

/// Whether two actions are the same, whatever the order of cards laid off.
#[must_use]
pub fn same_action(one: &Value, other: &Value) -> bool {
    let cards = |action: &Value| {
        let cards = action["cards"].as_array().into_iter().flatten();
        let mut cards: Vec<String> = cards.map(ToString::to_string).collect();
        cards.sort();
        cards
    };
    let same = |field: &str| one[field] == other[field];
    same("type") && same("bid") && same("card") && same("suit") && cards(one) == cards(other)
}

/// Compares the acknowledged moves of a seat with its actions in the log, both in order: what is
/// in both is the longest sequence that both have. Of equal moves the later ones are in it: a
/// deal that was lost is played again.
#[must_use]
pub fn compare(acknowledged: &[Acknowledged], logged: &[&Value]) -> Compared {
    let sent: Vec<&Acknowledged> = acknowledged
        .iter()
        .rev()
        .filter(|one| one.action["type"] != "ready")
        .collect();
    let logged: Vec<&Value> = logged.iter().rev().copied().collect();
    // The longest common sequence of everything from these two places on.
    let mut longest = vec![vec![0_u64; logged.len() + 1]; sent.len() + 1];
    for (i, one) in sent.iter().enumerate().rev() {
        for (j, action) in logged.iter().enumerate().rev() {
            longest[i][j] = if same_action(action, &one.action) {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let mut compared = Compared {
        repeated: logged.len() as u64 - longest[0][0],
        ..Compared::default()
    };
    let mut j = 0;
    for (i, one) in sent.iter().enumerate() {
        while j < logged.len() && longest[i][j] == longest[i][j + 1] {
            j += 1;
        }
        if j < logged.len() && same_action(logged[j], &one.action) {
            j += 1;
        } else {
            compared.lost += 1;
            compared.told += u64::from(one.told_lost);
        }
    }
    compared
}

/// The replay of a finished match; it is archived a moment after the end.
///
/// # Errors
/// When it is not there, or not what the engine says.
pub async fn replay_of(client: &Client, table: &str) -> anyhow::Result<Value> {
    let path = format!("/v1/matches/{table}/replay");
    let replay = patiently(client, &path).await?;
    replay::check(&replay)?;
    Ok(replay)
}

/// An answer that comes sooner or later.
async fn patiently(client: &Client, path: &str) -> anyhow::Result<Value> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = client.get(path).await.and_then(crate::client::Answer::good);
        if answer.is_ok() || Instant::now() > deadline {
            return answer.with_context(|| path.to_owned());
        }
        sleep(BACK_OFF).await;
    }
}

/// The actions of a seat in a replay, in order.
#[must_use]
pub fn actions_of(replay: &Value, seat: usize) -> Vec<&Value> {
    let deals = replay["deals"].as_array().into_iter().flatten();
    let actions = deals.flat_map(|deal| deal["actions"].as_array().into_iter().flatten());
    let own = actions.filter(|taken| taken["seat"] == seat);
    own.map(|taken| &taken["action"]).collect()
}

/// The seat of a player in a replay.
///
/// # Errors
/// When the player has none.
pub fn seat_of(replay: &Value, player: &str) -> anyhow::Result<usize> {
    let seats = replay["match"]["seats"].as_array().context("seats")?;
    let mine = |seat: &Value| seat["id"] == player;
    seats.iter().position(mine).context("a seat")
}

/// Checks that a player was told every event once, and each deal and the end of the match once;
/// after a resync, every event since.
///
/// # Errors
/// What is wrong.
pub fn events(played: &Played, replay: &Value, rated: bool) -> anyhow::Result<()> {
    let events = &played.events;
    let versions = |value: &Value| value["version"].as_u64();
    let first = events.first().and_then(versions).context("no events")?;
    for (event, version) in events.iter().zip(first..) {
        ensure!(
            event["version"] == version,
            "expected version {version}, not {event}"
        );
    }
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    ensure!(count("match_ended") == 1, "{} ends", count("match_ended"));
    ensure!(
        count("match_rated") == usize::from(rated),
        "{} ratings",
        count("match_rated")
    );
    if !played.story.resyncs.is_empty() {
        return Ok(());
    }
    ensure!(first == 1, "the first event is {first}");
    let deals = replay["deals"].as_array().context("deals")?.len();
    ensure!(
        count("deal_started") == deals,
        "{} of {deals} deals",
        count("deal_started")
    );
    ensure!(
        count("deal_scored") == deals,
        "{} of {deals} scores",
        count("deal_scored")
    );
    let actions = events
        .iter()
        .filter(|event| event["type"] == "action" && event["action"]["type"] != "ready");
    let recorded = replay["deals"].as_array().into_iter().flatten();
    let recorded = recorded.flat_map(|deal| deal["actions"].as_array().into_iter().flatten());
    ensure!(
        actions.map(versions).eq(recorded.map(versions)),
        "the actions are not the replay's"
    );
    Ok(())
}

/// Checks that each of these matches is in the player's history once, and was rated once.
///
/// # Errors
/// What is wrong.
pub async fn rated_once(client: &Client, matches: usize) -> anyhow::Result<()> {
    let player = &client.player;
    let ratings = patiently(client, &format!("/v1/players/{player}/ratings")).await?;
    let rated = ratings["ratings"].as_array().into_iter().flatten();
    let rated: u64 = rated.filter_map(|rating| rating["matches"].as_u64()).sum();
    ensure!(
        rated == matches as u64,
        "{player}: {rated} of {matches} matches rated"
    );
    let mut listed = Vec::new();
    let mut path = format!("/v1/players/{player}/matches");
    loop {
        let page = patiently(client, &path).await?;
        let matches = page["matches"].as_array().context("matches")?;
        listed.extend(matches.iter().map(|one| one["id"].to_string()));
        let Some(next) = page["next"].as_str().filter(|next| !next.is_empty()) else {
            break;
        };
        path = format!("/v1/players/{player}/matches?cursor={next}");
    }
    let count = listed.len();
    listed.sort();
    listed.dedup();
    ensure!(
        count == matches && listed.len() == count,
        "{player}: {count} of {matches} matches listed, {} different",
        listed.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn acknowledged(cards: &[&str]) -> Vec<Acknowledged> {
        let one = |(card, version): (&&str, u64)| Acknowledged {
            at: Instant::now(),
            took: Duration::ZERO,
            version,
            action: json!({"type": "play", "card": card}),
            told_lost: version > 2,
        };
        cards.iter().zip(1..).map(one).collect()
    }

    fn compared(sent: &[&str], logged: &[&str]) -> (u64, u64, u64) {
        let logged = logged
            .iter()
            .map(|card| json!({"type": "play", "card": card}));
        let logged: Vec<Value> = logged.collect();
        let all: Vec<&Value> = logged.iter().collect();
        let compared = compare(&acknowledged(sent), &all);
        (compared.lost, compared.told, compared.repeated)
    }

    #[test]
    fn a_lost_a_told_and_a_repeated_move_are_counted() {
        assert_eq!(compared(&["HA", "HX"], &["HA", "HX"]), (0, 0, 0));
        assert_eq!(compared(&["HA", "HX", "HK"], &["HA", "HK"]), (1, 0, 0));
        assert_eq!(compared(&["HA", "HX", "HK"], &["HA", "HX"]), (1, 1, 0));
        assert_eq!(compared(&["HA", "HX"], &["HA", "HA", "HX"]), (0, 0, 1));
        assert_eq!(compared(&["HA"], &["HA", "HX"]), (0, 0, 1));
        assert_eq!(
            compared(&["HA", "HX", "HA"], &["HX", "HA"]),
            (1, 0, 0),
            "the first was not told"
        );
        assert_eq!(compared(&["HX", "HA", "HK", "HK"], &["HK"]), (3, 1, 0));
        // A lost move is not taken for the same card in a later deal.
        assert_eq!(
            compared(&["HA", "HX", "HK"], &["HX", "HK", "HA"]),
            (1, 0, 1)
        );
    }
}
