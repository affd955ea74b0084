//! The contract of the ticket store.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use matchmaking::store::{
    Claim, Created, Lease, NewTicket, Proposal, RECENT_MAX, Ticket, TicketState, TicketStore,
};
use uuid::Uuid;

use crate::world::{Place, on_every_store, player, soon};

on_every_store!(
    a_player_has_one_live_ticket,
    a_ticket_reads_back_as_it_was_made,
    a_cancelled_ticket_frees_its_player,
    only_the_own_ticket_can_be_cancelled,
    either_the_cancel_wins_or_the_claim,
    a_claim_takes_all_tickets_or_none,
    a_ticket_is_claimed_for_one_table_only,
    a_queue_has_one_holder_at_a_time,
    a_stale_holder_changes_nothing,
    matched_players_are_free_and_remembered_as_opponents,
    settling_is_a_fact_that_needs_no_lease,
    refused_tickets_wait_again_with_their_age,
    proposals_are_found_by_age,
    waiting_tickets_expire_and_no_others,
    settled_tickets_are_forgotten,
    the_oldest_wait_first_in_line,
    an_invite_code_leads_to_one_table,
    an_invite_code_ends,
    a_watcher_hears_of_every_step,
    an_arrival_wakes_the_matcher,
);

const HOUR: Duration = Duration::from_secs(3_600);
pub(crate) const QUEUE: &str = "ranked-brixental-4";

pub(crate) fn new(number: u128, queue: &str) -> NewTicket {
    NewTicket {
        id: Uuid::now_v7(),
        queue: queue.to_owned(),
        player: player(number),
        player_name: format!("Toni {number} »{{}},:\n'\""),
        rating: -7,
        blocked: vec![player(900), player(901)],
        protocol: 1,
        party: None,
        over: None,
    }
}

