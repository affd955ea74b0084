//! `kill -9` around the end of a match: between its last move, the archive and the rating there
//! is no point at which the match is lost, archived twice or rated twice.

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use tests::{
    chaos::{
        check,
        player::{Manner, play},
        transport::How,
    },
    client::Client,
    events::{Events, all},
    installation::{Installation, Plan},
    play::Choices,
};
use tokio::sync::Mutex;

use crate::support::{four_guests, matched};

const HEARTBEAT: Duration = Duration::from_millis(500);

/// What is killed, and after which events, counted from the first of the table on.
#[derive(Clone, Copy, Debug)]
struct Point {
    victim: &'static str,
    events: &'static [&'static str],
}

const POINTS: [Point; 5] = [
    // The last move is answered; nothing is archived.
    Point {
        victim: "game",
        events: &["match_ended"],
    },
    // The last deal is archived, the match is about to be.
    Point {
        victim: "game",
        events: &["match_ended", "archived"],
    },
    // The match is archived, and about to be rated.
    Point {
        victim: "game",
        events: &["match_ended", "archived", "archived"],
    },
    Point {
        victim: "ranking",
        events: &["match_ended"],
    },
    Point {
        victim: "ranking",
        events: &["match_ended", "archived", "archived"],
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_archived_and_rated_once_wherever_a_process_is_killed() {
    let plan = Plan {
        settings: vec![("SPATZ_HEARTBEAT_MS", HEARTBEAT.as_millis().to_string())],
        ..Plan::default()
    };
    let installation = Installation::cluster_with(plan).await.expect("start");
    let url = installation.url().to_owned();
    let installation = Arc::new(Mutex::new(installation));
    // One after the other to a table, then all at once: a table that was in hand when its
    // replica died comes up again a while later, which all wait for together.
    let mut tables = Vec::new();
    for point in POINTS {
        let clients = four_guests(&url).await.expect("guests");
        let table = matched(&clients, "ranked-brixental-4")
            .await
            .expect("a match");
        tables.push((point, clients, table));
    }
    let ends = tables
        .iter()
        .map(|(point, clients, table)| end(*point, clients, table, Arc::clone(&installation)));
    let outcome = all(ends).await;
    let logs = installation.lock().await.logs();
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{logs}"));
}

async fn end(
    point: Point,
    clients: &[Client],
    table: &str,
    installation: Arc<Mutex<Installation>>,
) -> anyhow::Result<()> {
    let manner = Manner {
        how: How::Events,
        think: Duration::ZERO,
        silence: 4 * HEARTBEAT,
        patience: Duration::from_secs(60),
        rated: true,
    };
    let players = clients.iter().zip(1..).map(|(client, seed)| async move {
        Ok(play(client, table, &mut Choices::new(seed), manner).await)
    });
    let killing = async {
        let mut events = Events::new(&clients[0], table);
        for kind in point.events {
            events.until(kind).await?;
        }
        installation.lock().await.crash(point.victim).await
    };
    let (played, killed) = tokio::join!(all(players), killing);
    killed?;
    let replay = check::replay_of(&clients[0], table).await?;
    for (client, played) in clients.iter().zip(played?) {
        ensure!(played.gave_up.is_none(), "{point:?}: {:?}", played.gave_up);
        ensure!(played.refused.is_empty(), "{point:?}: {:?}", played.refused);
        check::events(&played, &replay, true)?;
        let seat = check::seat_of(&replay, &client.player)?;
        let logged = check::actions_of(&replay, seat);
        let compared = check::compare(&played.acknowledged, &logged);
        ensure!(
            compared == check::Compared::default(),
            "{point:?}: {compared:?}"
        );
        check::rated_once(client, 1).await?;
    }
    Ok(())
}
