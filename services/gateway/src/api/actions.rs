//! Actions: what a player sends, what others get to see, what is legal.

use chassis::{ErrorCode, Failure};
use proto::v1::{self as wire, action::Kind, action_choice};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    cards::{self, Card, Suit},
    convert::{broken, required},
};

const NONCE_BYTES_MAX: usize = 32;
const BID_CHARS_MAX: usize = 32;
const DISCARD_MAX: usize = 36;

/// What a player wants to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Action {
    /// Take part in the match. Once, before the first deal.
    Ready {
        /// 1 to 32 bytes in hex, of your own choice, that go into the shuffles; the server draws
        /// them if you do not.
        nonce: Option<String>,
    },
    /// Decline to bid.
    Pass {},
    /// Bid a contract of the rule set's ladder.
    Bid {
        /// Name of the contract.
        #[schema(example = "look_in")]
        bid: String,
    },
    /// Hold the level that was just bid.
    Hold {},
    /// Name the contract after winning a holding auction.
    Announce {
        /// Name of the contract.
        #[schema(example = "pickup:66")]
        bid: String,
    },
    /// Name the trump suit.
    DeclareTrump {
        /// The suit.
        suit: Suit,
    },
    /// Double the value of the deal.
    Double {},
    /// Double it once more, as the declarer.
    Redouble {},
    /// Lay off cards after taking up the talon.
    Discard {
        /// Exactly as many as you took up.
        #[schema(example = json!(["H7", "G7", "E8", "S6"]))]
        cards: Vec<String>,
    },
    /// Play a card to the trick.
    Play {
        /// The card.
        #[schema(example = "HA")]
        card: String,
    },
    /// Take the seat back from the bot that stands in for you.
    Return {},
    /// Leave the table for good.
    Leave {},
}

impl TryFrom<Action> for wire::Action {
    type Error = Failure;

    fn try_from(action: Action) -> Result<Self, Failure> {
        let kind = match action {
            Action::Ready { nonce } => Kind::Ready(wire::Ready {
                nonce: nonce
                    .map(|text| nonce_of(&text))
                    .transpose()?
                    .unwrap_or_default(),
            }),
            Action::Pass {} => Kind::Pass(wire::Pass {}),
            Action::Bid { bid } => Kind::Bid(wire::Bid {
                bid: contract_of(bid)?,
            }),
            Action::Hold {} => Kind::Hold(wire::Hold {}),
            Action::Announce { bid } => Kind::Announce(wire::Announce {
                bid: contract_of(bid)?,
            }),
            Action::DeclareTrump { suit } => {
                Kind::DeclareTrump(wire::DeclareTrump { suit: suit.name() })
            }
            Action::Double {} => Kind::Double(wire::Double {}),
            Action::Redouble {} => Kind::Redouble(wire::Redouble {}),
            Action::Discard { cards } => Kind::Discard(discard_of(&cards)?),
            Action::Play { card } => Kind::Play(wire::Play {
                card: cards::parse(&card)?.into(),
            }),
            Action::Return {} => Kind::Return(wire::Return {}),
            Action::Leave {} => Kind::Leave(wire::Leave {}),
        };
        Ok(Self { kind: Some(kind) })
    }
}

fn contract_of(bid: String) -> Result<String, Failure> {
    if (1..=BID_CHARS_MAX).contains(&bid.len()) {
        return Ok(bid);
    }
    let detail = "action.bid: expected the name of a contract";
    Err(Failure::new(ErrorCode::UnknownBid, detail))
}

fn nonce_of(text: &str) -> Result<Vec<u8>, Failure> {
    let nonce = hex::decode(text).ok();
    let nonce = nonce.filter(|bytes| (1..=NONCE_BYTES_MAX).contains(&bytes.len()));
    nonce.ok_or_else(|| {
        let detail = "action.nonce: expected 1 to 32 bytes in hex";
        Failure::new(ErrorCode::InvalidBody, detail)
    })
}

fn discard_of(texts: &[String]) -> Result<wire::Discard, Failure> {
    if texts.len() > DISCARD_MAX {
        let detail = "action.cards: more than there are in the pack";
        return Err(Failure::new(ErrorCode::WrongDiscardCount, detail));
    }
    let cards = texts.iter().map(|text| cards::parse(text).map(i32::from));
    Ok(wire::Discard {
        cards: cards.collect::<Result<_, _>>()?,
        count: texts.len() as u32,
    })
}

