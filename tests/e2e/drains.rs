//! SIGTERM in bidding, in the exchange and in the last trick: the match becomes what it would
//! have become undisturbed.
//!
//! Players choose by a fixed function of what they see. So the seed that the server reveals at
//! the end, and the players' nonces, say how the match must have gone: the rules engine plays it
//! with the same function, in one go, and has to come to the same actions and scores.

use anyhow::{Context as _, ensure};
use rules::{Action, Deal, Legal, Rules, Session, Shuffle, Suit};
use serde_json::{Value, json};
use tests::{
    chaos::check, client::Client, installation::Installation, load::seating, play::play_until,
};

use crate::support::four_guests;

/// Where the server is stopped.
const POINTS: [&str; 3] = ["auction", "exchange", "last trick"];

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_spatz_serve_left_three_times_is_that_of_an_undisturbed_run() {
    let mut installation = Installation::embedded().await.expect("start");
    let outcome = stopped_and_compared(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_the_game_service_left_three_times_is_that_of_an_undisturbed_run() {
    let mut installation = Installation::cluster().await.expect("start");
    let outcome = stopped_and_compared(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

async fn stopped_and_compared(installation: &mut Installation) -> anyhow::Result<()> {
    let mut left = POINTS.to_vec();
    // Whether anybody takes up the talon depends on the cards.
    for _ in 0..20 {
        let clients = four_guests(installation.url()).await?;
        let table = seating::private_table(&clients, "rounds(1)").await?;
        play(installation, &clients, &table, &mut left).await?;
        let replay = check::replay_of(&clients[0], &table).await?;
        undisturbed(&replay)?;
        if left.is_empty() {
            return Ok(());
        }
    }
    anyhow::bail!("never at {left:?}")
}

/// Plays a match to its end, and restarts the server at each point that is left, once.
async fn play(
    installation: &mut Installation,
    clients: &[Client],
    table: &str,
    left: &mut Vec<&str>,
) -> anyhow::Result<()> {
    // The seats are those of the order in which guests sat down.
    play_until(clients, table, 1, |view| view["phase"] != "seating").await?;
    loop {
        for client in clients {
            let view = client.table(table).await?;
            if view["phase"] == "ended" {
                return Ok(());
            }
            if let Some(place) = left.iter().position(|point| *point == point_of(&view)) {
                left.remove(place);
                installation.restart(installation.game_role()).await?;
            }
            if let Some(action) = choose(&view)? {
                client.act_for_sure(table, &action).await?;
            }
        }
    }
}

fn point_of(view: &Value) -> &str {
    let phase = view["phase"].as_str().unwrap_or_default();
    let cards = view["deal"]["hand"].as_array().map_or(0, Vec::len);
    if phase == "play" && cards == 1 {
        "last trick"
    } else {
        phase
    }
}

/// The choice among this many that somebody makes who sees these cards.
fn pick(deal: u64, seat: u64, hand: &[String], count: usize) -> usize {
    let mut hand = hand.to_vec();
    hand.sort();
    let text = format!("{deal} {seat} {}", hand.join(" "));
    // FNV-1a, whose high half is well mixed.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % count.max(1)
}

/// Bids as little as possible, or passes; else anything.
fn choose(view: &Value) -> anyhow::Result<Option<Value>> {
    let listed = view["legal_actions"].as_array().context("actions")?;
    let mut options: Vec<Value> = listed.clone();
    let mut bids = 0;
    options.retain(|action| {
        bids += usize::from(action["type"] == "bid");
        action["type"] != "bid" || bids == 1
    });
    if options.is_empty() {
        return Ok(None);
    }
    let texts = |cards: &Value| -> Vec<String> {
        let cards = cards.as_array().into_iter().flatten();
        cards
            .filter_map(|card| card.as_str().map(str::to_owned))
            .collect()
    };
    let number = |value: &Value| value.as_u64().context("a number");
    let (deal, seat) = (number(&view["deal"]["number"])?, number(&view["my_seat"])?);
    let hand = texts(&view["deal"]["hand"]);
    if options[0]["type"] == "discard" {
        let mut from = texts(&options[0]["from"]);
        from.sort();
        let count = number(&options[0]["count"])? as usize;
        let first = pick(deal, seat, &hand, from.len() + 1 - count);
        return Ok(Some(
            json!({"type": "discard", "cards": from[first..first + count]}),
        ));
    }
    options.sort_by_key(key);
    let place = pick(deal, seat, &hand, options.len());
    Ok(Some(options.swap_remove(place)))
}

/// An action as a text by which options are sorted and actions compared.
fn key(action: &Value) -> String {
    let text = |field: &str| action[field].as_str().unwrap_or_default().to_owned();
    let mut cards: Vec<&str> = action["cards"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    cards.sort_unstable();
    [
        text("type"),
        text("bid"),
        text("suit"),
        text("card"),
        cards.join(" "),
    ]
    .join(" ")
}

/// The same for an action of the engine.
fn json_of(action: Action, rules: &Rules) -> Value {
    match action {
        Action::Pass => json!({"type": "pass"}),
        Action::Bid(bid) => json!({"type": "bid", "bid": rules.contract(bid).name}),
        Action::Hold => json!({"type": "hold"}),
        Action::Announce(bid) => json!({"type": "announce", "bid": rules.contract(bid).name}),
        Action::Discard(cards) => {
            let cards: Vec<String> = cards.map(|card| card.to_string()).collect();
            json!({"type": "discard", "cards": cards})
        }
        Action::DeclareTrump(suit) => json!({"type": "declare_trump", "suit": Suit::name(suit)}),
        Action::Double => json!({"type": "double"}),
        Action::Redouble => json!({"type": "redouble"}),
        Action::Play(card) => json!({"type": "play", "card": card.to_string()}),
    }
}

/// What a seat chooses in the engine, by the same function.
fn choose_in(deal: &Deal, number: u32) -> anyhow::Result<Option<Action>> {
    let Some(seat) = deal.turn() else {
        return Ok(None);
    };
    let rules = deal.rules();
    let texts =
        |cards: rules::CardSet| -> Vec<String> { cards.map(|card| card.to_string()).collect() };
    let listed = match deal.legal() {
        Legal::Discard(choice) => vec![json!({
            "type": "discard", "from": texts(choice.from), "count": choice.count,
        })],
        legal => {
            let actions = legal.actions().into_iter();
            actions.map(|action| json_of(action, rules)).collect()
        }
    };
    let view = json!({
        "legal_actions": listed,
        "my_seat": seat.number(),
        "deal": {"number": number, "hand": texts(deal.hand(seat))},
    });
    let chosen = key(&choose(&view)?.context("nothing to do")?);
    let mut actions = deal.legal().actions().into_iter();
    let action = actions.find(|action| key(&json_of(*action, rules)) == chosen);
    Ok(Some(action.context(chosen)?))
}

/// Plays the match that follows from the seed and the nonces, and compares.
fn undisturbed(replay: &Value) -> anyhow::Result<()> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let written = &replay["match"]["rules"];
    let options = written["options"].as_object().context("options")?;
    let options: Vec<(&str, String)> = options
        .iter()
        .map(|(name, value)| (name.as_str(), text(value)))
        .collect();
    let options = options.iter().map(|(name, value)| (*name, value.as_str()));
    let rules = Rules::new(written["ruleset"].as_str().context("ruleset")?, 4, options)?;
    let bytes = |value: &Value| hex::decode(value.as_str().unwrap_or_default());
    let seed = bytes(&replay["server_seed"])?;
    let nonces = replay["nonces"].as_array().context("nonces")?;
    let nonces = nonces.iter().map(bytes).collect::<Result<_, _>>()?;
    let seed = seed.try_into().ok().context("32 bytes")?;
    let shuffle = Shuffle::new(seed, nonces).context("a shuffle")?;

    let mut session = Session::new(rules, shuffle.first_dealer());
    let mut deals = replay["deals"].as_array().context("deals")?.iter();
    while let Some(next) = session.next_deal() {
        session.start_deal();
        let mut deal = Deal::new(rules, next.dealer, &shuffle.deck(next.number));
        let mut actions = Vec::new();
        while let Some(action) = choose_in(&deal, next.number)? {
            let seat = deal.turn().context("a turn")?.number();
            actions.push((u64::from(seat), key(&json_of(action, &rules))));
            deal.apply(action)?;
        }
        let recorded = deals.next().context("a deal is missing")?;
        let taken = recorded["actions"].as_array().context("actions")?.iter();
        let taken: Vec<(u64, String)> = taken
            .map(|taken| (taken["seat"].as_u64().unwrap_or(9), key(&taken["action"])))
            .collect();
        ensure!(
            taken == actions,
            "deal {}: {taken:?} {actions:?}",
            next.number
        );
        session.record(&deal.end().context("the end of a deal")?);
    }
    ensure!(deals.next().is_none(), "a deal too many");
    let result = &replay["match"]["result"];
    let ours = session.settlement();
    ensure!(result["scores"] == json!(ours.scores.first(4)), "{result}");
    ensure!(result["places"] == json!(ours.places.first(4)), "{result}");
    Ok(())
}
