//! What holds in every session, checked against its whole history.

use rules::{DealEnd, Length, Recorded, Rules, Session};

use crate::kit::{Record, Rng, seat};

/// Whether the session is over, from the history of its deals: what each recorded, in order.
fn is_over(rules: &Rules, history: &[Recorded]) -> bool {
    let players = usize::from(rules.players());
    let counted = history.iter().filter(|deal| deal.counted).count();
    let rounds = counted / players;
    let round_finished = counted > 0 && counted % players == 0;
    let enough = match rules.options.length {
        Length::Rounds(length) => rounds == usize::from(length),
        Length::Points(target) => {
            let mut scores = vec![0; players];
            let mut passed = false;
            for deal in history {
                for (score, points) in scores.iter_mut().zip(deal.points.0) {
                    *score += points;
                }
                passed |= scores.iter().any(|&score| score > i32::from(target));
            }
            passed || rounds == usize::from(rules.options.max_rounds)
        }
    };
    round_finished && enough
}

/// How many thrown-in deals in a row end the history and do not count.
fn thrown_in(history: &[Recorded]) -> usize {
    history
        .iter()
        .rev()
        .take_while(|deal| !deal.counted)
        .count()
}

/// Plays a random session to its end.
fn play_session(rng: &mut Rng, players: u8) {
    let rules = rng.rules(players);
    let first_dealer = rng.below(players.into());
    let mut session = Session::new(rules, seat(first_dealer as u8));
    let mut history: Vec<Recorded> = Vec::new();
    let mut dealt = vec![0; players.into()];
    loop {
        assert_eq!(session.is_over(), is_over(&rules, &history));
        let Some(next) = session.next_deal() else {
            break;
        };
        let counted = history.iter().filter(|deal| deal.counted).count();
        assert_eq!(next.number as usize, history.len() + 1);
        let dealer = (first_dealer + counted) % usize::from(players);
        assert_eq!(next.dealer.index(), dealer);
        let end = if rng.percent(30) {
            DealEnd::ThrownIn
        } else {
            Record::dealt_by(rng, rules, next.dealer).end()
        };
        let before = thrown_in(&history) + 1;
        let recorded = session.record(&end);
        let moves_on = match end {
            DealEnd::ThrownIn => before == usize::from(rules.options.max_thrown_in),
            DealEnd::Played(_) => true,
        };
        assert_eq!(recorded.counted, moves_on);
        dealt[dealer] += u32::from(recorded.counted);
        history.push(recorded);
    }
    assert!(session.is_over());
    let equally_often = dealt.iter().all(|&times| times == dealt[0] && times > 0);
    assert!(equally_often, "all have dealt equally often: {dealt:?}");
    let total = |seat: usize| history.iter().map(|deal| deal.points.0[seat]).sum::<i32>();
    let totals: Vec<i32> = (0..usize::from(players)).map(total).collect();
    assert_eq!(session.scores().first(players), totals);
    assert_eq!(
        session.settlement().payments.unwrap().0.iter().sum::<i32>(),
        0
    );
}

#[test]
fn thousands_of_random_sessions_end_when_the_rules_say() {
    for players in [3, 4] {
        let mut rng = Rng::new(700 + u64::from(players));
        for _ in 0..1000 {
            play_session(&mut rng, players);
        }
    }
}
