//! Examples, and properties over random crowds against a search of every group.

use proptest::prelude::*;

use super::*;

const SECOND: i64 = 1_000;

/// A candidate with an id that follows from its number.
fn candidate(number: u128, rating: i32, created_ms: i64) -> Candidate {
    Candidate {
        ticket: Uuid::from_u128(number),
        player: Uuid::from_u128(1_000 + number),
        rating,
        created_ms,
        recent: Vec::new(),
        blocked: Vec::new(),
        protocol: 1,
        party: None,
    }
}

/// Puts candidates into a party.
fn gather(crowd: &mut [Candidate], code: &str, size: u32) {
    for candidate in crowd {
        candidate.party = Some(Party {
            code: code.to_owned(),
            size,
        });
    }
}

fn ranked(players: usize) -> Params {
    Params {
        players,
        window: Window::default(),
        bots_after: None,
        repeat_after: Duration::from_secs(20),
    }
}

fn casual(players: usize) -> Params {
    Params {
        bots_after: Some(Duration::from_secs(15)),
        ..ranked(players)
    }
}

/// The groups, as the candidates' places.
fn places(groups: &[Group]) -> Vec<Vec<usize>> {
    let of = |group: &Group| group.members.iter().map(|m| m.candidate).collect();
    groups.iter().map(of).collect()
}

#[test]
fn a_window_widens_with_waiting_until_every_rating_will_do() {
    let window = Window::default();
    assert_eq!(window.width(-5), Some(100));
    assert_eq!(window.width(0), Some(100));
    assert_eq!(window.width(2_500), Some(125));
    assert_eq!(window.width(59_999), Some(699));
    assert_eq!(window.width(60_000), None);
}

#[test]
fn the_oldest_ticket_gets_the_nearest_partners() {
    let crowd = [
        candidate(1, 1_250, 3),
        candidate(2, 1_200, 1),
        candidate(3, 1_290, 2),
        candidate(4, 1_190, 4),
        candidate(5, 1_230, 5),
    ];
    assert_eq!(places(&run(&crowd, &ranked(3), 10)), [vec![1, 3, 4]]);
}

#[test]
fn too_few_tickets_wait() {
    let crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 0)];
    assert_eq!(run(&crowd, &ranked(3), 3_600 * SECOND), []);
}

#[test]
fn both_windows_must_be_wide_enough() {
    // The first has waited 20 s: 300 points; the second has just come: 100 points.
    let crowd = [candidate(1, 1_200, 0), candidate(2, 1_350, 20 * SECOND)];
    assert_eq!(run(&crowd, &ranked(2), 20 * SECOND), []);
    assert_eq!(run(&crowd, &ranked(2), 25 * SECOND).len(), 1);
}

#[test]
fn a_partner_who_fits_nobody_else_is_passed_over() {
    // 1,110 is nearest to the oldest, but its young window does not reach 1,295 and 1,300.
    let crowd = [
        candidate(1, 1_200, 0),
        candidate(2, 1_110, 10 * SECOND),
        candidate(3, 1_295, 0),
        candidate(4, 1_300, 0),
    ];
    let groups = run(&crowd, &ranked(3), 10 * SECOND);
    assert_eq!(places(&groups), [vec![0, 2, 3]]);
    assert_eq!(groups[0].spread, 100);
}

#[test]
fn a_group_says_why_it_was_made() {
    let crowd = [candidate(1, 1_200, 0), candidate(2, 1_150, 60 * SECOND)];
    let groups = run(&crowd, &ranked(2), 61 * SECOND);
    assert_eq!(groups[0].spread, 50);
    assert_eq!((groups[0].bots, groups[0].repeats), (0, 0));
    let waits: Vec<_> = groups[0]
        .members
        .iter()
        .map(|m| (m.waited_ms, m.window))
        .collect();
    assert_eq!(waits, [(61 * SECOND, None), (SECOND, Some(110))]);
}

#[test]
fn recent_opponents_are_kept_apart_while_others_are_there() {
    let mut crowd = [
        candidate(1, 1_200, 0),
        candidate(2, 1_200, 1),
        candidate(3, 1_290, 2),
    ];
    crowd[1].recent = vec![crowd[0].player];
    assert_eq!(places(&run(&crowd, &ranked(2), 10)), [vec![0, 2]]);
}

#[test]
fn recent_opponents_meet_again_when_the_oldest_has_waited() {
    let mut crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 19 * SECOND)];
    crowd[0].recent = vec![crowd[1].player];
    assert_eq!(run(&crowd, &ranked(2), 20 * SECOND - 1), []);
    assert_eq!(run(&crowd, &ranked(2), 20 * SECOND)[0].repeats, 1);
}

#[test]
fn bots_fill_a_casual_table_after_a_while_and_never_a_ranked_one() {
    let crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 14 * SECOND)];
    assert_eq!(run(&crowd, &casual(4), 15 * SECOND - 1), []);
    assert_eq!(run(&crowd, &ranked(4), 15 * SECOND), []);
    let groups = run(&crowd, &casual(4), 15 * SECOND);
    assert_eq!(places(&groups), [vec![0, 1]]);
    assert_eq!(groups[0].bots, 2);
}

