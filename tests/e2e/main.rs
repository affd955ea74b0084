//! Black-box tests of whole installations, over REST alone. Run them with `make test`.

mod backup;
mod bad_input;
mod commands;
mod crash;
mod drains;
mod ends;
mod faults;
mod operator;
mod outbox;
mod private_table;
mod ranked_match;
mod replicas;
mod secure;
mod services;
mod signals;
mod sockets;
mod support;
mod telemetry;
