//! Streams of a table that three people watch.

use proto::v1::{OpenTableRequest, TableKind, occupant};
use table::SeatAction;
use tonic::transport::Endpoint;

use super::*;
use crate::{
    Config,
    history::History,
    log::{Command, EmbeddedLog},
    tables::Receipt,
};

fn player(n: u128) -> Uuid {
    Uuid::from_u128(n + 1)
}

/// The service on a fresh store, and a table of three people.
async fn table() -> (Arc<Game>, Uuid, chassis::testing::Sqlite) {
    let sqlite = chassis::testing::sqlite().await;
    let log = Arc::new(EmbeddedLog::new(sqlite.db.clone()).unwrap());
    let history = History::new(sqlite.db.clone());
    // Nobody is asked to rate anything here.
    let ranking = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let game = Arc::new(Game::new(log, history, ranking, Config::default()));
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
    (game, id, sqlite)
}

async fn act(game: &Game, id: Uuid, player: Uuid, action: SeatAction) -> u64 {
    let receipt = Receipt {
        command: Command {
            id: Uuid::now_v7().to_string(),
            seat: 0,
            fingerprint: 1,
        },
        expected: None,
    };
    let command = table::Command::Act { player, action };
    let done = game.tables.submit(id, &command, Some(&receipt)).await;
    done.unwrap()
}

async fn start(game: &Game, id: Uuid) -> u64 {
    let mut version = 0;
    for n in 0..3 {
        version = act(game, id, player(n), SeatAction::Ready(vec![n as u8])).await;
    }
    version
}

/// Whoever's turn it is takes the last legal action, so many times: everything is bid, and
/// played to the end. Returns the version.
async fn play(game: &Game, id: Uuid, actions: usize) -> u64 {
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

type Stream = mpsc::Receiver<Result<TableUpdate, Status>>;

async fn open(game: &Arc<Game>, id: Uuid, n: u128, after: u64) -> Stream {
    let shutdown = CancellationToken::new();
    let stream = watch(Arc::clone(game), id, player(n), after, shutdown).await;
    stream.unwrap()
}

/// The updates up to a version; panics at a gap.
async fn read_to(stream: &mut Stream, after: u64, version: u64) -> Vec<TableUpdate> {
    let mut updates = Vec::new();
    for expected in after + 1..=version {
        let update = stream.recv().await.expect("the stream goes on").unwrap();
        assert_eq!(update.version, expected);
        updates.push(update);
    }
    updates
}

#[tokio::test]
async fn all_who_watch_get_every_event_and_their_own_cards() {
    let (game, id, _store) = table().await;
    let mut streams = Vec::new();
    for n in 0..3 {
        streams.push(open(&game, id, n, 0).await);
    }
    start(&game, id).await;
    let version = play(&game, id, 12).await;
    let mut hands = Vec::new();
    for stream in &mut streams {
        for update in read_to(stream, 0, version).await {
            if let Some(Kind::DealStarted(deal)) = update.kind {
                hands.push(deal.hand);
            }
        }
    }
    assert_eq!(hands.len(), 3);
    hands.sort();
    hands.dedup();
    assert_eq!(hands.len(), 3, "each sees another hand");
}

#[tokio::test]
async fn who_comes_later_gets_what_was_missed_and_then_the_rest() {
    let (game, id, _store) = table().await;
    let started = start(&game, id).await;
    let mut early = open(&game, id, 0, started).await;
    let middle = play(&game, id, 5).await;
    let mut late = open(&game, id, 1, 2).await;
    let version = play(&game, id, 5).await;
    read_to(&mut early, started, version).await;
    read_to(&mut late, 2, version).await;
    assert!(middle < version);
}

#[tokio::test]
async fn a_slow_reader_misses_nothing_and_holds_up_nobody() {
    let (game, id, _store) = table().await;
    let mut slow = open(&game, id, 0, 0).await;
    let mut quick = open(&game, id, 1, 0).await;
    start(&game, id).await;
    let version = play(&game, id, 1_000).await;
    // More than the stream and the follower keep together.
    assert!(version > 3 * BUFFERED_MAX as u64, "{version}");
    read_to(&mut quick, 0, version).await;
    read_to(&mut slow, 0, version).await;
}

#[tokio::test]
async fn who_is_ahead_of_the_table_is_told_to_start_again() {
    let (game, id, _store) = table().await;
    let mut stream = open(&game, id, 0, 99).await;
    let update = stream.recv().await.unwrap().unwrap();
    assert_eq!(update.version, 1);
    assert!(matches!(update.kind, Some(Kind::Resync(_))));
    assert!(stream.recv().await.is_none(), "the stream ends");
}

#[tokio::test]
async fn a_table_that_nobody_watches_is_not_followed() {
    let (game, id, _store) = table().await;
    let streams = [open(&game, id, 0, 0).await, open(&game, id, 1, 0).await];
    assert_eq!(game.followers.count(), 1);
    drop(streams);
    // Those who watch end at the next event, and the follower after them.
    let mut n = 0;
    while game.followers.count() > 0 {
        act_or_wait(&game, id, &mut n).await;
    }
}

/// Something happens at the table, as often as it takes; the test hangs if nobody notices.
async fn act_or_wait(game: &Game, id: Uuid, n: &mut u128) {
    if *n < 3 {
        act(game, id, player(*n), SeatAction::Ready(Vec::new())).await;
    } else {
        play(game, id, 1).await;
    }
    *n += 1;
    tokio::task::yield_now().await;
}
