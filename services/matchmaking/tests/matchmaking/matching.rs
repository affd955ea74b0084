//! From tickets to tables, whatever fails on the way.

use std::{collections::BTreeSet, time::Duration};

use matchmaking::{
    Config,
    pass::Window,
    store::{Claim, Created, NewTicket, Proposal},
};
use prost::Message as _;
use proto::v1::{self, TicketState};
use uuid::Uuid;

use crate::{
    fakes::{FakeGame, FakeRanking, Mood, TROUBLE, bots, players},
    world::{Place, World, on_every_store, player, quick, soon, with_queues},
};

on_every_store!(
    four_tickets_become_one_table,
    replicas_share_the_queues,
    a_claim_left_behind_by_a_crash_is_finished,
    a_table_that_cannot_be_opened_holds_up_no_other,
    a_lost_answer_does_not_make_a_second_table,
    an_outage_of_the_game_service_is_waited_for,
    tickets_of_a_refused_table_wait_again,
);

const RANKED: &str = "ranked-brixental-4";
const BOTS_AT_ONCE: &str = r#"[{"id": "quick", "kind": "casual", "ruleset": "brixental",
    "players": 4, "bots_after_ms": 0}]"#;

/// Passes come at once, and so do repairs.
fn eager() -> Config {
    Config {
        repair_after: Duration::ZERO,
        ..quick()
    }
}

async fn enqueue_four(world: &World) -> Vec<v1::Ticket> {
    let mut tickets = Vec::new();
    for number in 1..5 {
        tickets.push(world.enqueue(player(number), RANKED).await.unwrap());
    }
    tickets
}

/// All four play at the only table there is.
async fn assert_one_table(world: &World, tickets: &[v1::Ticket]) {
    let mut matched = BTreeSet::new();
    for ticket in tickets {
        matched.insert(world.matched(ticket).await);
    }
    let tables = world.game.tables();
    assert_eq!(tables.len(), 1, "{tables:?}");
    assert_eq!(matched, BTreeSet::from([tables[0].table_id.clone()]));
    let seated: BTreeSet<Option<Uuid>> = players(&tables[0]).into_iter().collect();
    assert_eq!(seated, (1..5).map(|number| Some(player(number))).collect());
}

async fn four_tickets_become_one_table(place: Place) {
    let world = World::start(&place, quick());
    let tickets = enqueue_four(&world).await;
    assert_one_table(&world, &tickets).await;
    let table = &world.game.tables()[0];
    assert_eq!(table.kind(), v1::TableKind::Ranked);
    assert_eq!(
        (table.queue.as_str(), table.ladder.as_str()),
        (RANKED, "brixental")
    );
    assert_eq!(table.invite_code, "");
    let rules = table.rules.as_ref().unwrap();
    assert_eq!((rules.ruleset.as_str(), rules.players), ("brixental", 4));
    assert_eq!(rules.options["length"], "rounds(2)");
    let expected = v1::TimeControl {
        move_ms: 20_000,
        bank_ms: 60_000,
        pause_ms: 5_000,
        bot_ms: 800,
    };
    assert_eq!(table.time_control, Some(expected));
    for seat in &table.seats {
        let Some(v1::occupant::Kind::Player(player)) = &seat.kind else {
            panic!("only people play ranked");
        };
        let id: Uuid = player.id.parse().unwrap();
        assert_eq!(player.name, format!("player {}", id.as_u128()));
    }
    world.stop().await;
}

