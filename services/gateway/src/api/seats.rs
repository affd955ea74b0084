//! Who sits where.

use chassis::Failure;
use proto::v1::{self as wire, occupant::Kind};
use serde::Serialize;
use utoipa::ToSchema;

use super::convert::required;

/// Who sits on a seat.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Occupant {
    /// A person.
    Player {
        /// Id of the player.
        #[schema(format = Uuid)]
        id: String,
        /// Display name.
        name: String,
    },
    /// A player made of code.
    Bot {
        /// How well it plays.
        #[schema(example = "standard")]
        level: String,
    },
}

impl TryFrom<wire::Occupant> for Occupant {
    type Error = Failure;

    fn try_from(occupant: wire::Occupant) -> Result<Self, Failure> {
        Ok(match required(occupant.kind, "occupant")? {
            Kind::Player(player) => Self::Player {
                id: player.id,
                name: player.name,
            },
            Kind::Bot(bot) => Self::Bot { level: bot.level },
        })
    }
}

/// The occupant of a seat that may be open.
pub(crate) fn occupant_or_null(
    occupant: Option<wire::Occupant>,
) -> Result<Option<Occupant>, Failure> {
    let occupied = occupant.filter(|occupant| occupant.kind.is_some());
    occupied.map(Occupant::try_from).transpose()
}
