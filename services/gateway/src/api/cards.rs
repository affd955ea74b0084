//! Cards in JSON: suit letter and rank letter, such as `HA`.

use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema, schema::ObjectBuilder, schema::Type},
};

use super::convert::broken;

/// A card that a client gets to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Card(&'static str);

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl PartialSchema for Card {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[EGHS][AXKOU9876]$"))
            .description(Some(
                "Suit letter (E acorns, G leaves, H hearts, S bells) and rank letter, high to \
                 low: A (Daus), X (ten), K (king), O (Ober), U (Unter), 9, 8, 7, 6. The Spatz \
                 is H6.",
            ))
            .examples(["HA"])
            .into()
    }
}

impl ToSchema for Card {}

impl TryFrom<i32> for Card {
    type Error = Failure;

    fn try_from(card: i32) -> Result<Self, Failure> {
        let card = wire::Card::try_from(card).map_err(|_| broken("card"))?;
        match card {
            wire::Card::Unspecified => Err(broken("card")),
            card => Ok(Self(&card.as_str_name()["CARD_".len()..])),
        }
    }
}

/// A suit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Suit {
    /// Eichel
    Acorns,
    /// Gras, Blatt
    Leaves,
    /// Herz
    Hearts,
    /// Schellen
    Bells,
}

impl Suit {
    pub(crate) fn name(self) -> String {
        rules::Suit::from(self).name().to_owned()
    }
}

impl From<Suit> for rules::Suit {
    fn from(suit: Suit) -> Self {
        match suit {
            Suit::Acorns => Self::Acorns,
            Suit::Leaves => Self::Leaves,
            Suit::Hearts => Self::Hearts,
            Suit::Bells => Self::Bells,
        }
    }
}

impl TryFrom<String> for Suit {
    type Error = Failure;

    fn try_from(name: String) -> Result<Self, Failure> {
        let suit = rules::Suit::named(&name).ok_or_else(|| broken("suit"))?;
        Ok(match suit {
            rules::Suit::Acorns => Self::Acorns,
            rules::Suit::Leaves => Self::Leaves,
            rules::Suit::Hearts => Self::Hearts,
            rules::Suit::Bells => Self::Bells,
        })
    }
}

/// A suit; empty means there is none.
pub(crate) fn suit_or_null(name: String) -> Result<Option<Suit>, Failure> {
    super::convert::text_or_null(name)
        .map(Suit::try_from)
        .transpose()
}

/// Cards for display, in the order they came.
pub(crate) fn cards(cards: Vec<i32>) -> Result<Vec<Card>, Failure> {
    super::convert::all(cards)
}

/// None instead of no cards: what the caller may not see.
pub(crate) fn cards_or_null(list: Vec<i32>) -> Result<Option<Vec<Card>>, Failure> {
    if list.is_empty() {
        return Ok(None);
    }
    cards(list).map(Some)
}

/// A card that a client sent.
///
/// # Errors
/// [`ErrorCode::UnknownCard`].
pub(crate) fn parse(text: &str) -> Result<wire::Card, Failure> {
    let known = (text.len() == 2)
        .then(|| wire::Card::from_str_name(&format!("CARD_{text}")))
        .flatten();
    known.ok_or_else(|| {
        let detail = "no such card: expected a suit letter of EGHS and a rank letter of \
             AXKOU9876, such as HA";
        Failure::new(ErrorCode::UnknownCard, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_survives_json_and_nothing_else_is_one() {
        let mut names = Vec::new();
        for suit in "EGHS".chars() {
            for rank in "AXKOU9876".chars() {
                let name = format!("{suit}{rank}");
                let card = parse(&name).unwrap();
                assert_eq!(Card::try_from(card as i32).unwrap().0, name);
                names.push(card);
            }
        }
        assert_eq!(names.len(), 36);
        for bad in ["", "H", "ha", "HT", "XA", "H10", "UNSPECIFIED", "ÄH"] {
            assert_eq!(
                parse(bad).unwrap_err().code,
                ErrorCode::UnknownCard,
                "{bad}"
            );
        }
        assert!(Card::try_from(0).is_err() && Card::try_from(37).is_err());
    }
}