async fn replicas_share_the_queues(place: Place) {
    let (game, ranking) = (FakeGame::default(), FakeRanking::default());
    let config = Config {
        lease: Duration::from_millis(10),
        ..eager()
    };
    let worlds =
        [0, 1, 2].map(|_| World::join(&place, config.clone(), game.clone(), ranking.clone()));
    let mut tickets = Vec::new();
    for number in 0..40 {
        let world = &worlds[number % worlds.len()];
        tickets.push(world.enqueue(player(number as u128), RANKED).await.unwrap());
    }
    for (number, ticket) in tickets.iter().enumerate() {
        let table = worlds[number % worlds.len()].matched(ticket).await;
        let tables = game.tables();
        let found = tables.iter().find(|other| other.table_id == table).unwrap();
        assert!(players(found).contains(&Some(player(number as u128))));
    }
    let seated: Vec<Uuid> = game.tables().iter().flat_map(players).flatten().collect();
    assert_eq!((game.tables().len(), seated.len()), (10, 40));
    for world in worlds {
        world.stop().await;
    }
}

/// Two players whose tickets were claimed when the server crashed, for a table with this code.
async fn crash(place: &Place, code: &str) -> (Proposal, v1::OpenTableRequest) {
    let store = place.store();
    let mut proposal = Proposal {
        table: Uuid::now_v7(),
        // Even when the queue is no more.
        queue: "ranked-of-yesterday".to_owned(),
        tickets: Vec::new(),
        request: Vec::new(),
        pairing: Vec::new(),
    };
    for number in 11..13 {
        let new = NewTicket {
            id: Uuid::now_v7(),
            queue: proposal.queue.clone(),
            player: player(number),
            player_name: "Toni".to_owned(),
            rating: 1_200,
            blocked: Vec::new(),
            protocol: 1,
            party: None,
            over: None,
        };
        match store.create(new).await.unwrap() {
            Created::Ticket(ticket) => proposal.tickets.push(ticket.id),
            other => panic!("{other:?}"),
        }
    }
    let request = v1::OpenTableRequest {
        table_id: proposal.table.to_string(),
        invite_code: code.to_owned(),
        ..v1::OpenTableRequest::default()
    };
    proposal.request = request.encode_to_vec();
    let holder = player(99);
    let lease = store.lease(&proposal.queue, holder, Duration::ZERO).await;
    let lease = lease.unwrap().expect("nobody else is there");
    let claim = store.claim(&lease, &proposal).await.unwrap();
    assert_eq!(claim, Claim::Claimed);
    (proposal, request)
}

async fn a_claim_left_behind_by_a_crash_is_finished(place: Place) {
    let (proposal, request) = crash(&place, "as it was").await;
    let world = World::start(&place, eager());
    for (number, ticket) in (11..13).zip(&proposal.tickets) {
        let ticket = ticket.to_string();
        let ticket = world.get(player(number), &ticket).await.unwrap();
        assert_eq!(world.matched(&ticket).await, proposal.table.to_string());
    }
    assert_eq!(world.game.tables(), [request]);
    world.stop().await;
}

async fn a_table_that_cannot_be_opened_holds_up_no_other(place: Place) {
    let (proposal, _) = crash(&place, TROUBLE).await;
    let world = World::start(&place, eager());
    soon(world.game.called(1)).await;
    let tickets = enqueue_four(&world).await;
    assert_one_table(&world, &tickets).await;
    // It may be open after all, so its players are not sent elsewhere.
    let stuck = world.live(player(11)).await.unwrap();
    assert_eq!(stuck.id, proposal.tickets[0].to_string());
    assert_eq!(stuck.state(), TicketState::Proposed);
    world.stop().await;
}

async fn a_lost_answer_does_not_make_a_second_table(place: Place) {
    let world = World::start(&place, eager());
    world.game.set_mood(Mood::Mumbling);
    let tickets = enqueue_four(&world).await;
    soon(world.game.called(2)).await;
    assert_eq!(world.game.tables().len(), 1);
    world.game.set_mood(Mood::Willing);
    assert_one_table(&world, &tickets).await;
    world.stop().await;
}

