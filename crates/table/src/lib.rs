//! A table without I/O: seats, a series of deals, clocks, absence, and who may see what.
//!
//! A table *is* its log. [`Table::replay`] makes the state from stored events, [`decide`] turns
//! a command into new events, and [`view`] and [`update`] say what one player may see. Time and
//! randomness come in as data; the store's clock stamps every event, and clocks are computed
//! from those stamps alone.
//!
//! Plain values without invariants (score lines, results, time controls) are the contract's own
//! types from [`proto`]; everything that has rules is a type of [`rules`] or of this crate.

mod chore;
mod commands;
mod decide;
mod event;
mod evolve;
mod opening;
mod score;
mod state;
mod update;
mod view;
mod wire;

pub use chore::Chore;
pub use commands::{Applied, CommandTag, Commanded};
pub use decide::{Command, Decision, Now, Reject, SeatAction, decide};
pub use event::{Event, Occupant, Player, Setup};
pub use opening::{BadSetup, TIME_CONTROL_DEFAULT, check_time_control};
pub use state::{Corrupt, Table, restored_version};
pub use update::{update, update_for};
pub use view::view;
pub use wire::{
    BadEvent, FORMAT, action_from_wire, action_to_wire, card_from_wire, card_to_wire, decode,
    decode_entry, encode, encode_entry, rules_from_wire, rules_to_wire,
};
