//! What a player can do with tickets.

use chassis::{ErrorCode, rpc};
use futures::StreamExt as _;
use proto::v1::{self, TicketState, party_request::Kind};

use crate::{
    fakes::players,
    world::{Place, World, player, quick, soon, ticket_request},
};

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
}

#[tokio::test]
async fn who_sits_at_a_table_cannot_queue_on_any_device_until_the_match_is_over() {
    let (_place, world) = world().await;
    let mut tickets = Vec::new();
    for number in 1..5 {
        tickets.push(world.enqueue(player(number), RANKED).await.unwrap());
    }
    let table = world.matched(&tickets[0]).await;
    for queue in [RANKED, CASUAL] {
        let refused = world.enqueue(player(1), queue).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::AlreadyPlaying);
        assert_eq!(refused.params["table_id"], table);
    }
    world.game.end(&table);
    world.enqueue(player(1), RANKED).await.unwrap();
}

#[tokio::test]
async fn a_client_that_speaks_another_protocol_is_told_which_ones_there_are() {
    let (_place, world) = world().await;
    let with_version = |version: u32| v1::CreateTicketRequest {
        protocol_version: version.into(),
        ..ticket_request(player(1), RANKED)
    };
    let refused = world.create(player(1), with_version(2)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnsupportedProtocol);
    assert_eq!(refused.detail, "expected a protocol_version of 1 to 1");
    let refused = world.create(player(1), with_version(0)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnsupportedProtocol);
    world.create(player(1), with_version(1)).await.unwrap();
}

#[tokio::test]
async fn players_who_block_each_other_are_not_seated_together() {
    let (_place, world) = world().await;
    let unfriendly = v1::CreateTicketRequest {
        blocked_ids: vec![player(2).to_string()],
        ..ticket_request(player(1), RANKED)
    };
    let first = world.create(player(1), unfriendly).await.unwrap();
    for number in 2..6 {
        world.enqueue(player(number), RANKED).await.unwrap();
    }
    world.matched(&first).await;
    let left = world.live(player(2)).await.unwrap();
    assert_eq!(left.state(), TicketState::Waiting);
    for ids in [vec!["x".to_owned()], vec![player(3).to_string(); 101]] {
        let request = v1::CreateTicketRequest {
            blocked_ids: ids,
            ..ticket_request(player(9), RANKED)
        };
        let refused = world.create(player(9), request).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::BadRequest);
    }
}

#[tokio::test]
async fn a_block_counts_for_a_ticket_that_waits_already() {
    let (_place, world) = world().await;
    world.enqueue(player(1), RANKED).await.unwrap();
    let request = v1::SetBlockedRequest {
        blocked_ids: vec![player(2).to_string()],
    };
    let request = rpc::request(request, Some(player(1)), "");
    soon(world.client.clone().set_blocked(request))
        .await
        .unwrap();
    for number in 2..5 {
        world.enqueue(player(number), RANKED).await.unwrap();
    }
    let fifth = world.enqueue(player(5), RANKED).await.unwrap();
    world.matched(&fifth).await;
    let seated: Vec<_> = players(&world.game.tables()[0]);
    assert!(!(seated.contains(&Some(player(1))) && seated.contains(&Some(player(2)))));
}

/// A ticket with a party.
async fn with_party(
    world: &World,
    number: u128,
    queue: &str,
    kind: Kind,
) -> Result<v1::Ticket, chassis::Failure> {
    let request = v1::CreateTicketRequest {
        party: Some(v1::PartyRequest { kind: Some(kind) }),
        ..ticket_request(player(number), queue)
    };
    world.create(player(number), request).await
}

#[tokio::test]
async fn friends_with_a_code_sit_at_one_table() {
    let (_place, world) = world().await;
    let first = with_party(&world, 1, CASUAL, Kind::Size(3)).await.unwrap();
    let party = first.party.unwrap();
    assert_eq!((party.size, party.joined), (3, 1));
    for number in 11..14 {
        world.enqueue(player(number), CASUAL).await.unwrap();
    }
    let code = Kind::Code(format!(" {} ", party.code.to_lowercase()));
    let mut joined = Vec::new();
    for number in 2..4 {
        joined.push(
            with_party(&world, number, CASUAL, code.clone())
                .await
                .unwrap(),
        );
    }
    let table = world.matched(&joined[1]).await;
    let tables = world.game.tables();
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].table_id, table);
    let seated = players(&tables[0]);
    for number in 1..4 {
        assert!(seated.contains(&Some(player(number))), "{seated:?}");
    }
    let pairing = world.pairing(player(3), &table).await.unwrap();
    let parties: Vec<u32> = pairing.players.iter().map(|player| player.party).collect();
    assert_eq!(parties.iter().filter(|&&party| party == 1).count(), 3);
    assert_eq!(parties.len(), 4);
}

#[tokio::test]
async fn parties_are_for_casual_queues_and_as_large_as_a_table_at_most() {
    let (_place, world) = world().await;
    let not_allowed = ErrorCode::PartyNotAllowed;
    for (queue, kind, code) in [
        (RANKED, Kind::Size(2), not_allowed),
        (CASUAL, Kind::Size(1), not_allowed),
        (CASUAL, Kind::Size(5), not_allowed),
        (
            CASUAL,
            Kind::Code("K7QMXP".to_owned()),
            ErrorCode::PartyNotFound,
        ),
        (
            CASUAL,
            Kind::Code("no code".to_owned()),
            ErrorCode::PartyNotFound,
        ),
    ] {
        let refused = with_party(&world, 1, queue, kind).await.unwrap_err();
        assert_eq!(refused.code, code, "{refused}");
    }
}

