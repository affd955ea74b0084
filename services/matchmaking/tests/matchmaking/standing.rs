//! The contract of the ticket store: parties, blocks, and what tickets tell besides their state.

use std::time::Duration;

use matchmaking::store::{Created, EndReason, NewTicket, Party, PartyRequest, Standing, WAITS_MAX};
use uuid::Uuid;

use crate::{
    stores::{QUEUE, create, enqueue, new, propose, take},
    world::{Place, on_every_store, player, soon},
};

on_every_store!(
    a_player_may_sit_at_the_table_of_the_last_ticket,
    a_party_has_its_size_and_its_queue,
    a_party_is_gone_with_its_last_ticket,
    nobody_joins_a_party_with_somebody_blocked,
    tickets_say_why_they_ended,
    a_ticket_knows_its_place_in_the_queue,
    waits_of_matched_tickets_are_remembered,
    blocked_players_of_a_waiting_ticket_change,
    a_pairing_is_due_from_the_open_table_until_it_is_kept,
    members_of_a_party_hear_of_each_other,
);

fn in_party(number: u128, party: PartyRequest) -> NewTicket {
    NewTicket {
        party: Some(party),
        ..new(number, QUEUE)
    }
}

fn open(code: &str, size: u32) -> PartyRequest {
    PartyRequest::Open(Party {
        code: code.to_owned(),
        size,
    })
}

fn join(code: &str) -> PartyRequest {
    PartyRequest::Join(code.to_owned())
}

async fn a_player_may_sit_at_the_table_of_the_last_ticket(place: Place) {
    let store = place.store();
    let first = enqueue(&store, 1).await;
    let proposal = propose(&store, &[&first]).await;
    store.settle(proposal.table).await.unwrap();
    let mut again = new(1, QUEUE);
    let seated = Created::Seated(proposal.table);
    assert_eq!(store.create(again.clone()).await.unwrap(), seated);
    again.over = Some(Uuid::now_v7());
    assert_eq!(store.create(again.clone()).await.unwrap(), seated);
    again.over = Some(proposal.table);
    let second = create(&store, again.clone()).await;
    // What another device has learnt of the first table says nothing about the second.
    let proposal = propose(&store, &[&second]).await;
    store.settle(proposal.table).await.unwrap();
    again.id = Uuid::now_v7();
    let seated = Created::Seated(proposal.table);
    assert_eq!(store.create(again).await.unwrap(), seated);
}

async fn a_party_has_its_size_and_its_queue(place: Place) {
    let store = place.store();
    let stranger = in_party(9, join("K7QMXP"));
    let none = store.create(stranger.clone()).await.unwrap();
    assert_eq!(none, Created::NoParty);
    let first = create(&store, in_party(1, open("K7QMXP", 2))).await;
    let expected = Party {
        code: "K7QMXP".to_owned(),
        size: 2,
    };
    assert_eq!(first.party.as_ref(), Some(&expected));
    assert_eq!(store.get(first.id).await.unwrap(), Some(first.clone()));
    let taken = store.create(in_party(9, open("K7QMXP", 3))).await.unwrap();
    assert_eq!(taken, Created::CodeTaken);
    let elsewhere = NewTicket {
        queue: "another".to_owned(),
        ..stranger.clone()
    };
    assert_eq!(store.create(elsewhere).await.unwrap(), Created::NoParty);
    let other_protocol = NewTicket {
        protocol: 2,
        ..stranger.clone()
    };
    assert_eq!(
        store.create(other_protocol).await.unwrap(),
        Created::NoParty
    );
    let second = create(&store, in_party(2, join("K7QMXP"))).await;
    assert_eq!(second.party, Some(expected));
    assert_eq!(store.create(stranger).await.unwrap(), Created::NoParty);
    assert_eq!(store.standing(&first).await.unwrap().joined, 2);
}

async fn a_party_is_gone_with_its_last_ticket(place: Place) {
    let store = place.store();
    let first = create(&store, in_party(1, open("K7QMXP", 3))).await;
    let second = create(&store, in_party(2, join("K7QMXP"))).await;
    store.cancel(first.id, player(1)).await.unwrap();
    assert_eq!(store.standing(&second).await.unwrap().joined, 1);
    let proposal = propose(&store, &[&second]).await;
    // On its way to a table nobody joins it any more.
    let late = store.create(in_party(3, join("K7QMXP"))).await.unwrap();
    assert_eq!(late, Created::NoParty);
    store.settle(proposal.table).await.unwrap();
    let late = store.create(in_party(3, join("K7QMXP"))).await.unwrap();
    assert_eq!(late, Created::NoParty);
    create(&store, in_party(3, open("K7QMXP", 2))).await;
}

async fn nobody_joins_a_party_with_somebody_blocked(place: Place) {
    let store = place.store();
    create(&store, in_party(1, open("K7QMXP", 4))).await;
    let mut unfriendly = in_party(2, join("K7QMXP"));
    unfriendly.blocked = vec![player(7), player(1)];
    assert_eq!(store.create(unfriendly).await.unwrap(), Created::NoParty);
    // The other way round.
    let blocked = store.create(in_party(901, join("K7QMXP"))).await.unwrap();
    assert_eq!(blocked, Created::NoParty);
    create(&store, in_party(2, join("K7QMXP"))).await;
}

