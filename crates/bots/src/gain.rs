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
    match (rules.set().scoring, promise) {
        (Scoring::Difference, Promise::Points(points)) => {
            let needed = needed(contract.target);
            let fails = 1.0 - reaches(points, needed);
            // A target that is missed costs what it lies above 61.
            let difference = points.min(120.0) - 60.0 - (needed - 61.0) * fails;
            price * difference * stakes(rules, contract).0
        }
        (Scoring::Difference, Promise::NoTrick(chance)) => {
            price * (2.0 * chance - 1.0) * stakes(rules, contract).0
        }
        (Scoring::Price { extra_at }, _) => {
            let (made, extra) = match promise {
                Promise::NoTrick(chance) => (chance, 0.0),
                Promise::Points(points) => {
                    let extra = extra_at.iter().map(|&at| reaches(points, at.into())).sum();
                    (reaches(points, needed(contract.target)), extra)
                }
            };
            let (won, lost) = stakes(rules, contract);
            let most = pot(rules, contract);
            won * (made * price + extra).min(made * most) - LOST * lost * (1.0 - made) * price
        }
    }
}

/// What a contract must be expected to bring to be declared.
pub(crate) fn enough(rules: &Rules) -> f32 {
    let cheapest = &rules.set().contracts[0];
    let (_, lost) = stakes(rules, cheapest);
    match rules.set().scoring {
        Scoring::Difference => -LOSES_POINTS * lost,
        Scoring::Price { .. } => -LOSES_PRICE * lost * cheapest.worth as f32,
    }
}

fn needed(target: Target) -> f32 {
    match target {
        Target::Points(points) => f32::from(points),
        Target::EveryTrick => 121.0,
        // It has no card points; none are enough.
        Target::NoTrick => 0.0,
    }
}

/// The chance that so many card points come out as at least these.
fn reaches(points: f32, needed: f32) -> f32 {
    (0.5 + (points - needed) / (4.0 * SPREAD)).clamp(0.0, 1.0)
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
