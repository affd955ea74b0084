//! Messages as the services send them.

use proto::v1::{self as wire, Card, table_update};
use uuid::{Uuid, uuid};

pub(crate) const TABLE: Uuid = uuid!("0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e");
pub(crate) const OTHER: Uuid = uuid!("0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7f");
/// 2026-11-30T09:20:06.123Z
pub(crate) const NOW_MS: i64 = 1_796_030_406_123;

pub(crate) fn cards(cards: &[Card]) -> Vec<i32> {
    cards.iter().map(|&card| card.into()).collect()
}

pub(crate) fn rules() -> wire::Rules {
    let options = [
        ("length", "rounds(2)"),
        ("max_rounds", "12"),
        ("spatz_multiplied", "false"),
    ];
    wire::Rules {
        ruleset: "brixental".to_owned(),
        version: 1,
        players: 4,
        options: options.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
    }
}

pub(crate) fn times() -> wire::TimeControl {
    wire::TimeControl {
        move_ms: 20_000,
        bank_ms: 60_000,
        pause_ms: 5_000,
        bot_ms: 1_500,
    }
}

pub(crate) fn player(id: Uuid, name: &str) -> wire::Occupant {
    let player = wire::Player {
        id: id.to_string(),
        name: name.to_owned(),
    };
    wire::Occupant {
        kind: Some(wire::occupant::Kind::Player(player)),
    }
}

pub(crate) fn bot() -> wire::Occupant {
    let level = "standard".to_owned();
    wire::Occupant {
        kind: Some(wire::occupant::Kind::Bot(wire::Bot { level })),
    }
}

pub(crate) fn action(kind: wire::action::Kind) -> wire::Action {
    wire::Action { kind: Some(kind) }
}

pub(crate) fn play(card: Card) -> wire::Action {
    action(wire::action::Kind::Play(wire::Play { card: card.into() }))
}

pub(crate) fn score() -> wire::DealScore {
    wire::DealScore {
        number: 1,
        dealer: 0,
        declarer: Some(wire::DeclarerScore {
            seat: 1,
            contract: "look_in".to_owned(),
            card_points: Some(75),
            tricks: 5,
            made: true,
            value: 15,
            spatz: vec![],
            talon: cards(&[Card::E6, Card::G6, Card::H7, Card::S7]),
            discards: cards(&[Card::E6, Card::G6, Card::S6, Card::S7]),
            trump: "hearts".to_owned(),
            doubled_by: None,
            redoubled: false,
        }),
        points: vec![0, 15, 0, 0],
        totals: vec![0, 15, 0, 0],
        counted: true,
        stake: 0,
        pot: 0,
    }
}

pub(crate) fn result() -> wire::MatchResult {
    wire::MatchResult {
        scores: vec![0, 15, 0, -3],
        places: vec![2, 1, 2, 4],
        settlement: vec![-12, 57, -12, -33],
        abandoned: vec![false, false, true, false],
        pot_shares: vec![],
    }
}

fn seat(seat: u32, occupant: Option<wire::Occupant>) -> wire::SeatView {
    wire::SeatView {
        seat,
        occupant,
        ready: true,
        away: seat == 2,
        left: false,
        score: seat as i32 - 1,
        cards: 8,
        tricks: 1,
        bank_ms: 60_000,
    }
}

fn deal() -> wire::DealView {
    wire::DealView {
        number: 3,
        dealer: 1,
        forehand: 2,
        trump: "hearts".to_owned(),
        auction: vec![
            wire::AuctionCall {
                seat: 1,
                bid: String::new(),
                hold: true,
            },
            wire::AuctionCall {
                seat: 2,
                bid: "look_in".to_owned(),
                hold: false,
            },
            wire::AuctionCall {
                seat: 3,
                bid: String::new(),
                hold: false,
            },
        ],
        declaration: Some(wire::Declaration {
            declarer: 2,
            contract: "look_in".to_owned(),
            goal: wire::Goal::CardPoints.into(),
            target: 61,
        }),
        hand: cards(&[Card::Ha, Card::H6, Card::Ex]),
        talon: vec![],
        discards: vec![],
        trick: Some(wire::TrickView {
            leader: 2,
            cards: cards(&[Card::Ex, Card::E7]),
            winner: None,
            points: 0,
        }),
        last_trick: Some(wire::TrickView {
            leader: 1,
            cards: cards(&[Card::Ga, Card::Gx, Card::Gk, Card::G9]),
            winner: Some(1),
            points: 25,
        }),
        doubled_by: Some(0),
        redoubled: false,
    }
}

