//! Golden playthroughs: a session of each game as text, with every seat's view at every step.
//!
//! A change of the rules or of a view shows as a difference in `tests/golden`. Where it is
//! meant, `SPATZ_BLESS=1 cargo test -p rules golden` writes the files anew.

use std::{fmt::Write, path::PathBuf};

use rules::{Action, CardSet, Deal, DealEnd, DealView, Legal, Rules, Said, Session, Shuffle, Suit};

use crate::kit::{Rng, table, word};

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if texts.is_empty() {
        "-".to_owned()
    } else {
        texts.join(" ")
    }
}

fn or_dash<T: ToString>(item: Option<T>) -> String {
    list(item)
}

/// What all see alike.
fn public(view: &DealView) -> String {
    let rules = &view.rules;
    let said = |said| match said {
        Said::Pass => "pass",
        Said::Hold => "hold",
        Said::Bid(contract) => rules.contract(contract).name,
    };
    let calls = view
        .calls
        .iter()
        .map(|call| format!("{}:{}", call.seat, said(call.said)));
    let declared = view.declaration.map(|declared| {
        let name = rules.contract(declared.contract).name;
        format!("{}:{name}", declared.declarer)
    });
    let doubled = view.doubling.doubled_by.map(|seat| {
        let again = if view.doubling.redoubled {
            "+redoubled"
        } else {
            ""
        };
        format!("{seat}{again}")
    });
    let players = rules.players();
    let running = view.tricks.running().map(|trick| {
        format!(
            "{} led {}, {} is best",
            trick.leader,
            list(trick.cards),
            trick.winner
        )
    });
    let phase = format!("{:?}", view.phase).to_lowercase();
    format!(
        "{phase}, turn {}, cards {}, calls {}, declared {}, trump {}, doubled {}, won {}, trick {}",
        or_dash(view.turn),
        list(view.cards.first(players)),
        list(calls),
        or_dash(declared),
        or_dash(view.trump.map(Suit::name)),
        or_dash(doubled),
        list(view.tricks.won().first(players)),
        or_dash(running),
    )
}

/// The legal actions, long lists by their first and last.
fn legal(view: &DealView) -> String {
    if let Legal::Discard(choice) = view.legal {
        let aces = choice.aces_need_trumps.map_or(String::new(), |trump| {
            format!(", aces with {}", trump.name())
        });
        return format!("{} of {}{aces}", choice.count, list(choice.from));
    }
    let actions = view.legal.actions();
    let words: Vec<String> = actions
        .iter()
        .map(|&action| word(&view.rules, action))
        .collect();
    match &words[..] {
        [first, second, .., last] if words.len() > 12 => {
            format!("{first} {second} … {last} ({})", words.len())
        }
        all => list(all),
    }
}

/// What one seat sees alone.
fn private(view: &DealView) -> String {
    let beside = |name: &str, cards: Option<CardSet>| {
        cards.map_or(String::new(), |cards| format!("; {name} {}", list(cards)))
    };
    format!(
        "{}: {}; may {}{}{}",
        view.seat
            .map_or("nobody".to_owned(), |seat| seat.to_string()),
        list(view.hand),
        legal(view),
        beside("talon", view.uncovered.talon),
        beside("discards", view.uncovered.discards),
    )
}

fn write_views(text: &mut String, deal: &Deal) {
    let viewers = deal.rules().seats().map(Some).chain([None]);
    let views: Vec<DealView> = viewers.map(|viewer| deal.view(viewer)).collect();
    let all = public(&views[0]);
    writeln!(text, "  {all}").unwrap();
    for view in views {
        assert_eq!(public(&view), all, "what is public is the same for all");
        writeln!(text, "    {}", private(&view)).unwrap();
    }
}

fn write_end(text: &mut String, rules: &Rules, end: &DealEnd) {
    match end {
        DealEnd::ThrownIn => writeln!(text, "thrown in"),
        DealEnd::Played(outcome) => writeln!(
            text,
            "{} by {}: A {}, {} tricks, {}, value {}, spatz {}",
            rules.contract(outcome.declaration.contract).name,
            outcome.declaration.declarer,
            or_dash(outcome.card_points),
            outcome.tricks,
            if outcome.made { "made" } else { "lost" },
            outcome.value,
            outcome
                .spatz
                .map_or("-".to_owned(), |spatz| list(spatz.first(rules.players()))),
        ),
    }
    .unwrap();
}

