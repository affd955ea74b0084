//! What the players owe each other adds up to zero at every moment of a session, the pot
//! included, in the games whose deals are paid at once.

use rules::{Action, Deal, Rules, Session};

use crate::{
    games::STUBBORN,
    kit::{Record, Rng, seat, table},
};

#[track_caller]
fn balanced(session: &Session) {
    let scores: i32 = session.scores().0.iter().sum();
    assert_eq!(scores + session.pot(), 0);
    assert!(session.pot() >= 0, "a pot holds no debts");
    let settlement = session.settlement();
    assert_eq!(settlement.scores.0.iter().sum::<i32>(), 0);
    assert_eq!(settlement.pot_shares.0.iter().sum::<i32>(), session.pot());
}

/// Plays a session, checking the balance whenever it can have changed.
fn play_session(rng: &mut Rng, rules: Rules, choose: fn(&mut Rng, &Deal) -> Action) {
    let first_dealer = seat(rng.below(rules.players().into()) as u8);
    let mut session = Session::new(rules, first_dealer);
    balanced(&session);
    while let Some(next) = session.next_deal() {
        let pot = session.pot();
        session.start_deal();
        balanced(&session);
        assert_eq!(
            session.pot() > 0,
            rules.has_pot(),
            "it is filled when it is empty"
        );
        assert_eq!(session.staked() > 0, rules.has_pot() && pot == 0);
        let record = Record::played_by(rng, rules, next.dealer, choose);
        let recorded = session.record(&record.end());
        balanced(&session);
        if !rules.has_pot() {
            assert_eq!(recorded.points.0.iter().sum::<i32>(), 0);
        }
    }
}

/// Sessions of a game with random options, played by chance and stubbornly.
fn sessions(id: &str, players: u8) {
    let mut rng = Rng::new(1200 + id.len() as u64);
    for choose in STUBBORN
        .into_iter()
        .chain([Rng::action as fn(&mut Rng, &Deal) -> Action])
    {
        for _ in 0..20 {
            let rules = rng.rules_of(id, players);
            play_session(&mut rng, rules, choose);
        }
    }
}

#[test]
fn bavarian_scores_and_pot_add_up_to_zero() {
    sessions("bavarian", 3);
}

#[test]
fn haferltarock_scores_and_pot_add_up_to_zero() {
    sessions("haferltarock", 3);
}

#[test]
fn dobbm_scores_add_up_to_zero() {
    sessions("dobbm", 4);
}

#[test]
fn a_pot_of_3_is_emptied_and_filled_again_and_again() {
    let mut rng = Rng::new(1300);
    for options in [[("stake", "1"), ("length", "rounds(5)")]; 20] {
        play_session(&mut rng, table("bavarian", 3, &options), Rng::action);
    }
}
