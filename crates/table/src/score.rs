//! Lines of the score sheet and the result of a match, as the contract has them.

use proto::v1::{DealScore, DeclarerScore, MatchResult};
use rules::{Deal, DealEnd, DealOutcome, Seat, Session, Suit};

use crate::{state::Table, wire::cards_to_wire};

/// The line that a finished deal adds; `None` while it runs.
pub(crate) fn deal_score(deal: &Deal, session: &Session) -> Option<DealScore> {
    let end = deal.end()?;
    let number = session.next_deal()?.number;
    let players = deal.rules().players();
    let mut session = *session;
    let recorded = session.record(&end);
    Some(DealScore {
        number,
        dealer: deal.dealer().number().into(),
        declarer: match end {
            DealEnd::ThrownIn => None,
            DealEnd::Played(outcome) => Some(declarer_score(deal, &outcome)),
        },
        points: recorded.points.first(players).to_vec(),
        totals: session.scores().first(players).to_vec(),
        counted: recorded.counted,
        stake: session.staked(),
        pot: session.pot(),
    })
}

fn declarer_score(deal: &Deal, outcome: &DealOutcome) -> DeclarerScore {
    let rules = deal.rules();
    let uncovered = deal.view(None).uncovered;
    DeclarerScore {
        seat: outcome.declaration.declarer.number().into(),
        contract: rules.contract(outcome.declaration.contract).name.to_owned(),
        card_points: outcome.card_points.map(u32::from),
        tricks: outcome.tricks.into(),
        made: outcome.made,
        value: outcome.value,
        spatz: outcome
            .spatz
            .map(|spatz| spatz.first(rules.players()).to_vec())
            .unwrap_or_default(),
        talon: uncovered.talon.map(cards_to_wire).unwrap_or_default(),
        discards: uncovered.discards.map(cards_to_wire).unwrap_or_default(),
        trump: deal.trump().map_or("", Suit::name).to_owned(),
        doubled_by: deal.doubling().doubled_by.map(|seat| seat.number().into()),
        redoubled: deal.doubling().redoubled,
    }
}

/// The result of a finished session.
pub(crate) fn match_result(table: &Table, session: &Session) -> MatchResult {
    let players = table.rules().players();
    let settlement = session.settlement();
    let places = settlement.places.first(players).iter();
    let abandoned = |seat: Seat| {
        let state = &table.seats[seat.index()];
        state.away || state.left
    };
    MatchResult {
        scores: settlement.scores.first(players).to_vec(),
        places: places.map(|&place| place.into()).collect(),
        settlement: settlement
            .payments
            .map(|payments| payments.first(players).to_vec())
            .unwrap_or_default(),
        abandoned: table.rules().seats().map(abandoned).collect(),
        pot_shares: if table.rules().has_pot() {
            settlement.pot_shares.first(players).to_vec()
        } else {
            Vec::new()
        },
    }
}
