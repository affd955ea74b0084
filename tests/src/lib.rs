//! What black-box tests need: running installations of Spatz, REST clients, and players that
//! choose among the legal actions that the server lists.

pub mod chaos;
pub mod client;
pub mod events;
pub mod front;
pub mod installation;
pub mod link;
pub mod load;
pub mod play;
pub mod process;
pub mod proxy;
pub mod replay;
pub mod socket;
