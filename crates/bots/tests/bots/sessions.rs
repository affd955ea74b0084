//! Whole sessions of bots, alone and among players who act at random.

use bots::Level;
use rules::{Deal, Rules, Seat, Session, Shuffle};

use crate::table::{Player, Random, all_rules, finish, tables};

const STANDARD: Player = Player::Bot(Level::Standard);

/// More deals than the longest session here has.
const TOO_MANY: u32 = 500;

/// Plays a session to its end.
fn play(rules: Rules, random: &mut Random, player: impl Fn(Seat) -> Player) {
    let players = rules.players();
    let shuffle = Shuffle::new([5; 32], vec![vec![players]; players.into()]).unwrap();
    let mut session = Session::new(rules, Seat::default());
    while let Some(next) = session.next_deal() {
        assert!(next.number < TOO_MANY, "{} does not end", rules.set().id);
        session.start_deal();
        let mut deal = Deal::new(rules, next.dealer, &shuffle.deck(next.number));
        let end = finish(&mut deal, random, &player);
        session.record(&end);
        if rules.has_pot() {
            let scores: i32 = session.scores().0.iter().sum();
            assert_eq!(scores + session.pot(), 0);
        }
    }
    assert!(session.is_over());
}

#[test]
fn sessions_of_bots_end_in_every_game() {
    let mut random = Random::new(41);
    for rules in tables() {
        play(rules, &mut random, |_| STANDARD);
    }
}

#[test]
fn sessions_of_bots_among_random_players_end_with_all_options() {
    let mut random = Random::new(42);
    for rules in all_rules() {
        let bot = Seat::new(random.below(rules.players().into()) as u8).unwrap();
        play(rules, &mut random, |seat| {
            if seat == bot {
                STANDARD
            } else {
                Player::Random
            }
        });
    }
}
