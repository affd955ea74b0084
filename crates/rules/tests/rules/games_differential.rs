//! The engine and the oracle play the same sessions of the four games after Brixental: at every
//! step the same seat may do the same things, each deal ends with the same score and pot, the
//! same seat deals next, and the session ends at the same time with the same settlement.

use std::collections::{BTreeMap, BTreeSet};

use rules::{Deal, DealEnd, Phase, Rules, Session};

use crate::{
    games::TABLES,
    kit::{Record, Rng, action, seat, word},
    oracle::{
        game::{Game, Step},
        payment::{Score, Series},
    },
};

fn options(rules: &Rules) -> Vec<(String, String)> {
    let values = rules.option_values();
    values
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The same deal for the oracle.
pub(crate) fn game(record: &Record) -> Game {
    let cards = record.deck.cards().map(|card| card.to_string());
    Game::new(
        record.rules.set().id,
        record.rules.players().into(),
        record.dealer.index(),
        &cards,
        options(&record.rules),
    )
}

/// Where the deal is, in the words of the oracle.
fn step(deal: &Deal) -> Step {
    let Some(turn) = deal.turn() else {
        return Step::Over;
    };
    let holds = matches!(deal.legal(), rules::Legal::Hold);
    let step = match deal.phase() {
        Phase::Auction if holds => Step::Hold,
        Phase::Auction => Step::Call,
        Phase::Announcement => Step::Announce,
        Phase::Exchange => Step::Discard,
        Phase::Trump => Step::Trump,
        Phase::Doubling if deal.doubling().doubled_by.is_some() => Step::Redouble,
        Phase::Doubling => Step::Double,
        Phase::Play => Step::Play,
        Phase::Done => panic!("nobody has a turn when the deal is over"),
    };
    step(turn.index())
}

#[track_caller]
fn same_choice(deal: &Deal, game: &Game) {
    assert_eq!(step(deal), game.step());
    let actions = deal.legal().actions();
    let count = actions.len();
    let listed = actions.into_iter().map(|action| word(deal.rules(), action));
    let listed: BTreeSet<String> = listed.collect();
    assert_eq!(listed.len(), count, "no action is listed twice");
    assert_eq!(listed, game.legal().into_iter().collect());
    if deal.declaration().is_some() {
        assert_eq!(deal.trump().map(rules::Suit::name), game.trump());
    }
    for seat in deal.rules().seats() {
        let held: BTreeSet<String> = deal.hand(seat).map(|card| card.to_string()).collect();
        assert_eq!(held, game.hand(seat.index()).into_iter().collect());
    }
}

/// What the engine says of a deal that is over, in the words of the oracle.
fn score(rules: &Rules, end: &DealEnd, pot: i32) -> Option<Score> {
    let DealEnd::Played(outcome) = end else {
        return None;
    };
    let paid = outcome.pay(rules.players(), pot);
    Some(Score {
        declarer: outcome.declaration.declarer.index(),
        contract: rules.contract(outcome.declaration.contract).name.to_owned(),
        card_points: outcome.card_points.map(u32::from),
        tricks: outcome.tricks.into(),
        made: outcome.made,
        points: paid.points.first(rules.players()).to_vec(),
        pot: paid.pot,
    })
}

/// The oracle plays a recorded deal and scores it as the engine does, with so much in the pot.
#[track_caller]
pub(crate) fn agree(record: &Record, pot: i32) -> Option<Score> {
    let mut game = game(record);
    let mut deal = record.start();
    for &action in &record.actions {
        same_choice(&deal, &game);
        game.act(&word(&record.rules, action));
        deal.apply(action).unwrap();
    }
    same_choice(&deal, &game);
    let end = deal.end().expect("the record is of a whole deal");
    let scored = game.score(pot);
    assert_eq!(score(&record.rules, &end, pot), scored, "{record:?}");
    scored
}

/// What happened in the deals that were played, and how often.
type Seen = BTreeMap<String, u32>;

fn note(seen: &mut Seen, rules: &Rules, end: &DealEnd, score: Option<&Score>) {
    let mut add = |what: String| *seen.entry(what).or_default() += 1;
    let (DealEnd::Played(outcome), Some(score)) = (end, score) else {
        return add("thrown in".to_owned());
    };
    let made = if score.made { "made" } else { "lost" };
    add(format!("{} {made}", score.contract));
    if score.tricks == 0 && score.card_points.is_some() {
        add("no trick".to_owned());
    }
    if outcome.spatz.is_some() {
        add("spatz".to_owned());
    }
    if rules.has_pot() && score.pot == 0 {
        add("pot emptied".to_owned());
    }
}

/// Plays a random session in both; returns how many deals it had.
fn play_session(rng: &mut Rng, rules: Rules, seen: &mut Seen) -> usize {
    let players = usize::from(rules.players());
    let first_dealer = rng.below(players);
    let mut session = Session::new(rules, seat(first_dealer as u8));
    let mut series = Series::new(rules.set().id, players, first_dealer, options(&rules));
    let mut deals = 0;
    loop {
        assert_eq!(session.is_over(), series.is_over());
        assert_eq!(session.next_deal().is_none(), series.is_over());
        let Some(next) = session.next_deal() else {
            break;
        };
        deals += 1;
        assert_eq!(next.number as usize, deals);
        assert_eq!(next.dealer.index(), series.dealer);
        session.start_deal();
        assert_eq!(session.staked(), series.start_deal());
        assert_eq!(session.pot(), series.pot);
        let record = Record::dealt_by(rng, rules, next.dealer);
        let score = agree(&record, session.pot());
        let end = record.end();
        let recorded = session.record(&end);
        assert_eq!(recorded.counted, series.record(score.as_ref()));
        let points = score
            .as_ref()
            .map_or(vec![0; players], |score| score.points.clone());
        assert_eq!(recorded.points.first(rules.players()), points);
        assert_eq!(session.scores().first(rules.players()), series.scores);
        assert_eq!(session.pot(), series.pot);
        note(seen, &rules, &end, score.as_ref());
    }
    let settlement = session.settlement();
    let (scores, payments) = series.settled();
    assert_eq!(settlement.scores.first(rules.players()), scores);
    let paid = settlement
        .payments
        .map(|paid| paid.first(rules.players()).to_vec());
    assert_eq!(paid, payments);
    deals
}

/// At least 500 deals at a table, in sessions with random options.
fn sessions(id: &str, players: u8) -> Seen {
    let mut rng = Rng::new(1000 + id.len() as u64 * 10 + u64::from(players));
    let mut seen = Seen::new();
    let mut deals = 0;
    while deals < 500 {
        let rules = rng.rules_of(id, players);
        deals += play_session(&mut rng, rules, &mut seen);
    }
    seen
}

/// That these things happened at least so often, so that agreement on them means something.
#[track_caller]
fn reaches(seen: &Seen, what: &[&str], times: u32) {
    for what in what {
        let found = seen.get(*what).copied().unwrap_or(0);
        assert!(found >= times, "{what}: {found} times of {seen:?}");
    }
}

const BAUERNTAROCK: [&str; 5] = [
    "look_in made",
    "look_in lost",
    "sumpern made",
    "sumpern lost",
    "thrown in",
];

#[test]
fn bauerntarock_with_3_agrees() {
    let seen = sessions("bauerntarock", 3);
    reaches(&seen, &BAUERNTAROCK, 20);
    reaches(&seen, &["spatz", "no trick"], 3);
}

#[test]
fn bauerntarock_with_4_agrees() {
    let seen = sessions("bauerntarock", 4);
    reaches(&seen, &BAUERNTAROCK, 10);
    reaches(&seen, &["spatz", "no trick"], 3);
}

#[test]
fn dobbm_agrees() {
    let seen = sessions("dobbm", 4);
    let all = [
        "dobbm made",
        "dobbm lost",
        "solo made",
        "solo lost",
        "thrown in",
    ];
    reaches(&seen, &all, 10);
    reaches(&seen, &["spatz", "no trick"], 3);
}

#[test]
fn bavarian_agrees() {
    let seen = sessions("bavarian", 3);
    let all = ["pickup:61 made", "pickup:61 lost", "pickup:66 lost"];
    reaches(&seen, &all, 10);
    reaches(
        &seen,
        &[
            "thrown in",
            "pot emptied",
            "bettel lost",
            "hand:61 lost",
            "hand:due lost",
        ],
        3,
    );
}

#[test]
fn haferltarock_agrees() {
    let seen = sessions("haferltarock", 3);
    let all = [
        "herz_neischaugn made",
        "solo made",
        "herzsolo made",
        "bettel lost",
        "thrown in",
    ];
    reaches(&seen, &all, 5);
    reaches(&seen, &["pot emptied"], 3);
}

#[test]
fn words_of_actions_read_back() {
    let mut rng = Rng::new(1100);
    for (id, players) in TABLES {
        let rules = rng.rules_of(id, players);
        for &done in &Record::random(&mut rng, rules).actions {
            assert_eq!(action(&rules, &word(&rules, done)), done);
        }
    }
}