/// Plays a session by chance from a seed and writes it down.
fn playthrough(rules: Rules, seed: u8) -> String {
    let players = rules.players();
    let nonces = (0..players).map(|n| vec![n; 8]).collect();
    let shuffle = Shuffle::new([seed; 32], nonces).unwrap();
    let mut rng = Rng::new(seed.into());
    let mut text = String::new();
    let options = rules
        .option_values()
        .map(|(name, value)| format!("{name}={value}"));
    writeln!(
        text,
        "{}, {players} players, {}",
        rules.set().id,
        list(options)
    )
    .unwrap();
    let mut session = Session::new(rules, shuffle.first_dealer());
    while let Some(next) = session.next_deal() {
        session.start_deal();
        let (scores, pot) = (list(session.scores().first(players)), session.pot());
        writeln!(
            text,
            "\ndeal {}, {} deals, scores {scores}, pot {pot}",
            next.number, next.dealer
        )
        .unwrap();
        let mut deal = Deal::new(rules, next.dealer, &shuffle.deck(next.number));
        write_views(&mut text, &deal);
        while let Some(turn) = deal.turn() {
            let action = chosen(&mut rng, &deal);
            writeln!(text, "{turn} {}", word(&rules, action)).unwrap();
            deal.apply(action).unwrap();
            write_views(&mut text, &deal);
        }
        let end = deal.end().unwrap();
        write_end(&mut text, &rules, &end);
        let recorded = session.record(&end);
        let counts = if recorded.counted {
            ""
        } else {
            ", does not count"
        };
        writeln!(
            text,
            "points {}{counts}",
            list(recorded.points.first(players))
        )
        .unwrap();
    }
    write_settlement(&mut text, &session, players);
    text
}

/// Any action; who may double does so more often than not.
fn chosen(rng: &mut Rng, deal: &Deal) -> Action {
    match deal.legal() {
        Legal::Double if rng.percent(60) => Action::Double,
        _ => rng.action(deal),
    }
}

fn write_settlement(text: &mut String, session: &Session, players: u8) {
    let settlement = session.settlement();
    let payments = settlement
        .payments
        .map_or("-".to_owned(), |paid| list(paid.first(players)));
    let line = format!(
        "\nend: scores {}, pot shares {}, places {}, payments {payments}",
        list(settlement.scores.first(players)),
        list(settlement.pot_shares.first(players)),
        list(settlement.places.first(players)),
    );
    writeln!(text, "{line}").unwrap();
}

/// Compares with the file, or writes it when that is asked for.
#[track_caller]
fn compare(id: &str, players: u8, options: &[(&str, &str)], seed: u8) {
    let played = playthrough(table(id, players, options), seed);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{id}.txt"));
    if std::env::var_os("SPATZ_BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&path, played).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (number, (golden, played)) in (1..).zip(golden.lines().zip(played.lines())) {
        assert_eq!(golden, played, "{id}.txt, line {number}");
    }
    assert_eq!(golden.lines().count(), played.lines().count(), "{id}.txt");
}

const ONE_ROUND: (&str, &str) = ("length", "rounds(1)");
const TWO_ROUNDS: (&str, &str) = ("length", "rounds(2)");

// The seeds are chosen so that most contracts come up, made and lost, with Spatz, doubling, an
// empty pot and deals that are thrown in.

#[test]
fn golden_brixental() {
    compare("brixental", 3, &[ONE_ROUND], 143);
}

#[test]
fn golden_bauerntarock() {
    compare("bauerntarock", 4, &[ONE_ROUND], 54);
}

#[test]
fn golden_dobbm() {
    let options = [ONE_ROUND, ("doubling", "true"), ("spatz", "true")];
    compare("dobbm", 4, &options, 112);
}

#[test]
fn golden_bavarian() {
    compare("bavarian", 3, &[TWO_ROUNDS, ("stake", "2")], 0);
}

#[test]
fn golden_haferltarock() {
    let options = [TWO_ROUNDS, ("pay_from", "pot"), ("stake", "2")];
    compare("haferltarock", 3, &options, 36);
}

#[test]
fn golden_files_are_of_every_game() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for set in rules::RULE_SETS {
        assert!(
            folder.join(format!("{}.txt", set.id)).exists(),
            "{}",
            set.id
        );
    }
}