async fn tickets_say_why_they_ended(place: Place) {
    let store = place.store();
    let given_up = enqueue(&store, 1).await;
    store.cancel(given_up.id, player(1)).await.unwrap();
    let lonely = enqueue(&store, 2).await;
    let friends = create(&store, in_party(3, open("K7QMXP", 2))).await;
    store.sweep(Duration::ZERO, 10).await.unwrap();
    for (ticket, reason) in [
        (&given_up, EndReason::Cancelled),
        (&lonely, EndReason::NobodyFound),
        (&friends, EndReason::PartyIncomplete),
    ] {
        let ended = store.get(ticket.id).await.unwrap().unwrap();
        assert_eq!(ended.reason, Some(reason));
    }
}

async fn a_ticket_knows_its_place_in_the_queue(place: Place) {
    let store = place.store();
    let mut made = Vec::new();
    for number in 1..4 {
        made.push(enqueue(&store, number).await);
    }
    create(&store, new(4, "another")).await;
    made.sort_by_key(|ticket| (ticket.created_ms, ticket.id));
    let position = |position| Standing {
        position,
        joined: 0,
    };
    for (ticket, place) in made.iter().zip(1..) {
        let standing = store.standing(ticket).await.unwrap();
        assert_eq!(standing, position(Some(place)));
    }
    store.cancel(made[0].id, made[0].player).await.unwrap();
    assert_eq!(store.standing(&made[0]).await.unwrap(), position(None));
    assert_eq!(store.standing(&made[1]).await.unwrap(), position(Some(1)));
}

async fn waits_of_matched_tickets_are_remembered(place: Place) {
    let store = place.store();
    assert!(store.waits(QUEUE).await.unwrap().is_empty());
    let cancelled = enqueue(&store, 999).await;
    store.cancel(cancelled.id, player(999)).await.unwrap();
    for number in 0..WAITS_MAX as u128 / 2 + 1 {
        let (a, b) = (
            enqueue(&store, 2 * number).await,
            enqueue(&store, 2 * number + 1).await,
        );
        let proposal = propose(&store, &[&a, &b]).await;
        store.settle(proposal.table).await.unwrap();
    }
    let waits = store.waits(QUEUE).await.unwrap();
    assert_eq!(waits.len(), WAITS_MAX);
    assert!(
        waits.iter().all(|&wait| (0..30_000).contains(&wait)),
        "{waits:?}"
    );
    assert!(store.waits("another").await.unwrap().is_empty());
}

async fn blocked_players_of_a_waiting_ticket_change(place: Place) {
    let store = place.store();
    let ticket = enqueue(&store, 1).await;
    store.set_blocked(player(1), &[player(5)]).await.unwrap();
    let waiting = store.list_waiting(QUEUE, 10).await.unwrap();
    assert_eq!(waiting.tickets[0].blocked, [player(5)]);
    store.set_blocked(player(1), &[]).await.unwrap();
    store.set_blocked(player(2), &[player(5)]).await.unwrap();
    let found = store.get(ticket.id).await.unwrap().unwrap();
    assert!(found.blocked.is_empty());
}

async fn a_pairing_is_due_from_the_open_table_until_it_is_kept(place: Place) {
    let store = place.store();
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let proposal = propose(&store, &[&a]).await;
    assert_eq!(store.due_pairing(proposal.table).await.unwrap(), None);
    store.settle(proposal.table).await.unwrap();
    let due = vec![(proposal.table, proposal.pairing.clone())];
    assert_eq!(store.due_pairings(10).await.unwrap(), due);
    assert_eq!(store.due_pairings(0).await.unwrap(), []);
    let one = store.due_pairing(proposal.table).await.unwrap();
    assert_eq!(one.as_ref(), Some(&proposal.pairing));
    // Of a table that was refused there is nothing to tell.
    let refused = propose(&store, &[&b]).await;
    assert!(
        store
            .reopen(&take(&store).await, refused.table)
            .await
            .unwrap()
    );
    assert_eq!(store.due_pairings(10).await.unwrap(), due);
    store.forget_pairings(&[proposal.table]).await.unwrap();
    store.forget_pairings(&[]).await.unwrap();
    assert_eq!(store.due_pairings(10).await.unwrap(), []);
    assert_eq!(store.due_pairing(proposal.table).await.unwrap(), None);
}

async fn members_of_a_party_hear_of_each_other(place: Place) {
    let store = place.store();
    let first = create(&store, in_party(1, open("K7QMXP", 3))).await;
    let mut watcher = store.watch(first.id);
    let second = create(&store, in_party(2, join("K7QMXP"))).await;
    soon(watcher.changed()).await;
    let mut watcher = store.watch(first.id);
    store.cancel(second.id, player(2)).await.unwrap();
    soon(watcher.changed()).await;
}