/// An action that was taken, as the reader may see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TakenAction {
    /// Took part in the match.
    Ready {},
    /// Declined to bid.
    Pass {},
    /// Bid a contract.
    Bid {
        /// Name of the contract.
        bid: String,
    },
    /// Held the level that was just bid.
    Hold {},
    /// Named the contract.
    Announce {
        /// Name of the contract.
        bid: String,
    },
    /// Named the trump suit.
    DeclareTrump {
        /// The suit.
        suit: Suit,
    },
    /// Doubled the value of the deal.
    Double {},
    /// Doubled it once more.
    Redouble {},
    /// Laid off cards.
    Discard {
        /// How many.
        count: u32,
        /// Which: only for those who may know.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        cards: Option<Vec<Card>>,
    },
    /// Played a card.
    Play {
        /// The card.
        card: Card,
    },
    /// Took the seat back.
    Return {},
    /// Left the table.
    Leave {},
}

impl TryFrom<Option<wire::Action>> for TakenAction {
    type Error = Failure;

    fn try_from(action: Option<wire::Action>) -> Result<Self, Failure> {
        Ok(
            match required(action.and_then(|action| action.kind), "action")? {
                Kind::Ready(_) => Self::Ready {},
                Kind::Pass(_) => Self::Pass {},
                Kind::Bid(bid) => Self::Bid { bid: bid.bid },
                Kind::Hold(_) => Self::Hold {},
                Kind::Announce(announced) => Self::Announce { bid: announced.bid },
                Kind::DeclareTrump(named) => Self::DeclareTrump {
                    suit: named.suit.try_into()?,
                },
                Kind::Double(_) => Self::Double {},
                Kind::Redouble(_) => Self::Redouble {},
                Kind::Discard(discard) => Self::Discard {
                    count: discard.count.max(discard.cards.len() as u32),
                    cards: cards::cards_or_null(discard.cards)?,
                },
                Kind::Play(play) => Self::Play {
                    card: play.card.try_into()?,
                },
                Kind::Return(_) => Self::Return {},
                Kind::Leave(_) => Self::Leave {},
            },
        )
    }
}

/// An action that you may take now: send it as it is. Only `discard` is a template: send
/// `{"type":"discard","cards":[…]}` with exactly `count` cards of `from`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum LegalAction {
    /// Take part in the match.
    Ready {},
    /// Decline to bid.
    Pass {},
    /// Bid a contract.
    Bid {
        /// Name of the contract.
        bid: String,
    },
    /// Hold the level that was just bid.
    Hold {},
    /// Name the contract after winning a holding auction.
    Announce {
        /// Name of the contract.
        #[schema(example = "pickup:66")]
        bid: String,
    },
    /// Name the trump suit.
    DeclareTrump {
        /// The suit.
        suit: Suit,
    },
    /// Double the value of the deal.
    Double {},
    /// Double it once more, as the declarer.
    Redouble {},
    /// Lay off cards.
    Discard {
        /// How many.
        count: u32,
        /// Of which.
        from: Vec<Card>,
        /// With each ace a trump that is no ace must be laid off.
        aces_need_trumps: bool,
    },
    /// Play a card.
    Play {
        /// The card.
        card: Card,
    },
    /// Take the seat back.
    Return {},
    /// Leave the table.
    Leave {},
}

impl TryFrom<wire::ActionChoice> for LegalAction {
    type Error = Failure;

    fn try_from(choice: wire::ActionChoice) -> Result<Self, Failure> {
        let action = match required(choice.kind, "choice")? {
            action_choice::Kind::Discard(discard) => {
                return Ok(Self::Discard {
                    count: discard.count,
                    from: cards::cards(discard.from)?,
                    aces_need_trumps: discard.aces_need_trumps,
                });
            }
            action_choice::Kind::Action(action) => action,
        };
        Ok(match required(action.kind, "action")? {
            Kind::Ready(_) => Self::Ready {},
            Kind::Pass(_) => Self::Pass {},
            Kind::Bid(bid) => Self::Bid { bid: bid.bid },
            Kind::Hold(_) => Self::Hold {},
            Kind::Announce(announced) => Self::Announce { bid: announced.bid },
            Kind::DeclareTrump(named) => Self::DeclareTrump {
                suit: named.suit.try_into()?,
            },
            Kind::Double(_) => Self::Double {},
            Kind::Redouble(_) => Self::Redouble {},
            Kind::Play(play) => Self::Play {
                card: play.card.try_into()?,
            },
            Kind::Return(_) => Self::Return {},
            Kind::Leave(_) => Self::Leave {},
            Kind::Discard(_) => return Err(broken("discard choice")),
        })
    }
}

