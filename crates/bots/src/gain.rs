//! What a contract can be expected to bring its declarer.

use rules::{Booking, Contract, ContractId, Rules, Scoring, Target};

/// Standard deviation of the card points around their estimate.
const SPREAD: f32 = 15.0;
/// A contract is declared although it loses up to so many card points on average, or too many
/// deals would be thrown in.
const LOSES_POINTS: f32 = 1.0;
/// The same for contracts at a price: this part of what the cheapest one costs.
const LOSES_PRICE: f32 = 0.2;
/// A price that is lost weighs so many times one that is won: of two contracts that are about
/// equal the safer one is played.
const LOST: f32 = 1.2;

/// What a hand promises in a contract.
#[derive(Clone, Copy)]
pub(crate) enum Promise {
    /// So many card points.
    Points(f32),
    /// This chance to take no trick.
    NoTrick(f32),
}

/// The score that the declarer is expected to gain.
pub(crate) fn expected(rules: &Rules, id: ContractId, promise: Promise) -> f32 {
    let contract = rules.contract(id);
    let price = contract.worth as f32;
    let (won, lost) = stakes(rules, contract);
    let made = match promise {
        Promise::Points(points) => reaches(points, needed(contract.target)),
        Promise::NoTrick(chance) => chance,
    };
    match (rules.set().scoring, promise) {
        (Scoring::Difference, Promise::Points(points)) => {
            // A target that is missed costs what it lies above 61.
            let missed = (needed(contract.target) - 61.0) * (1.0 - made);
            won * price * (points.min(120.0) - 60.0 - missed)
        }
        (Scoring::Difference, Promise::NoTrick(_)) => price * (won * made - lost * (1.0 - made)),
        (Scoring::Price { extra_at }, _) => {
            let extra = |&at: &u8| match promise {
                Promise::Points(points) => reaches(points, at.into()),
                Promise::NoTrick(_) => 0.0,
            };
            let extras: f32 = extra_at.iter().map(extra).sum();
            let most = made * pot(rules, contract);
            won * (made * price + extras).min(most) - LOST * lost * price * (1.0 - made)
        }
    }
}

/// What a contract must be expected to bring to be declared.
pub(crate) fn enough(rules: &Rules) -> f32 {
    let lowest = rules.set().contracts.first();
    let at_stake = lowest.map_or(0.0, |contract| match rules.set().scoring {
        Scoring::Difference => LOSES_POINTS * stakes(rules, contract).1,
        Scoring::Price { .. } => LOSES_PRICE * stakes(rules, contract).1 * contract.worth as f32,
    });
    -at_stake
}

fn needed(target: Target) -> f32 {
    match target {
        Target::Points(points) => f32::from(points),
        Target::EveryTrick => 121.0,
        // It has no card points; none are enough.
        Target::NoTrick => 0.0,
    }
}

/// The chance that so many card points come out as at least these: a logistic curve, close to
/// the normal one of the same spread.
fn reaches(points: f32, needed: f32) -> f32 {
    1.0 / (1.0 + (-1.7 * (points - needed) / SPREAD).exp())
}

/// What the declarer gets for each point of a contract's value when it is won, and pays when it
/// is lost.
fn stakes(rules: &Rules, contract: &Contract) -> (f32, f32) {
    let opponents = f32::from(rules.players()) - 1.0;
    match rules.booking(contract) {
        Booking::DeclarerAlone | Booking::EachParty => (1.0, 1.0),
        Booking::FromEach => (opponents, opponents),
        // Won, the pot pays; lost, it pays one of the opponents.
        Booking::Pot => (1.0, opponents - 1.0),
    }
}

/// The most that a contract can bring: a pot pays what it holds. A seat is not told how much
/// that is; at the start of a session it is everybody's stake.
fn pot(rules: &Rules, contract: &Contract) -> f32 {
    match rules.booking(contract) {
        Booking::Pot => f32::from(rules.options.stake) * f32::from(rules.players()),
        Booking::DeclarerAlone | Booking::EachParty | Booking::FromEach => f32::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(rules: &Rules, contract: &str, promise: Promise) -> f32 {
        expected(rules, rules.contract_named(contract).unwrap(), promise)
    }

    #[test]
    fn a_difference_is_worth_the_points_above_half_times_the_contract() {
        let rules = Rules::new("brixental", 4, []).unwrap();
        assert_eq!(gain(&rules, "look_in", Promise::Points(70.0)), 10.0);
        assert_eq!(gain(&rules, "sumpern", Promise::Points(70.0)), 20.0);
        assert!(gain(&rules, "91", Promise::Points(70.0)) < 0.0);
        let dobbm = Rules::new("dobbm", 4, []).unwrap();
        assert_eq!(gain(&dobbm, "dobbm", Promise::Points(70.0)), 30.0);
    }

    #[test]
    fn a_price_pays_with_more_than_an_even_chance() {
        let rules = Rules::new("haferltarock", 3, []).unwrap();
        for (contract, promise, pays) in [
            ("solo", Promise::Points(75.0), true),
            ("solo", Promise::Points(61.0), false),
            ("bettel", Promise::NoTrick(0.7), true),
            ("bettel", Promise::NoTrick(0.5), false),
        ] {
            assert_eq!(gain(&rules, contract, promise) > 0.0, pays, "{contract}");
        }
        assert!(
            gain(&rules, "bettel", Promise::NoTrick(0.9))
                > gain(&rules, "herzsolo", Promise::Points(75.0))
        );
    }

    #[test]
    fn extras_make_a_strong_hand_worth_more_than_the_price() {
        let rules = Rules::new("haferltarock", 3, []).unwrap();
        let certain = gain(&rules, "herzsolo", Promise::Points(91.0));
        assert!(certain > 2.0 * 3.0, "{certain}");
    }

    #[test]
    fn a_pot_pays_no_more_than_it_holds() {
        let pot = |stake| {
            let rules = Rules::new("bavarian", 3, [("stake", stake)]).unwrap();
            gain(&rules, "pickup:91", Promise::Points(115.0))
        };
        assert!(pot("1") < pot("10"));
        assert_eq!(pot("10"), pot("100"));
    }

    #[test]
    fn a_hand_game_brings_more_than_a_pick_up_and_costs_more() {
        let rules = Rules::new("bavarian", 3, []).unwrap();
        let (strong, weak) = (Promise::Points(85.0), Promise::Points(50.0));
        assert!(gain(&rules, "hand:61", strong) > gain(&rules, "pickup:61", strong));
        assert!(gain(&rules, "hand:61", weak) < gain(&rules, "pickup:61", weak));
    }
}