#[tokio::test]
async fn a_waiting_ticket_tells_its_place_and_what_recent_matches_tell_of_the_wait() {
    let (_place, world) = world().await;
    let mut tickets = Vec::new();
    for number in 1..4 {
        let ticket = world.enqueue(player(number), RANKED).await.unwrap();
        assert_eq!(
            (ticket.position, ticket.expected_wait_ms),
            (Some(number as u32), None)
        );
        tickets.push(ticket);
    }
    // With the fourth there may be a match before there is an answer.
    world.enqueue(player(4), RANKED).await.unwrap();
    world.matched(&tickets[0]).await;
    let first = world.enqueue(player(5), RANKED).await.unwrap();
    assert_eq!(first.position, Some(1));
    let mut stream = world.watch(player(5), &first.id).await.unwrap();
    soon(stream.next()).await.unwrap().unwrap();
    world.cancel(player(5), &first.id).await.unwrap();
    let mut ended = soon(stream.next()).await.unwrap().unwrap();
    while ended.state() == v1::TicketState::Waiting {
        ended = soon(stream.next()).await.unwrap().unwrap();
    }
    assert_eq!(ended.reason(), v1::EndReason::Cancelled);
    assert_eq!((ended.position, ended.expected_wait_ms), (None, None));
}

#[tokio::test]
async fn a_match_tells_its_players_and_nobody_else_why_it_was_made() {
    let (place, world) = world().await;
    for number in 1..5 {
        world
            .ranking
            .rate(player(number), 1_200 + i32::try_from(number).unwrap());
    }
    let mut tickets = Vec::new();
    for number in 1..5 {
        tickets.push(world.enqueue(player(number), RANKED).await.unwrap());
    }
    let table = world.matched(&tickets[0]).await;
    let pairing = world.pairing(player(2), &table).await.unwrap();
    assert_eq!(
        (pairing.match_id.as_str(), pairing.queue_id.as_str()),
        (table.as_str(), RANKED)
    );
    assert_eq!((pairing.bots, pairing.spread, pairing.repeats), (0, 3, 0));
    let mut ratings: Vec<i32> = pairing.players.iter().map(|player| player.rating).collect();
    ratings.sort_unstable();
    assert_eq!(ratings, [1_201, 1_202, 1_203, 1_204]);
    assert!(
        pairing
            .players
            .iter()
            .all(|player| player.window >= Some(100))
    );
    for (number, id) in [(5, table.as_str()), (1, "x"), (1, &player(9).to_string())] {
        let refused = world.pairing(player(number), id).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::NotFound);
    }
    // It is kept for good, and then the same.
    world.stop().await;
    let store = place.store();
    let due = store.due_pairings(10).await.unwrap();
    place.pairings().save(&due).await.unwrap();
    place.pairings().save(&due).await.unwrap();
    let id = table.parse().unwrap();
    store.forget_pairings(&[id]).await.unwrap();
    let kept = place.pairings().get(id).await.unwrap();
    assert_eq!(kept, Some(pairing.clone()));
    let made_ms = pairing.made_ms;
    let since = place.pairings().since(made_ms - 1, 10).await.unwrap();
    assert_eq!(since, [pairing]);
    assert_eq!(place.pairings().since(made_ms, 10).await.unwrap(), []);
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
            ..v1::CreateTicketRequest::default()
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
        assert_ne!(proposed.state(), TicketState::Cancelled);
        assert_eq!(
            proposed.table_id, "",
            "a table that may never open is not told"
        );
    }
}

#[tokio::test]
async fn both_devices_are_told_of_a_cancel_and_of_a_match() {
    let (_place, world) = world().await;
    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    let mut phone = world.watch(player(1), &ticket.id).await.unwrap();
    let mut tablet = world.watch(player(1), &ticket.id).await.unwrap();
    for device in [&mut phone, &mut tablet] {
        assert_eq!(soon(device.next()).await.unwrap().unwrap(), ticket);
    }
    world.cancel(player(1), &ticket.id).await.unwrap();
    for device in [phone, tablet] {
        let rest: Vec<_> = soon(device.collect()).await;
        let last = rest.last().unwrap().as_ref().unwrap();
        assert_eq!(last.state(), TicketState::Cancelled);
        assert_eq!(last.reason(), v1::EndReason::Cancelled);
    }

    let ticket = world.enqueue(player(1), RANKED).await.unwrap();
    let phone = world.watch(player(1), &ticket.id).await.unwrap();
    let tablet = world.watch(player(1), &ticket.id).await.unwrap();
    for number in 2..5 {
        world.enqueue(player(number), RANKED).await.unwrap();
    }
    for device in [phone, tablet] {
        let told: Vec<_> = soon(device.collect()).await;
        let last = told.last().unwrap().as_ref().unwrap();
        assert_eq!(last.state(), TicketState::Matched);
        assert_eq!(last.table_id, world.game.tables()[0].table_id);
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