async fn an_outage_of_the_game_service_is_waited_for(place: Place) {
    let world = World::start(&place, eager());
    world.game.set_mood(Mood::Down);
    let tickets = enqueue_four(&world).await;
    soon(world.game.called(2)).await;
    let held = world.get(player(1), &tickets[0].id).await.unwrap();
    assert_eq!(held.state(), TicketState::Proposed);
    let refused = world.cancel(player(1), &tickets[0].id).await.unwrap_err();
    assert_eq!(refused.code, chassis::ErrorCode::AlreadyMatched);
    world.game.set_mood(Mood::Willing);
    assert_one_table(&world, &tickets).await;
    world.stop().await;
}

async fn tickets_of_a_refused_table_wait_again(place: Place) {
    let world = World::start(&place, eager());
    world.game.set_mood(Mood::Refusing);
    let tickets = enqueue_four(&world).await;
    // The second call is for another table: the tickets were put back after the first.
    soon(world.game.called(2)).await;
    world.game.set_mood(Mood::Willing);
    assert_one_table(&world, &tickets).await;
    world.stop().await;
}

#[tokio::test]
async fn bots_fill_a_casual_table() {
    let place = Place::embedded().await;
    let world = World::start(&place, with_queues(BOTS_AT_ONCE));
    let ticket = world.enqueue(player(1), "quick").await.unwrap();
    let id = world.matched(&ticket).await;
    let table = &world.game.tables()[0];
    assert_eq!(table.table_id, id);
    assert_eq!(table.kind(), v1::TableKind::Casual);
    assert_eq!((table.ladder.as_str(), bots(table)), ("", 3));
    let people: Vec<Uuid> = players(table).into_iter().flatten().collect();
    assert_eq!(people, [player(1)]);
}

#[tokio::test]
async fn everybody_sits_anywhere() {
    let place = Place::embedded().await;
    let world = World::start(&place, with_queues(BOTS_AT_ONCE));
    // Missing one of four seats in 100 draws has a chance below 1e-11.
    for number in 1..=100 {
        let ticket = world.enqueue(player(number), "quick").await.unwrap();
        world.matched(&ticket).await;
    }
    let seat = |table: &v1::OpenTableRequest| players(table).iter().position(Option::is_some);
    let seats: BTreeSet<_> = world.game.tables().iter().map(seat).collect();
    assert_eq!(seats, (0..4).map(Some).collect());
}

#[tokio::test]
async fn a_ranked_table_keeps_to_the_rating_windows() {
    let place = Place::embedded().await;
    let config = Config {
        window: Window {
            per_second: 0,
            unlimited_after: Duration::from_secs(3_600),
            ..Window::default()
        },
        ..quick()
    };
    let world = World::start(&place, config);
    for (number, rating) in [(1, 1_200), (2, 1_500), (3, 1_290), (4, 1_210)] {
        world.ranking.rate(player(number), rating);
        world.enqueue(player(number), RANKED).await.unwrap();
    }
    world.ranking.rate(player(5), 1_250);
    let ticket = world.enqueue(player(5), RANKED).await.unwrap();
    world.matched(&ticket).await;
    let seated: BTreeSet<_> = players(&world.game.tables()[0]).into_iter().collect();
    assert_eq!(
        seated,
        [1, 3, 4, 5].map(|number| Some(player(number))).into()
    );
    let left = world.live(player(2)).await.unwrap();
    assert_eq!(left.state(), TicketState::Waiting);
}

#[tokio::test]
async fn a_ticket_for_which_nobody_comes_expires() {
    let place = Place::embedded().await;
    let config = Config {
        expire_after: Duration::from_millis(1),
        ..quick()
    };
    let world = World::start(&place, config);
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    let ended = world.settled(&ticket).await;
    assert_eq!(ended.state(), TicketState::Expired);
    assert_eq!(ended.reason(), v1::EndReason::NobodyFound);
    let after = world.cancel(player(1), &ticket.id).await.unwrap();
    assert_eq!(after.state(), TicketState::Expired);
    assert_eq!(world.live(player(1)).await, None);
}
