//! Keeping the copies of ladders in Redis: bringing changed lines, making copies, comparing them.
//!
//! The database is the truth. A line is noted there by the transaction that changes it, and
//! brought to the copy after that is committed. A new copy is made beside the old one: it is
//! begun (from then on changes are noted for it, too), gets every line, and only then answers.

use std::collections::HashMap;

use chassis::Failure;
use uuid::Uuid;

use crate::{
    board::{Board, Boards, Copied},
    service::Ranking,
    store::{Ladder, Listing, Store},
};

/// Lines that are brought at once.
const CHUNK: usize = 1000;
/// How often a line that differs is looked at again, because it may be on its way.
const LOOKS: u32 = 5;
/// Seasons before the open one whose ladders have copies.
const CLOSED_WITH_COPY: u32 = 1;

/// A line in which a copy and the database differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The player.
    pub player: Uuid,
    /// Rating, since when, end of the latest match, matches; as the database has it. None: not
    /// listed.
    pub database: Option<(i32, i64, i64, i64)>,
    /// The same in the copy.
    pub copy: Option<(i32, i64, i64, i64)>,
}

/// What a comparison of a ladder with its copy found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Lines that are listed.
    pub lines: usize,
    /// Those that differ, by player.
    pub differences: Vec<Difference>,
}

/// Whether a ladder should have a copy: the open season's and the one before it.
fn wants_copy(ladder: &Ladder, ladders: &[Ladder]) -> bool {
    let of_ruleset = ladders.iter().filter(|l| l.ruleset == ladder.ruleset);
    let newest = of_ruleset.map(|l| l.season).max().unwrap_or(0);
    ladder.season + CLOSED_WITH_COPY >= newest
}

/// Brings changed lines to their copies until there are none, or others bring the rest.
///
/// # Errors
/// When a store does not answer; nothing is lost then.
pub(crate) async fn bring(store: &Store, boards: &Boards) -> Result<(), Failure> {
    while let Some(taken) = store.take_notes().await? {
        for (ladder, batch) in &taken.batches {
            let lines = batch.lines.iter().filter(|changed| !changed.line.excluded);
            let lines: Vec<Copied> = lines.map(Copied::from).collect();
            for &number in &batch.boards {
                boards.put(Board { ladder, number }, &lines).await?;
            }
        }
        let full = taken.full;
        taken.done().await?;
        if !full {
            break;
        }
    }
    Ok(())
}

impl Ranking {
    /// Ladders that should have a copy that answers, and have none. Copies that are not wanted
    /// any more are removed.
    pub(crate) async fn without_copy(&self, boards: &Boards) -> Result<Vec<Ladder>, Failure> {
        let ladders = self.store.ladders().await?;
        let mut missing = Vec::new();
        for ladder in &ladders {
            let board = ladder.board.map(|number| Board {
                ladder: &ladder.id,
                number,
            });
            let wanted = wants_copy(ladder, &ladders);
            match board {
                Some(board) if !wanted => {
                    self.store.retire_board(&ladder.id).await?;
                    boards.drop(board).await?;
                }
                Some(board) => {
                    let min_matches = self.listing(ladder).min_matches;
                    if !boards.is_ready(board, min_matches).await? {
                        missing.push(ladder.clone());
                    }
                }
                None if wanted => missing.push(ladder.clone()),
                None => {}
            }
        }
        Ok(missing)
    }

    /// Makes a new copy of a ladder, which answers from then on, and removes the old one. False
    /// when another process is making one, or the copy was lost or given up meanwhile.
    pub(crate) async fn make_copy(
        &self,
        boards: &Boards,
        ladder: &Ladder,
    ) -> Result<bool, Failure> {
        let Some(making) = self.store.make_board(&ladder.id).await? else {
            return Ok(false);
        };
        let made = self.fill_copy(boards, ladder).await;
        making.end().await?;
        made
    }

    async fn fill_copy(&self, boards: &Boards, ladder: &Ladder) -> Result<bool, Failure> {
        let number = self.store.begin_board(&ladder.id).await?;
        let board = Board {
            ladder: &ladder.id,
            number,
        };
        let listing = self.listing(ladder);
        boards.begin(board, listing.min_matches).await?;
        let mut after = None;
        loop {
            let lines = self.store.listed_lines(&listing, after, CHUNK).await?;
            let copied: Vec<Copied> = lines.iter().map(Copied::from).collect();
            boards.put(board, &copied).await?;
            match lines.last() {
                Some(last) if lines.len() == CHUNK => after = Some(last.player),
                _ => break,
            }
        }
        let complete = boards.finish(board).await?;
        if !complete || !self.store.promote_board(&ladder.id, number).await? {
            return Ok(false);
        }
        tracing::info!(ladder = ladder.id, number, "copy of the ladder made");
        if let Some(old) = ladder.board {
            let old = Board {
                ladder: &ladder.id,
                number: old,
            };
            boards.drop(old).await?;
        }
        Ok(true)
    }

    /// Compares a copy with the database, line by line. What differs is looked at again, since
    /// a line may be on its way.
    pub(crate) async fn compare_copy(
        &self,
        boards: &Boards,
        ladder: &Ladder,
        number: i64,
    ) -> Result<Comparison, Failure> {
        let board = Board {
            ladder: &ladder.id,
            number,
        };
        let listing = self.listing(ladder);
        let mut listed = self.all_listed(&listing).await?;
        let mut comparison = Comparison {
            lines: listed.len(),
            differences: Vec::new(),
        };
        let mut suspects = Vec::new();
        let mut cursor = 0;
        loop {
            let (next, lines) = boards.scan(board, cursor).await?;
            for line in lines {
                if listed.remove(&line.player) != Some(line) {
                    suspects.push(line.player);
                }
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        suspects.extend(listed.into_keys());
        suspects.sort_unstable();
        suspects.dedup();
        for player in suspects {
            let difference = self.difference(boards, board, &listing, player).await?;
            comparison.differences.extend(difference);
        }
        Ok(comparison)
    }

    async fn all_listed(&self, listing: &Listing) -> Result<HashMap<Uuid, Copied>, Failure> {
        let mut listed = HashMap::new();
        let mut after = None;
        loop {
            let lines = self.store.listed_lines(listing, after, CHUNK).await?;
            let copied = lines.iter().map(Copied::from);
            listed.extend(copied.map(|line| (line.player, line)));
            match lines.last() {
                Some(last) if lines.len() == CHUNK => after = Some(last.player),
                _ => return Ok(listed),
            }
        }
    }

    /// How a line differs when it was looked at several times; nothing once it does not.
    async fn difference(
        &self,
        boards: &Boards,
        board: Board<'_>,
        listing: &Listing,
        player: Uuid,
    ) -> Result<Option<Difference>, Failure> {
        let told = |line: &Copied| (line.rating, line.reached_ms, line.last_ms, line.matches);
        let mut look = 1;
        loop {
            bring(&self.store, boards).await?;
            let database = self.store.listed_line(listing, player).await?;
            let database = database.as_ref().map(Copied::from);
            let copy = boards.lines(board, &[player]).await?;
            // Readers take the inactive out; nobody may have read since.
            let copy = copy
                .first()
                .filter(|c| c.last_ms >= listing.active_since_ms);
            if database.as_ref() == copy {
                return Ok(None);
            }
            if look == LOOKS {
                return Ok(Some(Difference {
                    player,
                    database: database.as_ref().map(told),
                    copy: copy.map(told),
                }));
            }
            look += 1;
        }
    }
}
