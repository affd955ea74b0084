//! Finished matches: what is kept of them, and how they are played again.

use chassis::{ErrorCode, Failure};
use proto::v1::{MatchSummary, Replay, ReplayAction, ReplayDeal, ReplayHand};
use rules::Card;
use table::{Event, Table, card_to_wire};

use crate::{log::Entry, tables::decode};

/// What is kept of a match beside its log.
pub(crate) fn summary(table: &Table) -> MatchSummary {
    let setup = table.setup();
    MatchSummary {
        match_id: setup.id.to_string(),
        kind: setup.kind.into(),
        queue: setup.queue.clone(),
        ladder: setup.ladder.clone(),
        rules: Some(table::rules_to_wire(&setup.rules)),
        started_ms: table.started_ms(),
        ended_ms: table.ended_ms(),
        seats: table.occupants(),
        result: table.result().cloned(),
        score_sheet: table.score_sheet().to_vec(),
    }
}

/// A finished match, to be played again. It is made by playing the archived log again, so what
/// it says is what the engine says.
///
/// # Errors
/// When the log is not that of a finished match.
pub(crate) fn replay(summary: MatchSummary, entries: &[Entry]) -> Result<Replay, Failure> {
    let mut deals: Vec<ReplayDeal> = Vec::new();
    let mut table: Option<Table> = None;
    for entry in entries {
        let (event, _) = decode(entry, table.as_ref().map(Table::rules))?;
        let after = match table.take() {
            None => Table::open(entry.version, entry.at_ms, &event),
            Some(mut table) => table
                .evolve(entry.version, entry.at_ms, &event)
                .map(|()| table),
        };
        let after = after.map_err(Failure::internal)?;
        note(&mut deals, &after, &event, entry);
        table = Some(after);
    }
    let table = table
        .filter(|table| table.result().is_some())
        .ok_or_else(|| Failure::new(ErrorCode::NotFound, "the match is not in the archive"))?;
    Ok(Replay {
        summary: Some(summary),
        server_seed: table.setup().server_seed.to_vec(),
        seed_hash: rules::seed_hash(&table.setup().server_seed).to_vec(),
        nonces: table.nonces(),
        deals,
    })
}

fn note(deals: &mut Vec<ReplayDeal>, after: &Table, event: &Event, entry: &Entry) {
    match event {
        Event::DealStarted { number, dealer } => {
            let hands = after.deal().map(|deal| {
                let hands = after.rules().seats().map(|seat| ReplayHand {
                    cards: wire_cards(deal.hand(seat)),
                });
                (hands.collect(), wire_cards(deal.talon()))
            });
            let (hands, talon) = hands.unwrap_or_default();
            deals.push(ReplayDeal {
                number: *number,
                dealer: dealer.number().into(),
                hands,
                talon,
                actions: Vec::new(),
                score: None,
                shuffle: Some(after.shuffle_number(*number))
                    .filter(|shuffle| shuffle != number)
                    .unwrap_or_default(),
            });
        }
        Event::Acted { seat, action, by } => {
            if let Some(deal) = deals.last_mut() {
                deal.actions.push(ReplayAction {
                    version: entry.version,
                    at_ms: entry.at_ms,
                    seat: seat.number().into(),
                    action: Some(table::action_to_wire(*action, after.rules())),
                    by: (*by).into(),
                });
            }
        }
        Event::DealScored(score) => {
            if let Some(deal) = deals.last_mut() {
                deal.score = Some(score.clone());
            }
        }
        _ => {}
    }
}

fn wire_cards(cards: impl IntoIterator<Item = Card>) -> Vec<i32> {
    cards.into_iter().map(card_to_wire).collect()
}
