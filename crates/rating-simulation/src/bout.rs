//! A real match between bots.

use bots::{Level, choose};
use rules::{Action, Deal, Legal, Rules, Seat, Session, Shuffle};

/// How a bot plays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// How often it takes a random legal action instead of the standard bot's.
    pub(crate) blunders: f64,
    /// How often it bids or holds where the standard bot would pass.
    pub(crate) overbids: f64,
}

impl Manner {
    pub(crate) const fn of(blunders: f64) -> Self {
        Self {
            blunders,
            overbids: 0.0,
        }
    }
}

/// How a match ended, by seat.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) places: Vec<u32>,
    /// Final points; in the model of strengths, the performances.
    pub(crate) points: Vec<f64>,
}

/// Plays a match to its end.
pub(crate) fn play(rules: &Rules, manners: &[Manner], random: &mut fastrand::Rng) -> Standing {
    let players = rules.players();
    let seed: [u8; 32] = std::array::from_fn(|_| random.u8(..));
    let nonces = vec![Vec::new(); players.into()];
    let shuffle = Shuffle::new(seed, nonces).expect("a nonce of every seat");
    let first = Seat::default().clockwise(random.u8(..players), players);
    let mut session = Session::new(*rules, first);
    while let Some(next) = session.next_deal() {
        session.start_deal();
        let mut deal = Deal::new(*rules, next.dealer, &shuffle.deck(next.number));
        while let Some(seat) = deal.turn() {
            let action = action(&deal, seat, manners[seat.index()], random);
            deal.apply(action).expect("a legal action");
        }
        session.record(&deal.end().expect("nobody's turn"));
    }
    let settlement = session.settlement();
    let (places, scores) = (settlement.places, settlement.scores);
    Standing {
        places: places.first(players).iter().map(|&p| p.into()).collect(),
        points: scores.first(players).iter().map(|&p| p.into()).collect(),
    }
}

fn action(deal: &Deal, seat: Seat, manner: Manner, random: &mut fastrand::Rng) -> Action {
    let legal = deal.legal();
    if random.f64() < manner.blunders {
        let actions = legal.actions();
        return actions[random.usize(..actions.len())];
    }
    let view = deal.view(Some(seat));
    let usual = choose(Level::Standard, &view).expect("it is the seat's turn");
    if usual != Action::Pass || manner.overbids == 0.0 || random.f64() >= manner.overbids {
        return usual;
    }
    match legal {
        // The least that is a bid.
        Legal::Call { .. } => legal.actions().get(1).copied().unwrap_or(usual),
        Legal::Hold => Action::Hold,
        _ => usual,
    }
}
