//! Bytes as the stored log of a table.

use table::{Command, Event, Table, decide, decode, update, view};

use crate::bytes::Bytes;

/// Takes records of the bytes as stored events, leaving out those that are refused.
///
/// # Panics
/// When a table does what it must not: that is what the fuzzer looks for.
pub fn logs(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut table: Option<Table> = None;
    while let Some(record) = bytes.record() {
        let Some(at_ms) = bytes.next().map(|at| i64::from(at) * 1_000) else {
            return;
        };
        let rules = table.as_ref().map(|table| *table.rules());
        let Ok(event) = decode(record, rules.as_ref()) else {
            continue;
        };
        let next = match &table {
            None => Table::open(1, at_ms, &event),
            Some(table) => {
                let mut next = table.clone();
                next.evolve(table.version() + 1, at_ms, &event)
                    .map(|()| next)
            }
        };
        if let Ok(next) = next {
            ask(&next, &event, at_ms);
            table = Some(next);
        }
    }
}

/// What the service asks of every table.
fn ask(table: &Table, event: &Event, at_ms: i64) {
    for seat in table.rules().seats() {
        let _ = update(table, event, Some(seat), at_ms);
        if let Some(player) = table.player(seat) {
            let _ = view(table, player.id, at_ms).expect("who sits there sees the table");
        }
    }
    let _ = (update(table, event, None, at_ms), table.chore());
    for at_ms in [at_ms, i64::MIN, i64::MAX] {
        let _ = (table.due_ms(), table.wake_ms(None, at_ms));
        let _ = decide(table, &Command::Wake, at_ms);
    }
}