/// A table in its second trick.
pub(crate) fn view() -> wire::TableView {
    wire::TableView {
        table_id: TABLE.to_string(),
        version: 57,
        kind: wire::TableKind::Ranked.into(),
        queue: "ranked-brixental-4".to_owned(),
        ladder: "brixental".to_owned(),
        invite_code: String::new(),
        rules: Some(rules()),
        time_control: Some(times()),
        phase: wire::Phase::Play.into(),
        my_seat: Some(0),
        seats: vec![
            seat(0, Some(player(OTHER, "Anna"))),
            seat(1, Some(bot())),
            seat(2, None),
            seat(3, Some(wire::Occupant { kind: None })),
        ],
        deal: Some(deal()),
        turn: Some(wire::Turn {
            seat: 0,
            started_ms: NOW_MS - 2_000,
            deadline_ms: NOW_MS + 18_000,
        }),
        legal_actions: vec![
            wire::ActionChoice {
                kind: Some(wire::action_choice::Kind::Action(play(Card::Ha))),
            },
            wire::ActionChoice {
                kind: Some(wire::action_choice::Kind::Discard(wire::DiscardChoice {
                    count: 1,
                    from: cards(&[Card::H6, Card::Ex]),
                    aces_need_trumps: true,
                })),
            },
        ],
        score_sheet: vec![score()],
        result: None,
        rating_changes: vec![],
        seed_hash: vec![0xab; 2],
        server_seed: vec![],
        nonces: vec![vec![1, 2], vec![]],
        now_ms: NOW_MS,
        pot: Some(30),
    }
}

pub(crate) fn update(version: u64, kind: table_update::Kind) -> wire::TableUpdate {
    wire::TableUpdate {
        version,
        at_ms: NOW_MS,
        kind: Some(kind),
        ..wire::TableUpdate::default()
    }
}

pub(crate) fn seat_ready(version: u64, seat: u32) -> wire::TableUpdate {
    let seat = wire::SeatUpdate {
        seat,
        occupant: None,
        left: false,
    };
    update(version, table_update::Kind::SeatReady(seat))
}

pub(crate) fn ticket(id: Uuid, state: wire::TicketState) -> wire::Ticket {
    let matched = state == wire::TicketState::Matched;
    wire::Ticket {
        id: id.to_string(),
        queue_id: "casual-brixental-4".to_owned(),
        player_id: OTHER.to_string(),
        state: state.into(),
        table_id: if matched {
            TABLE.to_string()
        } else {
            String::new()
        },
        created_ms: NOW_MS,
        rating: 1200,
        ..wire::Ticket::default()
    }
}

pub(crate) fn queue() -> wire::Queue {
    wire::Queue {
        id: "casual-brixental-4".to_owned(),
        kind: wire::TableKind::Casual.into(),
        rules: Some(rules()),
        time_control: Some(times()),
        waiting: 3,
        bots_after_ms: Some(15_000),
    }
}

pub(crate) fn summary(players: &[(Uuid, &str)]) -> wire::MatchSummary {
    let mut seats: Vec<_> = players.iter().map(|(id, name)| player(*id, name)).collect();
    seats.push(bot());
    wire::MatchSummary {
        match_id: TABLE.to_string(),
        kind: wire::TableKind::Casual.into(),
        queue: "casual-brixental-4".to_owned(),
        ladder: String::new(),
        rules: Some(rules()),
        started_ms: NOW_MS - 60_000,
        ended_ms: NOW_MS,
        seats,
        result: Some(result()),
        score_sheet: vec![score()],
    }
}

pub(crate) fn replay(summary: wire::MatchSummary) -> wire::Replay {
    let discard = wire::Discard {
        cards: cards(&[Card::E6, Card::G6]),
        count: 2,
    };
    let act = |version, seat, action| wire::ReplayAction {
        version,
        at_ms: NOW_MS,
        seat,
        action: Some(action),
        by: wire::Actor::Clock.into(),
    };
    wire::Replay {
        summary: Some(summary),
        server_seed: vec![1; 2],
        seed_hash: vec![2; 2],
        nonces: vec![vec![3], vec![4]],
        deals: vec![wire::ReplayDeal {
            number: 1,
            dealer: 0,
            hands: vec![wire::ReplayHand {
                cards: cards(&[Card::Ha]),
            }],
            talon: cards(&[Card::S6]),
            actions: vec![
                act(7, 1, action(wire::action::Kind::Discard(discard))),
                act(8, 2, play(Card::Ha)),
            ],
            score: Some(score()),
            shuffle: 1_000_001,
        }],
    }
}

pub(crate) fn rating() -> wire::PlayerRating {
    wire::PlayerRating {
        ladder_id: "brixental-s1".to_owned(),
        rating: 1213,
        matches: 1,
        peak: 1220,
        provisional: true,
        tier: Some(wire::Tier {
            name: "unter".to_owned(),
            next: Some(1275),
            progress: Some(17),
        }),
        history: vec![wire::RatingHistory {
            match_id: TABLE.to_string(),
            at_ms: NOW_MS,
            before: 1200,
            after: 1213,
            place: 1,
            number: 3,
            rated_place: 1,
            players: 2,
            against: vec![1200],
            expected: 0.500_04,
            wins: 1.0,
            k: 40,
            abandoned: false,
            reason: "1st of 2".to_owned(),
        }],
    }
}

pub(crate) fn ladder() -> wire::Ladder {
    wire::Ladder {
        id: "brixental-s1".to_owned(),
        ruleset: "brixental".to_owned(),
        season: 1,
        opened_ms: NOW_MS,
        closed_ms: None,
        closes_ms: Some(NOW_MS),
    }
}
