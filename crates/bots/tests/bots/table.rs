//! Tables of bots and of players who act at random, with fixed seeds.

use bots::{Level, choose};
use rules::{Action, Deal, DealEnd, Deck, OptionKey, RULE_SETS, RuleSet, Rules, Seat, Shuffle};

/// Numbers from a seed (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // Far too few are drawn for the modulo to matter.
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Who sits at a seat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Player {
    Bot(Level),
    /// Takes any legal action.
    Random,
}

/// Every game with every number of players, as it is by default, and with the options that
/// change most for a bot.
pub(crate) fn tables() -> impl Iterator<Item = Rules> {
    let defaults = RULE_SETS.iter().flat_map(|set| {
        let players = set.players();
        players.map(|players| Rules::new(set.id, players, []).unwrap())
    });
    let others = [
        Rules::new("dobbm", 4, [("doubling", "true"), ("spatz", "true")]),
        Rules::new("bavarian", 3, [("pickup_trump", "hearts")]),
        Rules::new("haferltarock", 3, [("pay_from", "pot")]),
    ];
    defaults.chain(others.map(Result::unwrap))
}

/// Every game with every number of players and every combination of values that a bot could
/// care about.
pub(crate) fn all_rules() -> impl Iterator<Item = Rules> {
    RULE_SETS.iter().flat_map(|set| {
        let options = combinations(set);
        let tables = set.players().flat_map(move |players| {
            let made = options.clone().into_iter();
            // Some options need others.
            made.filter_map(move |options| Rules::new(set.id, players, options).ok())
        });
        tables.collect::<Vec<_>>()
    })
}

fn combinations(set: &RuleSet) -> Vec<Vec<(&'static str, &'static str)>> {
    let mut combinations = vec![Vec::new()];
    for key in set.options {
        let values = values(*key);
        let with_each = |options: &Vec<_>| -> Vec<Vec<_>> {
            let more = values.iter().map(|value| {
                let mut more = options.clone();
                more.push((key.name(), *value));
                more
            });
            more.collect()
        };
        if !values.is_empty() {
            combinations = combinations.iter().flat_map(with_each).collect();
        }
    }
    combinations
}

/// Values of an option; none when it does not concern a single deal.
fn values(key: OptionKey) -> &'static [&'static str] {
    match key {
        OptionKey::Length
        | OptionKey::LengthInRounds
        | OptionKey::MaxRounds
        | OptionKey::MaxThrownIn => &[],
        OptionKey::DiscardFrom => &["original_hand", "any"],
        OptionKey::MatschFactor => &["1", "2"],
        OptionKey::Spatz | OptionKey::SpatzMultiplied | OptionKey::Doubling => &["false", "true"],
        OptionKey::PickupTrump => &["any", "hearts"],
        OptionKey::PayFrom => &["pocket", "pot"],
        OptionKey::Stake => &["10", "1"],
    }
}

/// The same packs in every run, and who deals them: every seat in turn.
pub(crate) fn packs(rules: Rules, count: u32) -> impl Iterator<Item = (Seat, Deck)> {
    let players = rules.players();
    let shuffle = Shuffle::new([7; 32], vec![vec![players]; players.into()]).unwrap();
    (1..=count).map(move |number| {
        let dealer = Seat::default().clockwise((number % u32::from(players)) as u8, players);
        (dealer, shuffle.deck(number))
    })
}

/// The deals of [`packs`].
pub(crate) fn deals(rules: Rules, count: u32) -> impl Iterator<Item = Deal> {
    packs(rules, count).map(move |(dealer, deck)| Deal::new(rules, dealer, &deck))
}

/// What the player takes in a deal that is not over.
pub(crate) fn act(player: Player, deal: &Deal, random: &mut Random) -> Action {
    match player {
        Player::Bot(level) => choose(level, &deal.view(deal.turn())).unwrap(),
        Player::Random => {
            let actions = deal.legal().actions();
            actions[random.below(actions.len())]
        }
    }
}

/// Plays on while `until` is not reached, or to the end.
pub(crate) fn play(
    deal: &mut Deal,
    random: &mut Random,
    until: impl Fn(&Deal) -> bool,
    player: impl Fn(Seat) -> Player,
) {
    while let Some(seat) = deal.turn().filter(|_| !until(deal)) {
        let action = act(player(seat), deal, random);
        deal.apply(action).unwrap();
    }
}

/// Plays to the end.
pub(crate) fn finish(
    deal: &mut Deal,
    random: &mut Random,
    player: impl Fn(Seat) -> Player,
) -> DealEnd {
    play(deal, random, |_| false, player);
    deal.end().unwrap()
}
