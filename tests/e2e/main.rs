//! Black-box tests of whole installations, over REST alone. Run them with `make test`.

mod bad_input;
mod crash;
mod private_table;
mod ranked_match;
mod services;
mod sockets;
mod support;
