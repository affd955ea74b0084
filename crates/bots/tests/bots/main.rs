//! Bots at whole tables: what they do is legal and a function of what they see, and it is good.

mod legality;
mod strength;
mod table;
