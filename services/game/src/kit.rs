//! Tables of three people to test with, from inside.

use std::sync::Arc;

use chassis::{Failure, testing::Sqlite};
use proto::v1::{OpenTableRequest, TableKind, TableUpdate, occupant};
use table::{CommandTag, SeatAction};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::{Status, transport::Endpoint};
use uuid::Uuid;

use crate::{
    Config, Game,
    history::History,
    log::{EmbeddedLog, TableLog},
    receipt::Receipt,
    wake::look_after,
    watch::watch,
};

pub(crate) fn player(n: u128) -> Uuid {
    Uuid::from_u128(n + 1)
}

/// The service on a fresh store, and a table of three people.
pub(crate) async fn table() -> (Arc<Game>, Uuid, Sqlite) {
    let sqlite = chassis::testing::sqlite().await;
    let log = EmbeddedLog::new(sqlite.db.clone()).unwrap();
    let (game, id) = table_on(Arc::new(log), &sqlite).await;
    (game, id, sqlite)
}

/// The service on a log, with an archive of its own, and a table of three people.
pub(crate) async fn table_on(log: Arc<dyn TableLog>, archive: &Sqlite) -> (Arc<Game>, Uuid) {
    let history = History::new(archive.db.clone());
    // Nobody is asked to rate anything here.
    let ranking = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let game = Arc::new(Game::new(log, history, ranking.into(), Config::default()));
    let id = Uuid::now_v7();
    let occupant = |n| proto::v1::Occupant {
        kind: Some(occupant::Kind::Player(proto::v1::Player {
            id: player(n).to_string(),
            name: format!("Player {n}"),
        })),
    };
    let request = OpenTableRequest {
        table_id: id.to_string(),
        kind: TableKind::Private.into(),
        rules: Some(proto::v1::Rules {
            ruleset: "brixental".to_owned(),
            version: 0,
            players: 3,
            options: [("length".to_owned(), "rounds(2)".to_owned())].into(),
        }),
        time_control: Some(proto::v1::TimeControl {
            pause_ms: 0,
            ..table::TIME_CONTROL_DEFAULT
        }),
        seats: (0..3).map(occupant).collect(),
        ..OpenTableRequest::default()
    };
    let opening = table::Event::opening(&request, [7; 32]).unwrap();
    game.tables.open(id, &opening).await.unwrap();
    (game, id)
}

/// A command like no other.
pub(crate) fn receipt() -> Receipt {
    Receipt {
        tag: CommandTag {
            key: Uuid::now_v7().as_u64_pair().1,
            fingerprint: 1,
        },
        expected: None,
    }
}

pub(crate) async fn send(
    game: &Game,
    id: Uuid,
    player: Uuid,
    action: SeatAction,
    receipt: Receipt,
) -> Result<u64, Failure> {
    let command = table::Command::Act { player, action };
    game.tables.submit(id, &command, Some(&receipt)).await
}

pub(crate) async fn act(game: &Game, id: Uuid, player: Uuid, action: SeatAction) -> u64 {
    send(game, id, player, action, receipt()).await.unwrap()
}

pub(crate) async fn start(game: &Game, id: Uuid) -> u64 {
    let mut version = 0;
    for n in 0..3 {
        version = act(game, id, player(n), SeatAction::Ready(vec![n as u8])).await;
    }
    version
}

/// Whoever's turn it is takes the last legal action, so many times: everything is bid, and
/// played to the end. Returns the version.
pub(crate) async fn play(game: &Game, id: Uuid, actions: usize) -> u64 {
    let mut version = 0;
    for _ in 0..actions {
        let (table, _) = game.tables.look(id).await.unwrap();
        let Some(deal) = table.deal() else {
            // The match is over.
            version = table.version();
            break;
        };
        let seat = deal.turn().unwrap();
        let action = SeatAction::Deal(*deal.legal().actions().last().unwrap());
        let who = table.player(seat).unwrap().id;
        version = act(game, id, who, action).await;
    }
    version
}

/// Plays into the second deal; the first one is in the archive. Returns the last version of
/// the first deal, and of all.
pub(crate) async fn play_into_the_second_deal(game: &Arc<Game>, id: Uuid) -> (u64, u64) {
    start(game, id).await;
    let mut first = 0;
    while first == 0 {
        play(game, id, 1).await;
        look_after(game, id).await.unwrap();
        let archived = game.archive.entries(id).await.unwrap();
        first = archived.last().map_or(0, |entry| entry.version);
    }
    let version = play(game, id, 5).await;
    assert!(version > first + 5);
    (first, version)
}

/// Loses every table.
pub(crate) async fn lose_all(store: &Sqlite) {
    let lost = sqlx::query("DELETE FROM live_tables").execute(&store.db.pool);
    assert_eq!(lost.await.unwrap().rows_affected(), 1);
}

/// Loses what came after a version.
pub(crate) async fn lose_last(store: &Sqlite, kept: u64) {
    let kept = i64::try_from(kept).unwrap();
    for change in [
        "DELETE FROM live_events WHERE version > $1",
        "UPDATE live_tables SET head = $1,
            last_ms = (SELECT at_ms FROM live_events WHERE version = $1)",
    ] {
        sqlx::query(change)
            .bind(kept)
            .execute(&store.db.pool)
            .await
            .unwrap();
    }
}

pub(crate) type Stream = mpsc::Receiver<Result<TableUpdate, Status>>;

pub(crate) async fn open(game: &Arc<Game>, id: Uuid, n: u128, after: u64) -> Stream {
    let shutdown = CancellationToken::new();
    let stream = watch(Arc::clone(game), id, player(n), after, shutdown).await;
    stream.unwrap()
}

/// The updates up to a version; panics at a gap.
pub(crate) async fn read_to(stream: &mut Stream, after: u64, version: u64) -> Vec<TableUpdate> {
    let mut updates = Vec::new();
    for expected in after + 1..=version {
        let update = stream.recv().await.expect("the stream goes on").unwrap();
        assert_eq!(update.version, expected);
        updates.push(update);
    }
    updates
}
