//! Opening a table: what a setup may be.

use proto::v1::{OpenTableRequest, TableKind, TimeControl};
use rules::{Length, Rules, RulesError, SEED_BYTES};
use uuid::Uuid;

use crate::{
    Event, Occupant, Setup,
    wire::{BadEvent, occupant_from_wire, rules_from_wire},
};

/// What tables get when nothing else is asked for: 20 s a move with a bank of 60 s.
pub const TIME_CONTROL_DEFAULT: TimeControl = TimeControl {
    move_ms: 20_000,
    bank_ms: 60_000,
    pause_ms: 5_000,
    bot_ms: 800,
};

const MOVE_MS: std::ops::RangeInclusive<u32> = 1_000..=86_400_000;
const BANK_MS_MAX: u32 = 86_400_000;
const PAUSE_MS_MAX: u32 = 60_000;
const BOT_MS_MAX: u32 = 10_000;
const TEXT_BYTES_MAX: usize = 64;
/// Bytes of a player's name, at most.
pub(crate) const NAME_BYTES_MAX: usize = 128;
/// Deals of a match, at most, should as many be thrown in as can be. Bots and scripts can pass
/// quickly, and every deal stays in the log.
const DEALS_MAX: u32 = 2_000;

/// Why a table cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetup {
    /// The id is no UUID.
    #[error("expected a UUID as the table's id")]
    Id,
    /// The kind is missing.
    #[error("expected a kind of table: ranked, casual or private")]
    Kind,
    /// The rules are refused.
    #[error("{0}")]
    Rules(#[from] RulesError),
    /// The match could be too long.
    #[error("expected rounds × players × max_thrown_in to be at most {DEALS_MAX} deals")]
    Deals,
    /// The time control is out of bounds.
    #[error(
        "time control: expected 1 s to 24 h a move, a bank of at most 24 h, a pause of at most \
         60 s, and bots that wait at most 10 s"
    )]
    TimeControl,
    /// The seats do not fit the number of players.
    #[error("expected one occupant or open seat for each player, nobody twice")]
    Seats,
    /// A ranked table has a bot or an open seat, or another kind counts for a ladder.
    #[error("only a ranked table counts for a ladder, and only players sit there")]
    Ladder,
    /// A text is too long.
    #[error(
        "expected codes of at most {TEXT_BYTES_MAX} bytes and names of at most {NAME_BYTES_MAX}"
    )]
    Text,
}

impl From<BadEvent> for BadSetup {
    fn from(error: BadEvent) -> Self {
        match error {
            BadEvent::Rules(error) => Self::Rules(error),
            _ => Self::Seats,
        }
    }
}

/// Checks the bounds of a time control.
///
/// # Errors
/// When a value is out of bounds.
pub fn check_time_control(time: &TimeControl) -> Result<(), BadSetup> {
    let good = MOVE_MS.contains(&time.move_ms)
        && time.bank_ms <= BANK_MS_MAX
        && time.pause_ms <= PAUSE_MS_MAX
        && time.bot_ms <= BOT_MS_MAX;
    if good {
        Ok(())
    } else {
        Err(BadSetup::TimeControl)
    }
}

impl Event {
    /// The first event of a new table.
    ///
    /// # Errors
    /// When the request cannot be a table.
    pub fn opening(
        request: &OpenTableRequest,
        server_seed: [u8; SEED_BYTES],
    ) -> Result<Self, BadSetup> {
        let id: Uuid = request.table_id.parse().map_err(|_| BadSetup::Id)?;
        let kind = request.kind();
        if kind == TableKind::Unspecified {
            return Err(BadSetup::Kind);
        }
        let texts = [&request.queue, &request.ladder, &request.invite_code];
        if texts.iter().any(|text| text.len() > TEXT_BYTES_MAX) {
            return Err(BadSetup::Text);
        }
        let rules = rules_from_wire(&request.rules.clone().unwrap_or_default(), None)?;
        if deals_max(&rules) > DEALS_MAX {
            return Err(BadSetup::Deals);
        }
        let time_control = request.time_control.unwrap_or(TIME_CONTROL_DEFAULT);
        check_time_control(&time_control)?;
        let seats: Vec<Option<Occupant>> = request
            .seats
            .iter()
            .map(occupant_from_wire)
            .collect::<Result<_, _>>()?;
        check_seats(&seats, rules.players())?;
        let players_only = seats
            .iter()
            .all(|seat| matches!(seat, Some(Occupant::Player(_))));
        let ranked = kind == TableKind::Ranked;
        if ranked == request.ladder.is_empty() || (ranked && !players_only) {
            return Err(BadSetup::Ladder);
        }
        Ok(Self::Opened {
            setup: Box::new(Setup {
                id,
                kind,
                queue: request.queue.clone(),
                ladder: request.ladder.clone(),
                rules,
                time_control,
                server_seed,
                invite_code: request.invite_code.clone(),
            }),
            seats,
        })
    }
}

fn deals_max(rules: &Rules) -> u32 {
    let rounds = match rules.options.length {
        Length::Points(_) => rules.options.max_rounds,
        Length::Rounds(rounds) => rounds,
    };
    u32::from(rounds) * u32::from(rules.players()) * u32::from(rules.options.max_thrown_in)
}

fn check_seats(seats: &[Option<Occupant>], players: u8) -> Result<(), BadSetup> {
    let mut people: Vec<Uuid> = Vec::new();
    for seat in seats {
        if let Some(Occupant::Player(player)) = seat {
            if player.name.len() > NAME_BYTES_MAX {
                return Err(BadSetup::Text);
            }
            people.push(player.id);
        }
    }
    let n_people = people.len();
    people.sort_unstable();
    people.dedup();
    if seats.len() == usize::from(players) && n_people == people.len() && n_people > 0 {
        Ok(())
    } else {
        Err(BadSetup::Seats)
    }
}
