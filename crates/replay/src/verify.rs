//! Plays a replay again and compares it with what is written.

use std::fmt;

use rules::{CardSet, Deal, DealEnd, DealOutcome, NextDeal, Session, Shuffle, Suit};

use crate::{
    Replay,
    format::{BadReplay, DealRecord, DeclarerRecord, ScoreRecord, card_set, seat},
};

/// What a shuffle's number is raised by for each loss, see `docs/fair-cards.md`.
const RESTORED: u32 = 1_000_000;

/// Where a replay and the rules differ first.
#[derive(Debug)]
pub struct Difference {
    /// Number of the deal, unless it is about the match as a whole.
    pub deal: Option<u32>,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.deal {
            Some(number) => write!(f, "deal {number}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Difference {}

impl From<BadReplay> for Difference {
    fn from(error: BadReplay) -> Self {
        Self {
            deal: None,
            what: error.to_string(),
        }
    }
}

/// What was found to be right.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Deals played again, each from its own shuffle.
    pub deals: usize,
    /// Actions found legal.
    pub actions: usize,
    /// Whether the match was played to its end; if not, everybody had left.
    pub finished: bool,
    pub(crate) played: Vec<PlayedDeal>,
}

/// A deal as it stood after its last action, with all before.
#[derive(Clone, Debug)]
pub(crate) struct PlayedDeal {
    pub(crate) number: u32,
    /// What everyone paid into the pot before it.
    pub(crate) stake: i32,
    pub(crate) dealt: Deal,
    pub(crate) last: Deal,
}

impl Replay {
    /// Plays the match again: the shuffles follow from the seed that was promised, every action
    /// was the right seat's and legal, every score and the result are those of the rules.
    ///
    /// # Errors
    /// The first difference.
    pub fn verify(&self) -> Result<Verified, Difference> {
        let rules = self.rules()?;
        let shuffle = self.shuffle()?;
        if self.summary.seats.len() != usize::from(rules.players()) {
            return differ("seats: expected one for each player");
        }
        let mut session = Session::new(rules, shuffle.first_dealer());
        let mut played = Vec::new();
        let mut actions = 0;
        for (place, record) in self.deals.iter().enumerate() {
            let Some(next) = session.next_deal() else {
                return differ("a deal follows the end of the match");
            };
            session.start_deal();
            let in_deal = |error: Difference| Difference {
                deal: Some(next.number),
                ..error
            };
            let deal = play_again(record, &session, next, &shuffle).map_err(in_deal)?;
            let last = place + 1 == self.deals.len();
            score(record, &deal.last, &mut session, last).map_err(in_deal)?;
            actions += record.actions.len();
            played.push(deal);
        }
        let scored = self.deals.iter().filter_map(|deal| deal.score.as_ref());
        if !scored.eq(&self.summary.score_sheet) {
            return differ("score_sheet: its lines are not those of the deals");
        }
        self.result(&session)?;
        Ok(Verified {
            deals: self.deals.len(),
            actions,
            finished: session.is_over(),
            played,
        })
    }

    fn result(&self, session: &Session) -> Result<(), Difference> {
        let written = &self.summary.result;
        let players = session.rules().players();
        let ours = session.settlement();
        same("scores", &written.scores, ours.scores.first(players))?;
        same("places", &written.places, ours.places.first(players))?;
        let payments = ours.payments.as_ref();
        let settlement = payments.map_or(&[][..], |payments| payments.first(players));
        same("settlement", &written.settlement, settlement)?;
        let shares = if session.rules().has_pot() {
            ours.pot_shares.first(players)
        } else {
            &[]
        };
        same("pot_shares", &written.pot_shares, shares)
    }
}

fn differ<T>(what: impl Into<String>) -> Result<T, Difference> {
    Err(Difference {
        deal: None,
        what: what.into(),
    })
}

fn same<T: PartialEq + fmt::Debug>(
    name: &str,
    written: &[T],
    ours: &[T],
) -> Result<(), Difference> {
    if written == ours {
        return Ok(());
    }
    differ(format!("{name}: expected {ours:?}, found {written:?}"))
}

fn play_again(
    record: &DealRecord,
    session: &Session,
    next: NextDeal,
    shuffle: &Shuffle,
) -> Result<PlayedDeal, Difference> {
    let rules = *session.rules();
    if (record.number, record.dealer) != (next.number, next.dealer.number()) {
        return differ(format!(
            "expected number {} by dealer {}",
            next.number, next.dealer
        ));
    }
    let shuffled = record.shuffle.unwrap_or(next.number);
    if shuffled % RESTORED != next.number {
        return differ(format!(
            "shuffle: {shuffled} is not for deal {}",
            next.number
        ));
    }
    let dealt = Deal::new(rules, next.dealer, &shuffle.deck(shuffled));
    if record.hands.len() != usize::from(rules.players()) {
        return differ("hands: expected one for each seat");
    }
    for (owner, hand) in rules.seats().zip(&record.hands) {
        if card_set(hand)? != dealt.hand(owner) {
            return differ(format!(
                "the hand of seat {owner} is not what the shuffle gives"
            ));
        }
    }
    if card_set(&record.talon)? != dealt.talon() {
        return differ("the talon is not what the shuffle gives");
    }
    let mut deal = dealt;
    for (n, taken) in record.actions.iter().enumerate() {
        let action = taken.action(&rules)?;
        if deal.turn() != Some(seat(taken.seat)?) {
            return differ(format!(
                "action {}: it is not the turn of seat {}",
                n + 1,
                taken.seat
            ));
        }
        if let Err(refusal) = deal.apply(action) {
            return differ(format!("action {}: {refusal}", n + 1));
        }
    }
    Ok(PlayedDeal {
        number: next.number,
        stake: session.staked(),
        dealt,
        last: deal,
    })
}

/// Compares the line of the score sheet, and takes the deal into the session.
fn score(
    record: &DealRecord,
    deal: &Deal,
    session: &mut Session,
    last: bool,
) -> Result<(), Difference> {
    let (end, written) = match (deal.end(), &record.score) {
        (Some(end), Some(written)) => (end, written),
        // Everybody left.
        (None, None) if last => return Ok(()),
        (None, _) => return differ("the deal is not over"),
        (Some(_), None) => return differ("the score is missing"),
    };
    let players = session.rules().players();
    let recorded = session.record(&end);
    let ours = ScoreRecord {
        number: record.number,
        dealer: record.dealer,
        declarer: match end {
            DealEnd::ThrownIn => None,
            DealEnd::Played(outcome) => Some(declarer(deal, &outcome)),
        },
        points: recorded.points.first(players).to_vec(),
        totals: session.scores().first(players).to_vec(),
        counted: recorded.counted,
        stake: session.staked(),
        pot: session.pot(),
    };
    if &ours == written {
        return Ok(());
    }
    differ(format!("score: expected {ours:?}, found {written:?}"))
}

fn declarer(deal: &Deal, outcome: &DealOutcome) -> DeclarerRecord {
    let rules = deal.rules();
    let uncovered = deal.view(None).uncovered;
    let texts = |cards: Option<CardSet>| -> Vec<String> {
        let cards = cards.unwrap_or_default();
        cards.map(|card| card.to_string()).collect()
    };
    let declared = outcome.declaration;
    DeclarerRecord {
        seat: declared.declarer.number(),
        contract: rules.contract(declared.contract).name.to_owned(),
        card_points: outcome.card_points,
        tricks: outcome.tricks,
        made: outcome.made,
        trump: deal.trump().map(Suit::name).map(str::to_owned),
        doubled_by: deal.doubling().doubled_by.map(|seat| seat.number()),
        redoubled: deal.doubling().redoubled,
        value: outcome.value,
        spatz: outcome
            .spatz
            .map(|spatz| spatz.first(rules.players()).to_vec())
            .unwrap_or_default(),
        talon: texts(uncovered.talon),
        discards: texts(uncovered.discards),
    }
}