/// Who decided an action.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Actor {
    /// The player of the seat.
    Player,
    /// The server, because the player's time was up.
    Clock,
    /// The seat's bot, or the bot that stands in for an absent player.
    Bot,
}

impl TryFrom<i32> for Actor {
    type Error = Failure;

    fn try_from(actor: i32) -> Result<Self, Failure> {
        match wire::Actor::try_from(actor) {
            Ok(wire::Actor::Player) => Ok(Self::Player),
            Ok(wire::Actor::Clock) => Ok(Self::Clock),
            Ok(wire::Actor::Bot) => Ok(Self::Bot),
            Ok(wire::Actor::Unspecified) | Err(_) => Err(broken("actor")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sent(value: Value) -> Result<wire::Action, ErrorCode> {
        let action: Action = serde_json::from_value(value).map_err(|_| ErrorCode::InvalidBody)?;
        action.try_into().map_err(|failure: Failure| failure.code)
    }

    fn seen(action: wire::Action) -> Value {
        serde_json::to_value(TakenAction::try_from(Some(action)).unwrap()).unwrap()
    }

    #[test]
    fn what_is_sent_is_what_is_seen() {
        for action in [
            json!({"type": "pass"}),
            json!({"type": "bid", "bid": "look_in"}),
            json!({"type": "hold"}),
            json!({"type": "announce", "bid": "pickup:66"}),
            json!({"type": "declare_trump", "suit": "bells"}),
            json!({"type": "double"}),
            json!({"type": "redouble"}),
            json!({"type": "play", "card": "HA"}),
            json!({"type": "return"}),
            json!({"type": "leave"}),
        ] {
            assert_eq!(seen(sent(action.clone()).unwrap()), action);
        }
        let discard = sent(json!({"type": "discard", "cards": ["H7", "S6"]})).unwrap();
        let all = json!({"type": "discard", "count": 2, "cards": ["H7", "S6"]});
        assert_eq!(seen(discard), all);
    }

    #[test]
    fn a_nonce_is_one_to_thirty_two_bytes_in_hex_and_never_shown() {
        let ready = sent(json!({"type": "ready", "nonce": "00ff"})).unwrap();
        assert_eq!(
            ready.kind,
            Some(Kind::Ready(wire::Ready {
                nonce: vec![0, 255]
            }))
        );
        assert_eq!(seen(ready), json!({"type": "ready"}));
        assert!(sent(json!({"type": "ready"})).is_ok());
        for bad in ["", "0", "xy", &"00".repeat(33)] {
            let action = json!({"type": "ready", "nonce": bad});
            assert_eq!(sent(action), Err(ErrorCode::InvalidBody), "{bad}");
        }
    }

    #[test]
    fn unknown_cards_types_and_members_are_refused() {
        for (action, code) in [
            (
                json!({"type": "play", "card": "ZZ"}),
                ErrorCode::UnknownCard,
            ),
            (
                json!({"type": "discard", "cards": ["H7", "10"]}),
                ErrorCode::UnknownCard,
            ),
            (
                json!({"type": "discard", "cards": vec!["H7"; 37]}),
                ErrorCode::WrongDiscardCount,
            ),
            (json!({"type": "bid", "bid": ""}), ErrorCode::UnknownBid),
            (
                json!({"type": "declare_trump", "suit": "spades"}),
                ErrorCode::InvalidBody,
            ),
            (json!({"type": "fly"}), ErrorCode::InvalidBody),
            (
                json!({"type": "pass", "card": "HA"}),
                ErrorCode::InvalidBody,
            ),
            (json!({"type": "play"}), ErrorCode::InvalidBody),
            (json!("pass"), ErrorCode::InvalidBody),
        ] {
            assert_eq!(sent(action.clone()), Err(code), "{action}");
        }
    }
}
