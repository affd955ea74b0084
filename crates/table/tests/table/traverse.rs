//! Every card and every seed in what is sent to a player, found by taking the messages apart.
//! Nothing is skipped by `..`: a new field has to be judged here before the tests build again.

use proto::v1::{self as wire, action_choice, table_update::Kind};

/// What a message tells.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Cards of the deal that runs.
    pub(crate) cards: Vec<i32>,
    /// Cards of finished deals, with the number of the deal.
    pub(crate) past: Vec<(u32, i32)>,
    /// The server seed, if it is told.
    pub(crate) seed: Vec<u8>,
}

impl Told {
    pub(crate) fn by_view(view: &wire::TableView) -> Self {
        let wire::TableView {
            table_id: _,
            version: _,
            kind: _,
            queue: _,
            ladder: _,
            invite_code: _,
            rules: _,
            time_control: _,
            phase: _,
            my_seat: _,
            seats,
            deal,
            turn,
            legal_actions,
            score_sheet,
            result,
            rating_changes: _,
            seed_hash: _,
            server_seed,
            nonces: _,
            now_ms: _,
            pot: _,
        } = view;
        let mut told = Self::default();
        seats.iter().for_each(no_cards_on_a_seat);
        deal.iter().for_each(|deal| told.deal(deal));
        turn.iter().for_each(no_cards_in_a_turn);
        told.choices(legal_actions);
        score_sheet.iter().for_each(|score| told.score(score));
        result.iter().for_each(no_cards_in_a_result);
        told.seed.clone_from(server_seed);
        told
    }

    fn choices(&mut self, legal_actions: &[wire::ActionChoice]) {
        for choice in legal_actions {
            match choice.kind.as_ref().unwrap() {
                action_choice::Kind::Action(action) => self.action(action),
                action_choice::Kind::Discard(wire::DiscardChoice {
                    count: _,
                    from,
                    aces_need_trumps: _,
                }) => {
                    self.cards.extend(from);
                }
            }
        }
    }

    pub(crate) fn by_update(update: &wire::TableUpdate) -> Self {
        let wire::TableUpdate {
            version: _,
            at_ms: _,
            kind,
            turn,
            legal_actions,
        } = update;
        let mut told = Self::default();
        turn.iter().for_each(no_cards_in_a_turn);
        told.choices(legal_actions);
        match kind.as_ref().unwrap() {
            Kind::Heartbeat(wire::Heartbeat {})
            | Kind::Resync(wire::Resync {})
            | Kind::Archived(wire::ArchivedUpdate {})
            | Kind::ClockRestarted(wire::ClockUpdate {})
            | Kind::Opened(wire::OpenedUpdate {
                rules: _,
                seed_hash: _,
            })
            | Kind::SeatTaken(wire::SeatUpdate {
                seat: _,
                occupant: _,
                left: _,
            })
            | Kind::SeatFreed(_)
            | Kind::SeatReady(_)
            | Kind::SeatAway(_)
            | Kind::SeatReturned(_)
            | Kind::MatchRated(wire::RatedUpdate { changes: _ })
            | Kind::Closed(wire::ClosedUpdate { reason: _ }) => {}
            Kind::DealStarted(wire::DealUpdate {
                number: _,
                dealer: _,
                hand,
                stake: _,
                pot: _,
            }) => told.cards.extend(hand),
            Kind::Action(wire::ActionUpdate {
                seat: _,
                action,
                by: _,
                declaration,
                talon,
                trick,
            }) => {
                told.action(action.as_ref().unwrap());
                declaration.iter().for_each(no_cards_in_a_declaration);
                told.cards.extend(talon);
                trick.iter().for_each(|trick| told.trick(trick));
            }
            Kind::DealScored(score) => told.score(score),
            Kind::MatchEnded(wire::EndUpdate {
                result,
                server_seed,
            }) => {
                result.iter().for_each(no_cards_in_a_result);
                told.seed.clone_from(server_seed);
            }
        }
        told
    }

    fn deal(&mut self, deal: &wire::DealView) {
        let wire::DealView {
            number: _,
            dealer: _,
            forehand: _,
            trump: _,
            auction,
            declaration,
            hand,
            talon,
            discards,
            trick,
            last_trick,
            doubled_by: _,
            redoubled: _,
        } = deal;
        for wire::AuctionCall {
            seat: _,
            bid: _,
            hold: _,
        } in auction
        {}
        declaration.iter().for_each(no_cards_in_a_declaration);
        self.cards.extend(hand.iter().chain(talon).chain(discards));
        for trick in trick.iter().chain(last_trick) {
            self.trick(trick);
        }
    }

    fn trick(&mut self, trick: &wire::TrickView) {
        let wire::TrickView {
            leader: _,
            cards,
            winner: _,
            points: _,
        } = trick;
        self.cards.extend(cards);
    }

    fn action(&mut self, action: &wire::Action) {
        use wire::action::Kind;
        match action.kind.as_ref().unwrap() {
            Kind::Ready(wire::Ready { nonce: _ })
            | Kind::Pass(wire::Pass {})
            | Kind::Bid(wire::Bid { bid: _ })
            | Kind::Hold(wire::Hold {})
            | Kind::Announce(wire::Announce { bid: _ })
            | Kind::DeclareTrump(wire::DeclareTrump { suit: _ })
            | Kind::Double(wire::Double {})
            | Kind::Redouble(wire::Redouble {})
            | Kind::Return(wire::Return {})
            | Kind::Leave(wire::Leave {}) => {}
            Kind::Discard(wire::Discard { cards, count: _ }) => self.cards.extend(cards),
            Kind::Play(wire::Play { card }) => self.cards.push(*card),
        }
    }

    fn score(&mut self, score: &wire::DealScore) {
        let wire::DealScore {
            number,
            dealer: _,
            declarer,
            points: _,
            totals: _,
            counted: _,
            stake: _,
            pot: _,
        } = score;
        let Some(wire::DeclarerScore {
            seat: _,
            contract: _,
            card_points: _,
            tricks: _,
            made: _,
            value: _,
            spatz: _,
            talon,
            discards,
            trump: _,
            doubled_by: _,
            redoubled: _,
        }) = declarer
        else {
            return;
        };
        let cards = talon.iter().chain(discards);
        self.past.extend(cards.map(|&card| (*number, card)));
    }
}

fn no_cards_on_a_seat(seat: &wire::SeatView) {
    let wire::SeatView {
        seat: _,
        occupant: _,
        ready: _,
        away: _,
        left: _,
        score: _,
        cards: _,
        tricks: _,
        bank_ms: _,
    } = seat;
}

fn no_cards_in_a_turn(turn: &wire::Turn) {
    let wire::Turn {
        seat: _,
        started_ms: _,
        deadline_ms: _,
    } = turn;
}

fn no_cards_in_a_declaration(declaration: &wire::Declaration) {
    let wire::Declaration {
        declarer: _,
        contract: _,
        goal: _,
        target: _,
    } = declaration;
}

fn no_cards_in_a_result(result: &wire::MatchResult) {
    let wire::MatchResult {
        scores: _,
        places: _,
        settlement: _,
        abandoned: _,
        pot_shares: _,
    } = result;
}
