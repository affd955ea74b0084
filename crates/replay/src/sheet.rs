//! A replay as tables that people can read.

use std::fmt::{self, Write as _};

use rules::{Action, CardSet, Deal, Phase, Suit};

use crate::{
    Difference, Replay,
    format::{DealRecord, Occupant},
    verify::PlayedDeal,
};

/// Shows the deals of a replay, or one of them.
#[derive(Debug)]
pub struct Sheet<'a> {
    replay: &'a Replay,
    played: Vec<PlayedDeal>,
    only: Option<u32>,
}

impl<'a> Sheet<'a> {
    /// The sheet of a replay; with a number, of that deal only.
    ///
    /// # Errors
    /// When the replay does not follow the rules, or has no such deal.
    pub fn new(replay: &'a Replay, only: Option<u32>) -> Result<Self, Difference> {
        let played = replay.verify()?.played;
        if let Some(number) = only
            && played.iter().all(|deal| deal.number != number)
        {
            return Err(Difference {
                deal: None,
                what: format!("expected a deal of 1 to {}", played.len()),
            });
        }
        Ok(Self {
            replay,
            played,
            only,
        })
    }

    /// Name of a seat's occupant, short enough for a column.
    fn name(&self, seat: u8) -> String {
        let name = match self.replay.summary.seats.get(usize::from(seat)) {
            Some(Occupant::Player { name }) => name.as_str(),
            Some(Occupant::Bot { level }) => level.as_str(),
            None => "",
        };
        // What a name contains is for the terminal to show, not to obey.
        let plain = name.chars().filter(|c| !c.is_control()).take(16);
        let name: String = plain.collect();
        format!("{seat} {name}")
    }

    fn deal(
        &self,
        f: &mut fmt::Formatter<'_>,
        played: &PlayedDeal,
        record: &DealRecord,
    ) -> fmt::Result {
        let dealt = &played.dealt;
        writeln!(
            f,
            "\nDeal {}, dealt by {}",
            played.number,
            self.name(dealt.dealer().number())
        )?;
        if played.stake > 0 {
            writeln!(f, "  everyone pays {} into the pot", played.stake)?;
        }
        for seat in dealt.rules().seats() {
            let name = self.name(seat.number());
            writeln!(f, "  {name:<18} {}", by_suit(dealt.hand(seat)))?;
        }
        writeln!(f, "  {:<18} {}", "talon", by_suit(dealt.talon()))?;
        self.before_play(f, played, record)?;
        self.tricks(f, &played.last)?;
        self.score(f, record)
    }

    fn before_play(
        &self,
        f: &mut fmt::Formatter<'_>,
        played: &PlayedDeal,
        record: &DealRecord,
    ) -> fmt::Result {
        let mut deal = played.dealt;
        let rules = *deal.rules();
        for taken in &record.actions {
            let Ok(action) = taken.action(&rules) else {
                break;
            };
            if deal.phase() == Phase::Play {
                break;
            }
            let said = match action {
                Action::Pass => "passes".to_owned(),
                Action::Bid(contract) => format!("bids {}", rules.contract(contract).name),
                Action::Hold => "holds".to_owned(),
                Action::Announce(contract) => {
                    format!("announces {}", rules.contract(contract).name)
                }
                Action::Discard(cards) => format!("lays off {}", by_suit(cards)),
                Action::DeclareTrump(suit) => format!("names {} as trump", suit.name()),
                Action::Double => "doubles".to_owned(),
                Action::Redouble => "redoubles".to_owned(),
                Action::Play(_) => break,
            };
            writeln!(f, "  {:<18} {said}", self.name(taken.seat))?;
            if deal.apply(action).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// One line a trick, one column a seat: `>` leads, `*` wins.
    fn tricks(&self, f: &mut fmt::Formatter<'_>, deal: &Deal) -> fmt::Result {
        if deal.tricks().cards().is_empty() {
            return Ok(());
        }
        let players = deal.rules().players();
        write!(f, "  trick ")?;
        for seat in deal.rules().seats() {
            write!(f, " seat {seat}")?;
        }
        writeln!(f, "  points")?;
        for (n, trick) in deal.tricks().iter().enumerate() {
            let finished = trick.cards.len() == usize::from(players);
            let mut columns = vec!["      ".to_owned(); usize::from(players)];
            for (place, card) in trick.cards.iter().enumerate() {
                let seat = trick.leader.clockwise(place as u8, players);
                let leads = if place == 0 { '>' } else { ' ' };
                let wins = if finished && seat == trick.winner {
                    '*'
                } else {
                    ' '
                };
                columns[seat.index()] = format!(" {leads}{card}{wins} ");
            }
            let mut line = String::new();
            for column in columns {
                write!(line, "{column} ")?;
            }
            writeln!(f, "  {:>5}  {line} {:>5}", n + 1, trick.points())?;
        }
        Ok(())
    }

    fn score(&self, f: &mut fmt::Formatter<'_>, record: &DealRecord) -> fmt::Result {
        let Some(score) = &record.score else {
            return writeln!(f, "  not played to the end: everybody had left");
        };
        match &score.declarer {
            None => writeln!(
                f,
                "  thrown in{}",
                if score.counted { ", counts" } else { "" }
            )?,
            Some(declarer) => {
                let made = if declarer.made { "made" } else { "not made" };
                write!(
                    f,
                    "  {} {made} by {}",
                    declarer.contract,
                    self.name(declarer.seat)
                )?;
                if let Some(points) = declarer.card_points {
                    write!(f, ", {points} card points")?;
                }
                writeln!(f, ", {} tricks, value {}", declarer.tricks, declarer.value)?;
                if !declarer.spatz.is_empty() {
                    writeln!(f, "  Spatz {}", signed(&declarer.spatz))?;
                }
            }
        }
        writeln!(f, "  points {}", signed(&score.points))?;
        writeln!(f, "  scores {}", signed(&score.totals))?;
        if score.pot > 0 {
            writeln!(f, "  pot {}", score.pot)?;
        }
        Ok(())
    }
}

impl fmt::Display for Sheet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Match {}", self.replay.match_id().escape_debug())?;
        for (played, record) in self.played.iter().zip(&self.replay.deals) {
            if self.only.is_none_or(|number| number == played.number) {
                self.deal(f, played, record)?;
            }
        }
        let result = &self.replay.summary.result;
        writeln!(f, "\nEnd of the match")?;
        if !result.pot_shares.is_empty() {
            writeln!(f, "  from the pot {}", signed(&result.pot_shares))?;
        }
        for (seat, (score, place)) in (0..).zip(result.scores.iter().zip(&result.places)) {
            write!(f, "  {place}. {:<18} {score:>5}", self.name(seat))?;
            match result.settlement.get(usize::from(seat)) {
                Some(payment) => writeln!(f, "  settlement {payment:+}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

/// Cards from high to low, a suit after the other.
fn by_suit(cards: CardSet) -> String {
    let mut texts = Vec::new();
    for suit in Suit::ALL {
        let mut lane: Vec<_> = cards.of_suit(suit).collect();
        lane.reverse();
        texts.extend(lane.iter().map(ToString::to_string));
    }
    texts.join(" ")
}

fn signed(numbers: &[i32]) -> String {
    let texts: Vec<String> = numbers.iter().map(|n| format!("{n:+}")).collect();
    texts.join(" ")
}