#[test]
fn people_who_met_before_rather_meet_again_than_play_with_bots() {
    let mut crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 0)];
    crowd[0].recent = vec![crowd[1].player];
    let groups = run(&crowd, &casual(4), 15 * SECOND);
    assert_eq!(places(&groups), [vec![0, 1]]);
}

#[test]
fn a_lonely_player_gets_a_table_of_bots() {
    let crowd = [candidate(1, 1_200, 0), candidate(2, 2_200, 15 * SECOND)];
    let groups = run(&crowd, &casual(4), 15 * SECOND);
    assert_eq!(places(&groups), [vec![0]]);
    assert_eq!(groups[0].bots, 3);
}

#[test]
fn a_crowd_of_equals_is_seated_to_the_last_table() {
    let crowd: Vec<_> = (0..10_001).map(|i| candidate(i, 1_200, 0)).collect();
    let groups = run(&crowd, &ranked(4), 0);
    assert_eq!(groups.len(), 2_500);
}

#[test]
fn blocked_players_never_meet_however_long_they_wait() {
    let mut crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 0)];
    crowd[1].blocked = vec![crowd[0].player];
    assert_eq!(run(&crowd, &ranked(2), 3_600 * SECOND), []);
    let groups = run(&crowd, &casual(2), 3_600 * SECOND);
    assert_eq!(places(&groups), [vec![0], vec![1]]);
}

#[test]
fn clients_of_different_protocols_never_meet() {
    let mut crowd = [1, 2, 3, 4].map(|number| candidate(number, 1_200, 0));
    crowd[0].protocol = 2;
    crowd[3].protocol = 2;
    assert_eq!(
        places(&run(&crowd, &ranked(2), 0)),
        [vec![0, 3], vec![1, 2]]
    );
}

#[test]
fn a_party_sits_together_with_whoever_is_nearest_to_its_mean() {
    let mut crowd = [
        candidate(1, 1_000, 3),
        candidate(2, 1_300, 3),
        candidate(3, 1_160, 5),
        candidate(4, 1_090, 6),
        candidate(5, 1_145, 7),
    ];
    gather(&mut crowd[..2], "K7QMXP", 2);
    let groups = run(&crowd, &casual(4), 10);
    assert_eq!(places(&groups), [vec![0, 1, 2, 4]]);
    let parties: Vec<u32> = groups[0].members.iter().map(|m| m.party).collect();
    assert_eq!((parties, groups[0].spread), (vec![1, 1, 0, 0], 300));
}

#[test]
fn two_parties_may_share_a_table_and_one_that_is_too_large_may_not() {
    let mut crowd: Vec<Candidate> = (1..6).map(|n| candidate(n, 1_200, n as i64)).collect();
    gather(&mut crowd[..2], "K7QMXP", 2);
    gather(&mut crowd[2..5], "X2X2X2", 3);
    assert_eq!(run(&crowd, &casual(4), 10), []);
    gather(&mut crowd[2..4], "B3B3B3", 2);
    crowd[4].party = None;
    let groups = run(&crowd, &casual(4), 10);
    assert_eq!(places(&groups), [vec![0, 1, 2, 3]]);
    let parties: Vec<u32> = groups[0].members.iter().map(|m| m.party).collect();
    assert_eq!(parties, [1, 1, 2, 2]);
}

#[test]
fn an_incomplete_party_waits_and_so_does_one_that_cannot_sit_together() {
    let mut crowd: Vec<Candidate> = (1..6).map(|n| candidate(n, 1_200, 0)).collect();
    gather(&mut crowd[..2], "K7QMXP", 3);
    assert_eq!(run(&crowd, &casual(4), 10), []);
    gather(&mut crowd[..2], "K7QMXP", 2);
    crowd[0].blocked = vec![crowd[1].player];
    assert_eq!(run(&crowd, &casual(4), 10), []);
}

#[test]
fn bots_fill_up_a_party_that_has_waited_since_it_was_complete() {
    let mut crowd = [candidate(1, 1_200, 0), candidate(2, 1_200, 60 * SECOND)];
    gather(&mut crowd, "K7QMXP", 2);
    assert_eq!(run(&crowd, &casual(4), 75 * SECOND - 1), []);
    let groups = run(&crowd, &casual(4), 75 * SECOND);
    assert_eq!(places(&groups), [vec![0, 1]]);
    assert_eq!((groups[0].bots, groups[0].repeats), (2, 0));
}

#[test]
fn a_player_for_whom_bots_are_due_rather_joins_a_party() {
    let mut crowd: Vec<Candidate> = (1..4).map(|n| candidate(n, 1_200, 15 * SECOND)).collect();
    crowd[0].created_ms = 0;
    gather(&mut crowd[1..], "K7QMXP", 2);
    let groups = run(&crowd, &casual(4), 15 * SECOND);
    assert_eq!(places(&groups), [vec![0, 1, 2]]);
    assert_eq!(groups[0].bots, 1);
}

