//! Feeds a replay to the engine and compares.

use anyhow::{Context as _, ensure};
use rules::{Action, Card, CardSet, Deal, DealEnd, Rules, SEED_BYTES, Seat, Session, Shuffle};
use serde_json::{Value, json};

fn cards(value: &Value) -> anyhow::Result<CardSet> {
    let texts = value.as_array().context("cards")?.iter();
    texts
        .map(|card| Ok(card.as_str().context("card")?.parse::<Card>()?))
        .collect()
}

fn seat(value: &Value) -> anyhow::Result<Seat> {
    let number = value.as_u64().and_then(|number| u8::try_from(number).ok());
    number.and_then(Seat::new).context("seat")
}

fn rules_of(value: &Value) -> anyhow::Result<Rules> {
    let options = value["options"].as_object().context("options")?;
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let options: Vec<(&str, String)> = options
        .iter()
        .map(|(name, value)| (name.as_str(), text(value)))
        .collect();
    let options = options.iter().map(|(name, value)| (*name, value.as_str()));
    let players = u8::try_from(value["players"].as_u64().context("players")?)?;
    Ok(Rules::new(
        value["ruleset"].as_str().context("ruleset")?,
        players,
        options,
    )?)
}

fn action(value: &Value, rules: &Rules) -> anyhow::Result<Action> {
    Ok(match value["type"].as_str().context("type")? {
        "pass" => Action::Pass,
        "bid" => {
            let bid = value["bid"].as_str().context("bid")?;
            Action::Bid(rules.contract_named(bid).context("no such contract")?)
        }
        "discard" => Action::Discard(cards(&value["cards"])?),
        "play" => Action::Play(value["card"].as_str().context("card")?.parse()?),
        other => anyhow::bail!("unexpected action {other}"),
    })
}

/// The randomness of the match, whose seed must be the one that was promised.
fn shuffle_of(replay: &Value) -> anyhow::Result<Shuffle> {
    let seed: [u8; SEED_BYTES] = hex::decode(replay["server_seed"].as_str().context("seed")?)?
        .try_into()
        .ok()
        .context("a seed of 32 bytes")?;
    ensure!(
        hex::encode(rules::seed_hash(&seed)) == replay["seed_hash"],
        "seed hash"
    );
    let nonces = replay["nonces"].as_array().context("nonces")?.iter();
    let nonces: Vec<Vec<u8>> = nonces
        .map(|nonce| Ok(hex::decode(nonce.as_str().context("nonce")?)?))
        .collect::<anyhow::Result<_>>()?;
    Shuffle::new(seed, nonces).context("bounded nonces")
}

/// Plays a replay again and checks shuffle, turns, legality, every score and the settlement
/// against the engine.
///
/// # Errors
/// The first difference.
pub fn check(replay: &Value) -> anyhow::Result<()> {
    let rules = rules_of(&replay["match"]["rules"])?;
    let players = rules.players();
    let shuffle = shuffle_of(replay)?;
    let mut session = Session::new(rules, shuffle.first_dealer());
    for recorded in replay["deals"].as_array().context("deals")? {
        let next = session.next_deal().context("a deal after the end")?;
        ensure!(recorded["number"] == next.number && recorded["dealer"] == next.dealer.number());
        let mut deal = Deal::new(rules, next.dealer, &shuffle.deck(next.number));
        for seat in rules.seats() {
            ensure!(
                cards(&recorded["hands"][seat.index()])? == deal.hand(seat),
                "hand"
            );
        }
        ensure!(cards(&recorded["talon"])? == deal.talon(), "talon");
        for taken in recorded["actions"].as_array().context("actions")? {
            ensure!(
                deal.turn() == Some(seat(&taken["seat"])?),
                "turn of {taken}"
            );
            deal.apply(action(&taken["action"], &rules)?)?;
        }
        let end = deal.end().context("the deal is not over")?;
        let score = &recorded["score"];
        if let DealEnd::Played(outcome) = end {
            let declarer = &score["declarer"];
            ensure!(
                declarer["card_points"] == outcome.card_points,
                "card points: {score}"
            );
            ensure!(declarer["value"] == outcome.value, "value: {score}");
            ensure!(declarer["made"] == outcome.made, "made: {score}");
        }
        let points = session.record(&end).points;
        ensure!(
            score["points"] == json!(points.first(players)),
            "points: {score}"
        );
        ensure!(
            score["totals"] == json!(session.scores().first(players)),
            "totals: {score}"
        );
    }
    ensure!(session.is_over(), "the match is not over");
    let result = &replay["match"]["result"];
    let settlement = session.settlement();
    ensure!(
        result["scores"] == json!(session.scores().first(players)),
        "{result}"
    );
    ensure!(
        result["places"] == json!(settlement.places.first(players)),
        "{result}"
    );
    ensure!(
        result["settlement"] == json!(settlement.payments.first(players)),
        "{result}"
    );
    Ok(())
}