pub(crate) async fn create(store: &Arc<dyn TicketStore>, ticket: NewTicket) -> Ticket {
    match store.create(ticket).await.unwrap() {
        Created::Ticket(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

/// A ticket of a player whose earlier tables are over.
pub(crate) async fn enqueue(store: &Arc<dyn TicketStore>, number: u128) -> Ticket {
    let mut ticket = new(number, QUEUE);
    if let Created::Seated(table) = store.create(ticket.clone()).await.unwrap() {
        ticket.over = Some(table);
    } else {
        let live = store.live(player(number)).await.unwrap();
        return live.expect("it was made");
    }
    create(store, ticket).await
}

pub(crate) async fn take(store: &Arc<dyn TicketStore>) -> Lease {
    let lease = store.lease(QUEUE, player(1_000), HOUR).await.unwrap();
    lease.expect("nobody else holds the lease")
}

fn proposal(tickets: &[&Ticket]) -> Proposal {
    Proposal {
        table: Uuid::now_v7(),
        queue: QUEUE.to_owned(),
        tickets: tickets.iter().map(|ticket| ticket.id).collect(),
        request: vec![0, 255, 10, 13, 0],
        pairing: vec![255, 0, 7],
    }
}

/// Claims tickets that wait.
pub(crate) async fn propose(store: &Arc<dyn TicketStore>, tickets: &[&Ticket]) -> Proposal {
    let proposal = proposal(tickets);
    let claim = store.claim(&take(store).await, &proposal).await.unwrap();
    assert_eq!(claim, Claim::Claimed);
    proposal
}

async fn state(store: &Arc<dyn TicketStore>, ticket: &Ticket) -> TicketState {
    store.get(ticket.id).await.unwrap().unwrap().state
}

async fn a_player_has_one_live_ticket(place: Place) {
    let store = place.store();
    let attempts = (0..50).map(|i| {
        let store = Arc::clone(&store);
        let queue = if i % 2 == 0 {
            QUEUE
        } else {
            "casual-brixental-3"
        };
        tokio::spawn(async move { store.create(new(1, queue)).await.unwrap() })
    });
    let mut made = Vec::new();
    let mut refused = Vec::new();
    for attempt in join_all(attempts).await {
        match attempt.unwrap() {
            Created::Ticket(ticket) => made.push(ticket.id),
            Created::Exists(id) => refused.push(id),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(made.len(), 1);
    assert_eq!(refused, vec![made[0]; 49]);
    assert_eq!(store.live(player(1)).await.unwrap().unwrap().id, made[0]);
}

async fn a_ticket_reads_back_as_it_was_made(place: Place) {
    let store = place.store();
    let request = new(1, QUEUE);
    let Created::Ticket(made) = store.create(request.clone()).await.unwrap() else {
        panic!("nobody waits");
    };
    assert_eq!(
        (made.id, made.player, &made.player_name, made.rating),
        (request.id, request.player, &request.player_name, -7)
    );
    assert_eq!((made.state, made.table), (TicketState::Waiting, None));
    assert_eq!(store.get(made.id).await.unwrap(), Some(made.clone()));
    assert_eq!(store.live(player(1)).await.unwrap(), Some(made.clone()));
    let waiting = store.list_waiting(QUEUE, 10).await.unwrap();
    assert_eq!(waiting.tickets, std::slice::from_ref(&made));
    assert!(waiting.now_ms >= made.created_ms);
    assert_eq!(store.get(Uuid::now_v7()).await.unwrap(), None);
    assert_eq!(store.live(player(2)).await.unwrap(), None);
}

async fn a_cancelled_ticket_frees_its_player(place: Place) {
    let store = place.store();
    let first = enqueue(&store, 1).await;
    for _ in 0..2 {
        let after = store.cancel(first.id, player(1)).await.unwrap().unwrap();
        assert_eq!(after.state, TicketState::Cancelled);
    }
    assert_eq!(store.live(player(1)).await.unwrap(), None);
    assert!(
        store
            .list_waiting(QUEUE, 10)
            .await
            .unwrap()
            .tickets
            .is_empty()
    );
    let second = enqueue(&store, 1).await;
    assert_eq!(state(&store, &second).await, TicketState::Waiting);
    // The first one again must not free the player of the second.
    store.cancel(first.id, player(1)).await.unwrap();
    assert_eq!(store.live(player(1)).await.unwrap(), Some(second));
}

async fn only_the_own_ticket_can_be_cancelled(place: Place) {
    let store = place.store();
    let ticket = enqueue(&store, 1).await;
    assert_eq!(store.cancel(ticket.id, player(2)).await.unwrap(), None);
    assert_eq!(store.cancel(Uuid::now_v7(), player(1)).await.unwrap(), None);
    assert_eq!(state(&store, &ticket).await, TicketState::Waiting);
}

async fn either_the_cancel_wins_or_the_claim(place: Place) {
    let store = place.store();
    let lease = take(&store).await;
    for round in 0..60 {
        let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
        let proposal = proposal(&[&b, &a]);
        let cancel = {
            let (store, id) = (Arc::clone(&store), a.id);
            async move { store.cancel(id, player(1)).await.unwrap().unwrap().state }
        };
        let claim = {
            let (store, lease, proposal) = (Arc::clone(&store), lease.clone(), proposal.clone());
            async move { store.claim(&lease, &proposal).await.unwrap() }
        };
        // Neither always has the head start.
        let (cancel, claim) = if round % 2 == 0 {
            let cancel = tokio::spawn(cancel);
            let claim = tokio::spawn(claim);
            (cancel.await.unwrap(), claim.await.unwrap())
        } else {
            let claim = tokio::spawn(claim);
            let cancel = tokio::spawn(cancel);
            (cancel.await.unwrap(), claim.await.unwrap())
        };
        let states = (state(&store, &a).await, state(&store, &b).await);
        match claim {
            Claim::Claimed => {
                assert_eq!(cancel, TicketState::Proposed);
                assert_eq!(states, (TicketState::Proposed, TicketState::Proposed));
                assert!(store.settle(proposal.table).await.unwrap());
            }
            Claim::Taken => {
                assert_eq!(cancel, TicketState::Cancelled);
                assert_eq!(states, (TicketState::Cancelled, TicketState::Waiting));
                store.cancel(b.id, player(2)).await.unwrap();
            }
            Claim::Stale => panic!("the lease is held"),
        }
    }
}

async fn a_claim_takes_all_tickets_or_none(place: Place) {
    let store = place.store();
    let lease = take(&store).await;
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    store.cancel(b.id, player(2)).await.unwrap();
    let claim = store.claim(&lease, &proposal(&[&a, &b])).await.unwrap();
    assert_eq!(claim, Claim::Taken);
    let Created::Ticket(elsewhere) = store.create(new(3, "another")).await.unwrap() else {
        panic!("nobody waits");
    };
    let claim = store
        .claim(&lease, &proposal(&[&a, &elsewhere]))
        .await
        .unwrap();
    assert_eq!(claim, Claim::Taken);
    assert_eq!(store.get(a.id).await.unwrap(), Some(a));
    assert!(
        store
            .list_proposals(Duration::ZERO, 10)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn a_ticket_is_claimed_for_one_table_only(place: Place) {
    let store = place.store();
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let first = propose(&store, &[&a]).await;
    let lease = take(&store).await;
    let claim = store.claim(&lease, &proposal(&[&b, &a])).await.unwrap();
    assert_eq!(claim, Claim::Taken);
    let held = store.get(a.id).await.unwrap().unwrap();
    assert_eq!(
        (held.state, held.table),
        (TicketState::Proposed, Some(first.table))
    );
    assert_eq!(store.count_waiting(&[QUEUE.to_owned()]).await.unwrap(), [1]);
}

async fn a_queue_has_one_holder_at_a_time(place: Place) {
    let store = place.store();
    let [a, b] = [player(1), player(2)];
    let first = store.lease(QUEUE, a, HOUR).await.unwrap().unwrap();
    assert_eq!(store.lease(QUEUE, b, HOUR).await.unwrap(), None);
    assert!(store.lease("another", b, HOUR).await.unwrap().is_some());
    let renewed = store.lease(QUEUE, a, HOUR).await.unwrap();
    assert_eq!(renewed, Some(first.clone()));
    store.release(&first).await.unwrap();
    let second = store.lease(QUEUE, b, HOUR).await.unwrap().unwrap();
    assert!(second.token > first.token);
    assert_eq!(store.lease(QUEUE, a, HOUR).await.unwrap(), None);
    // What the first holder gives back now is not its own.
    store.release(&first).await.unwrap();
    assert_eq!(store.lease(QUEUE, a, HOUR).await.unwrap(), None);
}

async fn a_stale_holder_changes_nothing(place: Place) {
    let store = place.store();
    let [a, b] = [player(1), player(2)];
    let stale = store
        .lease(QUEUE, a, Duration::ZERO)
        .await
        .unwrap()
        .unwrap();
    let held = store.lease(QUEUE, b, HOUR).await.unwrap().unwrap();
    let (one, two) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let claim = store.claim(&stale, &proposal(&[&one, &two])).await.unwrap();
    assert_eq!(claim, Claim::Stale);
    assert_eq!(state(&store, &one).await, TicketState::Waiting);
    let proposal = proposal(&[&one, &two]);
    assert_eq!(store.claim(&held, &proposal).await.unwrap(), Claim::Claimed);
    assert!(!store.reopen(&stale, proposal.table).await.unwrap());
    assert_eq!(state(&store, &one).await, TicketState::Proposed);
    // Nor does somebody who made up the token.
    let forged = Lease { holder: a, ..held };
    assert!(!store.reopen(&forged, proposal.table).await.unwrap());
}

async fn matched_players_are_free_and_remembered_as_opponents(place: Place) {
    let store = place.store();
    let tickets = [
        enqueue(&store, 1).await,
        enqueue(&store, 2).await,
        enqueue(&store, 3).await,
    ];
    let proposal = propose(&store, &tickets.each_ref()).await;
    assert!(store.settle(proposal.table).await.unwrap());
    for ticket in &tickets {
        let matched = store.get(ticket.id).await.unwrap().unwrap();
        assert_eq!(matched.state, TicketState::Matched);
        assert_eq!(matched.table, Some(proposal.table));
        assert_eq!(store.live(ticket.player).await.unwrap(), None);
    }
    let mut recent = enqueue(&store, 1).await.recent;
    recent.sort_unstable();
    assert_eq!(recent, [player(2), player(3)]);
    assert!(enqueue(&store, 4).await.recent.is_empty());
    for round in 0..15 {
        let met = [
            enqueue(&store, 5).await,
            enqueue(&store, 100 + 3 * round).await,
            enqueue(&store, 101 + 3 * round).await,
            enqueue(&store, 102 + 3 * round).await,
        ];
        let proposal = propose(&store, &met.each_ref()).await;
        assert!(store.settle(proposal.table).await.unwrap());
    }
    assert_eq!(enqueue(&store, 5).await.recent.len(), RECENT_MAX);
}

async fn settling_is_a_fact_that_needs_no_lease(place: Place) {
    let store = place.store();
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let proposal = propose(&store, &[&a]).await;
    let lease = take(&store).await;
    store.release(&lease).await.unwrap();
    let other = store.lease(QUEUE, player(7), HOUR).await.unwrap().unwrap();
    assert!(store.settle(proposal.table).await.unwrap());
    assert!(!store.settle(proposal.table).await.unwrap());
    // Once settled, nobody puts it back.
    assert!(!store.reopen(&other, proposal.table).await.unwrap());
    assert_eq!(state(&store, &a).await, TicketState::Matched);
    assert_eq!(state(&store, &b).await, TicketState::Waiting);
    assert!(!store.settle(Uuid::now_v7()).await.unwrap());
}

async fn refused_tickets_wait_again_with_their_age(place: Place) {
    let store = place.store();
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let proposal = propose(&store, &[&b, &a]).await;
    let lease = take(&store).await;
    assert!(store.reopen(&lease, proposal.table).await.unwrap());
    assert!(!store.reopen(&lease, proposal.table).await.unwrap());
    assert!(!store.settle(proposal.table).await.unwrap());
    let waiting = store.list_waiting(QUEUE, 10).await.unwrap();
    assert_eq!(waiting.tickets, [a.clone(), b]);
    let after = store.cancel(a.id, player(1)).await.unwrap().unwrap();
    assert_eq!(after.state, TicketState::Cancelled);
}

async fn proposals_are_found_by_age(place: Place) {
    let store = place.store();
    let (a, b) = (enqueue(&store, 1).await, enqueue(&store, 2).await);
    let mut expected = propose(&store, &[&a, &b]).await;
    expected.tickets.sort_unstable();
    assert!(store.list_proposals(HOUR, 10).await.unwrap().is_empty());
    assert!(
        store
            .list_proposals(Duration::ZERO, 0)
            .await
            .unwrap()
            .is_empty()
    );
    let mut found = store.list_proposals(Duration::ZERO, 10).await.unwrap();
    for proposal in &mut found {
        proposal.tickets.sort_unstable();
    }
    assert_eq!(found, [expected]);
}

async fn waiting_tickets_expire_and_no_others(place: Place) {
    let store = place.store();
    let proposed = enqueue(&store, 1).await;
    propose(&store, &[&proposed]).await;
    let mut waiting = Vec::new();
    for number in 2..5 {
        waiting.push(enqueue(&store, number).await);
    }
    assert_eq!(store.sweep(HOUR, 10).await.unwrap(), 0);
    assert_eq!(state(&store, &waiting[0]).await, TicketState::Waiting);
    assert_eq!(store.sweep(Duration::ZERO, 2).await.unwrap(), 2);
    assert_eq!(store.sweep(Duration::ZERO, 2).await.unwrap(), 1);
    assert_eq!(store.sweep(Duration::ZERO, 2).await.unwrap(), 0);
    for ticket in &waiting {
        assert_eq!(state(&store, ticket).await, TicketState::Expired);
        assert_eq!(store.live(ticket.player).await.unwrap(), None);
    }
    assert_eq!(state(&store, &proposed).await, TicketState::Proposed);
    assert_eq!(store.count_waiting(&[QUEUE.to_owned()]).await.unwrap(), [0]);
}

async fn settled_tickets_are_forgotten(place: Place) {
    let store = place.store_that_keeps(Duration::ZERO);
    let cancelled = enqueue(&store, 1).await;
    store.cancel(cancelled.id, player(1)).await.unwrap();
    let (a, b) = (enqueue(&store, 2).await, enqueue(&store, 3).await);
    let proposal = propose(&store, &[&a, &b]).await;
    assert!(store.settle(proposal.table).await.unwrap());
    let waiting = enqueue(&store, 4).await;
    assert_eq!(store.sweep(HOUR, 10).await.unwrap(), 0);
    for ticket in [cancelled, a, b] {
        assert_eq!(store.get(ticket.id).await.unwrap(), None);
    }
    assert!(enqueue(&store, 2).await.recent.is_empty());
    assert_eq!(state(&store, &waiting).await, TicketState::Waiting);
}

async fn the_oldest_wait_first_in_line(place: Place) {
    let store = place.store();
    let mut made = Vec::new();
    for number in 1..6 {
        made.push(enqueue(&store, number).await);
    }
    made.sort_by_key(|ticket| (ticket.created_ms, ticket.id));
    let waiting = store.list_waiting(QUEUE, 3).await.unwrap();
    assert_eq!(waiting.tickets, made[..3]);
    let queues = ["nothing".to_owned(), QUEUE.to_owned()];
    assert_eq!(store.count_waiting(&queues).await.unwrap(), [0, 5]);
    assert!(store.count_waiting(&[]).await.unwrap().is_empty());
}

async fn an_invite_code_leads_to_one_table(place: Place) {
    let store = place.store();
    let (table, other) = (Uuid::now_v7(), Uuid::now_v7());
    assert_eq!(store.invite("K7QMXP").await.unwrap(), None);
    assert!(store.add_invite("K7QMXP", table, HOUR).await.unwrap());
    assert!(!store.add_invite("K7QMXP", other, HOUR).await.unwrap());
    assert_eq!(store.invite("K7QMXP").await.unwrap(), Some(table));
    store.remove_invite("K7QMXP").await.unwrap();
    assert_eq!(store.invite("K7QMXP").await.unwrap(), None);
}

async fn an_invite_code_ends(place: Place) {
    let store = place.store();
    let (table, other) = (Uuid::now_v7(), Uuid::now_v7());
    assert!(
        store
            .add_invite("K7QMXP", table, Duration::ZERO)
            .await
            .unwrap()
    );
    assert_eq!(store.invite("K7QMXP").await.unwrap(), None);
    assert!(store.add_invite("K7QMXP", other, HOUR).await.unwrap());
    assert_eq!(store.invite("K7QMXP").await.unwrap(), Some(other));
}

async fn a_watcher_hears_of_every_step(place: Place) {
    let store = place.store();
    let ticket = enqueue(&store, 1).await;
    let mut watcher = store.watch(ticket.id);
    let proposal = propose(&store, &[&ticket]).await;
    soon(watcher.changed()).await;
    let mut watcher = store.watch(ticket.id);
    store
        .reopen(&take(&store).await, proposal.table)
        .await
        .unwrap();
    soon(watcher.changed()).await;
    let mut watcher = store.watch(ticket.id);
    let proposal = propose(&store, &[&ticket]).await;
    soon(watcher.changed()).await;
    let mut watcher = store.watch(ticket.id);
    store.settle(proposal.table).await.unwrap();
    soon(watcher.changed()).await;
    let [cancelled, expired] = [enqueue(&store, 2).await, enqueue(&store, 3).await];
    let mut watcher = store.watch(cancelled.id);
    store.cancel(cancelled.id, player(2)).await.unwrap();
    soon(watcher.changed()).await;
    let mut watcher = store.watch(expired.id);
    store.sweep(Duration::ZERO, 10).await.unwrap();
    soon(watcher.changed()).await;
}

async fn an_arrival_wakes_the_matcher(place: Place) {
    let store = place.store();
    enqueue(&store, 1).await;
    soon(store.arrival()).await;
}