/// Tickets with ratings near enough to each other that windows decide.
fn crowds(size: usize) -> impl Strategy<Value = Vec<Candidate>> {
    let numbers = || prop::collection::vec(0..size, 0..2);
    let ticket = (
        0..1_000_i32,
        0..90 * SECOND,
        numbers(),
        numbers(),
        prop::option::of(0..4_u32),
    );
    prop::collection::vec(ticket, 0..size).prop_map(|tickets| {
        let numbered = tickets.into_iter().enumerate();
        numbered
            .map(|(number, (rating, created_ms, met, blocked, party))| {
                let mut made = candidate(number as u128, rating, created_ms);
                let player = |number: usize| Uuid::from_u128(1_000 + number as u128);
                made.recent = met.into_iter().map(player).collect();
                made.blocked = blocked.into_iter().map(player).collect();
                made.party = party.map(|number| Party {
                    code: number.to_string(),
                    size: 2,
                });
                made
            })
            .collect()
    })
}

/// The smallest spread of a group with the oldest ticket, by trying every group.
fn smallest_spread(crowd: &[Candidate], params: &Params, now_ms: i64) -> Option<u32> {
    let pool = Pool::new(crowd, params, now_ms);
    let oldest = (0..crowd.len()).min_by_key(|&place| pool.age(place))?;
    (0_u32..1 << crowd.len())
        .filter(|set| set.count_ones() as usize == params.players && set >> oldest & 1 == 1)
        .map(|set| (0..crowd.len()).filter(|i| set >> i & 1 == 1).collect())
        .filter(|members: &Vec<usize>| pool.all_fit(members, true))
        .map(|members| pool.spread(&members))
        .min()
}

proptest! {
    #[test]
    fn groups_keep_every_rule(crowd in crowds(60), players in 2..5_usize, bots in any::<bool>()) {
        let now_ms = 90 * SECOND;
        let params = if bots { casual(players) } else { ranked(players) };
        let mut seen = std::collections::BTreeSet::new();
        for group in run(&crowd, &params, now_ms) {
            let oldest = group.members[0].waited_ms;
            prop_assert!(group.members.iter().all(|member| member.waited_ms <= oldest));
            let came_with = |code: &Party| {
                let party = |member: &&Member| crowd[member.candidate].party.as_ref() == Some(code);
                group.members.iter().filter(party).count()
            };
            prop_assert_eq!(group.members.len() + group.bots, players);
            prop_assert!(group.bots == 0 || (bots && oldest >= 15 * SECOND));
            let may_repeat = oldest >= if bots { 15 * SECOND } else { 20 * SECOND };
            prop_assert!(group.repeats == 0 || may_repeat);
            for (place, member) in group.members.iter().enumerate() {
                prop_assert!(seen.insert(member.ticket), "in two groups");
                let party = &crowd[member.candidate].party;
                prop_assert!(party.as_ref().is_none_or(|code| came_with(code) == 2));
                for other in &group.members[place + 1..] {
                    let (a, b) = (&crowd[member.candidate], &crowd[other.candidate]);
                    prop_assert!(!a.blocked.contains(&b.player) && !b.blocked.contains(&a.player));
                    let distance = a.rating.abs_diff(b.rating);
                    prop_assert!(distance <= group.spread);
                    if a.party.is_some() || b.party.is_some() {
                        continue;
                    }
                    for window in [member.window, other.window].into_iter().flatten() {
                        prop_assert!(distance <= window);
                    }
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_tickets_does_not_matter(
        (crowd, shuffled) in crowds(40)
            .prop_flat_map(|crowd| (Just(crowd.clone()), Just(crowd).prop_shuffle())),
    ) {
        let tickets = |crowd: &[Candidate]| -> Vec<Vec<Uuid>> {
            let groups = run(crowd, &casual(4), 90 * SECOND);
            groups.iter().map(|g| g.members.iter().map(|m| m.ticket).collect()).collect()
        };
        prop_assert_eq!(tickets(&crowd), tickets(&shuffled));
    }

    #[test]
    fn the_oldest_ticket_gets_the_closest_group_there_is(
        mut crowd in crowds(12),
        players in 2..5_usize,
    ) {
        for candidate in &mut crowd {
            candidate.recent.clear();
            candidate.blocked.clear();
            candidate.party = None;
        }
        let params = ranked(players);
        let oldest = crowd.iter().map(|c| (c.created_ms, c.ticket)).min();
        let groups = run(&crowd, &params, 90 * SECOND);
        let served = groups
            .iter()
            .find(|group| oldest.is_some_and(|(_, ticket)| group.members[0].ticket == ticket));
        prop_assert_eq!(
            served.map(|group| group.spread),
            smallest_spread(&crowd, &params, 90 * SECOND)
        );
    }

    #[test]
    fn after_long_waiting_nobody_is_left_who_could_play(
        mut crowd in crowds(60),
        players in 2..5_usize,
    ) {
        for candidate in &mut crowd {
            candidate.blocked.clear();
            candidate.party = None;
        }
        let groups = run(&crowd, &ranked(players), 3_600 * SECOND);
        prop_assert_eq!(groups.len(), crowd.len() / players);
    }
}
