//! What a player can do with tickets.

use chassis::{ErrorCode, rpc};
use futures::StreamExt as _;
use proto::v1::{self, TicketState};

use crate::world::{Place, World, player, quick, soon};

const RANKED: &str = "ranked-brixental-4";
const CASUAL: &str = "casual-brixental-4";

async fn world() -> (Place, World) {
    let place = Place::embedded().await;
    let world = World::start(&place, quick());
    (place, world)
}

#[tokio::test]
async fn queues_say_what_is_played_and_how_many_wait() {
    let (_place, world) = world().await;
    world.enqueue(player(1), RANKED).await.unwrap();
    let request = rpc::request(v1::ListQueuesRequest {}, None, "");
    let listed = soon(world.client.clone().list_queues(request)).await;
    let queues = listed.unwrap().into_inner().queues;
    // Five games, two of them with three and with four players.
    assert_eq!(queues.len(), 2 * 7);
    let ranked = queues.iter().find(|queue| queue.id == RANKED).unwrap();
    assert_eq!(ranked.kind(), v1::TableKind::Ranked);
    assert_eq!((ranked.waiting, ranked.bots_after_ms), (1, None));
    let rules = ranked.rules.as_ref().unwrap();
    assert_eq!((rules.ruleset.as_str(), rules.players), ("brixental", 4));
    assert_eq!(rules.options["length"], "rounds(2)");
    assert_eq!(rules.options["max_thrown_in"], "3");
    let casual = queues.iter().find(|queue| queue.id == CASUAL).unwrap();
    assert_eq!((casual.waiting, casual.bots_after_ms), (0, Some(15_000)));
    assert_eq!(casual.time_control.unwrap().move_ms, 20_000);
}

#[tokio::test]
async fn a_second_ticket_is_refused_with_the_id_of_the_first() {
    let (_place, world) = world().await;
    let first = world.enqueue(player(1), RANKED).await.unwrap();
    assert_eq!(first.state(), TicketState::Waiting);
    assert_eq!((first.rating, first.table_id.as_str()), (1_200, ""));
    let refused = world.enqueue(player(1), CASUAL).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::TicketExists);
    assert_eq!(refused.params["ticket_id"], first.id);
    assert_eq!(world.live(player(1)).await, Some(first));
    assert_eq!(world.live(player(2)).await, None);
}

#[tokio::test]
async fn an_unknown_queue_is_not_found() {
    let (_place, world) = world().await;
    let refused = world
        .enqueue(player(1), "ranked-chess-2")
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::QueueNotFound);
}

#[tokio::test]
async fn a_ticket_exists_for_its_own_player_only() {
    let (_place, world) = world().await;
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    assert_eq!(world.get(player(1), &ticket.id).await, Ok(ticket.clone()));
    for id in [ticket.id.as_str(), &player(9).to_string(), "not-an-id"] {
        let not_found = Some(ErrorCode::TicketNotFound);
        let code = |failure: chassis::Failure| failure.code;
        assert_eq!(
            world.get(player(2), id).await.map_err(code).err(),
            not_found
        );
        assert_eq!(
            world.cancel(player(2), id).await.map_err(code).err(),
            not_found
        );
        assert_eq!(
            world.watch(player(2), id).await.map_err(code).err(),
            not_found
        );
    }
    assert_eq!(world.get(player(1), &ticket.id).await, Ok(ticket));
}

#[tokio::test]
async fn a_waiting_ticket_can_be_cancelled() {
    let (_place, world) = world().await;
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    for _ in 0..2 {
        let cancelled = world.cancel(player(1), &ticket.id).await.unwrap();
        assert_eq!(cancelled.state(), TicketState::Cancelled);
    }
    assert_eq!(world.live(player(1)).await, None);
    assert_eq!(world.settled(&ticket).await.state(), TicketState::Cancelled);
    world.enqueue(player(1), RANKED).await.unwrap();
}

#[tokio::test]
async fn a_matched_ticket_cannot_be_cancelled() {
    let (_place, world) = world().await;
    let mut tickets = Vec::new();
    for number in 1..5 {
        tickets.push(world.enqueue(player(number), RANKED).await.unwrap());
    }
    let table = world.matched(&tickets[0]).await;
    let refused = world.cancel(player(1), &tickets[0].id).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::AlreadyMatched);
    assert_eq!(refused.params["table_id"], table);
    // The player may queue again.
    world.enqueue(player(1), RANKED).await.unwrap();
}

#[tokio::test]
async fn a_ranked_ticket_needs_a_rating_and_a_casual_one_does_not() {
    let (_place, world) = world().await;
    world.ranking.rate(player(1), 1_777);
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    assert_eq!(ticket.rating, 1_777);
    world.ranking.go_down();
    let refused = world.enqueue(player(2), RANKED).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unavailable);
    let ticket = world.enqueue(player(2), CASUAL).await.unwrap();
    assert_eq!(ticket.rating, 1_200);
}

#[tokio::test]
async fn a_name_must_be_fit_for_the_others() {
    let (_place, world) = world().await;
    for name in ["", "a\nb", &"x".repeat(65)] {
        let request = v1::CreateTicketRequest {
            queue_id: RANKED.to_owned(),
            player_name: name.to_owned(),
        };
        let request = rpc::request(request, Some(player(1)), "");
        let refused = soon(world.client.clone().create_ticket(request)).await;
        let refused = chassis::Failure::from(refused.unwrap_err());
        assert_eq!(refused.code, ErrorCode::BadRequest);
    }
}

#[tokio::test]
async fn a_watcher_sees_the_ticket_wait_and_then_matched() {
    let (_place, world) = world().await;
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    let mut stream = world.watch(player(1), &ticket.id).await.unwrap();
    assert_eq!(soon(stream.next()).await.unwrap().unwrap(), ticket);
    for number in 2..5 {
        world.enqueue(player(number), RANKED).await.unwrap();
    }
    let rest: Vec<_> = soon(stream.collect()).await;
    let rest: Vec<v1::Ticket> = rest.into_iter().map(Result::unwrap).collect();
    let (last, before) = rest.split_last().unwrap();
    assert_eq!(last.state(), TicketState::Matched);
    assert_eq!(last.table_id, world.game.tables()[0].table_id);
    for proposed in before {
        assert_eq!(proposed.state(), TicketState::Proposed);
        assert_eq!(
            proposed.table_id, "",
            "a table that may never open is not told"
        );
    }
}

#[tokio::test]
async fn watchers_are_sent_away_when_the_server_stops() {
    let (_place, world) = world().await;
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    let mut stream = world.watch(player(1), &ticket.id).await.unwrap();
    soon(stream.next()).await.unwrap().unwrap();
    world.begin_stop();
    let end = soon(stream.next()).await.unwrap().unwrap_err();
    assert_eq!(chassis::Failure::from(end).code, ErrorCode::Unavailable);
    world.stop().await;
}
