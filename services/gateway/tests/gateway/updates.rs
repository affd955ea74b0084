//! Every kind of update, and the event that it becomes (without version and time).

use proto::v1::{self as wire, Card, table_update::Kind};
use serde_json::{Value, json};

use crate::{
    messages::{self, OTHER},
    tables::{rules, score},
};

type Updates = Vec<(Kind, Value)>;

pub(crate) fn seats() -> Updates {
    let seat = |occupant, left| wire::SeatUpdate {
        seat: 1,
        occupant,
        left,
    };
    let opened = wire::OpenedUpdate {
        rules: Some(messages::rules()),
        seed_hash: vec![0xab],
    };
    let bot = json!({"type": "bot", "level": "standard"});
    vec![
        (
            Kind::Opened(opened),
            json!({"type": "opened", "rules": rules(), "seed_hash": "ab"}),
        ),
        (
            Kind::SeatTaken(seat(Some(messages::bot()), false)),
            json!({"type": "seat_taken", "seat": 1, "occupant": bot}),
        ),
        (
            Kind::SeatFreed(seat(None, false)),
            json!({"type": "seat_freed", "seat": 1}),
        ),
        (
            Kind::SeatReady(seat(None, false)),
            json!({"type": "seat_ready", "seat": 1}),
        ),
        (
            Kind::SeatAway(seat(None, true)),
            json!({"type": "seat_away", "seat": 1, "left": true}),
        ),
        (
            Kind::SeatReturned(seat(None, false)),
            json!({"type": "seat_returned", "seat": 1}),
        ),
    ]
}

pub(crate) fn play() -> Updates {
    let deal = wire::DealUpdate {
        number: 1,
        dealer: 0,
        hand: messages::cards(&[Card::Ha]),
        stake: 10,
        pot: 30,
    };
    let discard = wire::action::Kind::Discard(wire::Discard {
        cards: vec![],
        count: 4,
    });
    let laid_off = wire::ActionUpdate {
        seat: 2,
        action: Some(messages::action(discard)),
        by: wire::Actor::Player.into(),
        ..Default::default()
    };
    let played = wire::ActionUpdate {
        seat: 2,
        action: Some(messages::play(Card::Ha)),
        by: wire::Actor::Bot.into(),
        declaration: Some(wire::Declaration {
            declarer: 2,
            contract: "all_tricks".to_owned(),
            goal: wire::Goal::EveryTrick.into(),
            target: 0,
        }),
        talon: messages::cards(&[Card::E6]),
        trick: Some(wire::TrickView {
            leader: 2,
            cards: messages::cards(&[Card::Ha]),
            winner: Some(2),
            points: 11,
        }),
    };
    vec![
        (
            Kind::DealStarted(deal),
            json!({"type": "deal_started", "number": 1, "dealer": 0, "hand": ["HA"],
                "stake": 10, "pot": 30}),
        ),
        (
            Kind::Action(laid_off),
            json!({"type": "action", "seat": 2, "by": "player",
                "action": {"type": "discard", "count": 4}}),
        ),
        (
            Kind::Action(played),
            json!({"type": "action", "seat": 2, "by": "bot",
                "action": {"type": "play", "card": "HA"},
                "declaration": {"declarer": 2, "contract": "all_tricks", "goal": "every_trick",
                    "target": null},
                "talon": ["E6"],
                "trick": {"leader": 2, "cards": ["HA"], "winner": 2, "points": 11}}),
        ),
    ]
}

pub(crate) fn ending() -> Updates {
    let ended = wire::EndUpdate {
        result: Some(messages::result()),
        server_seed: vec![0xcd],
    };
    let change = wire::RatingChange {
        player_id: OTHER.to_string(),
        before: 1200,
        after: 1213,
    };
    let rated = wire::RatedUpdate {
        changes: vec![change],
    };
    let closed = wire::ClosedUpdate {
        reason: "not_filled".to_owned(),
    };
    let result = json!({
        "scores": [0, 15, 0, -3], "places": [2, 1, 2, 4], "settlement": [-12, 57, -12, -33],
        "abandoned": [false, false, true, false], "pot_shares": [],
    });
    let changes = json!([{"player_id": OTHER, "before": 1200, "after": 1213}]);
    vec![
        (
            Kind::DealScored(messages::score()),
            json!({"type": "deal_scored", "score": score()}),
        ),
        (
            Kind::MatchEnded(ended),
            json!({"type": "match_ended", "server_seed": "cd", "result": result}),
        ),
        (
            Kind::MatchRated(rated),
            json!({"type": "match_rated", "changes": changes}),
        ),
        (
            Kind::Archived(wire::ArchivedUpdate {}),
            json!({"type": "archived"}),
        ),
        (
            Kind::Closed(closed),
            json!({"type": "closed", "reason": "not_filled"}),
        ),
    ]
}
