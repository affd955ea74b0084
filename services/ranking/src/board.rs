//! The copy of a ladder in Redis: sorted sets that answer ranks without counting.
//!
//! Four keys of one slot: `order` (who stands where), `last` (end of the latest match, by which
//! the inactive are taken out), `played` (matches), `state` (whether it is complete, and for how
//! many matches one is listed). A member is the 16 bytes of a player's id, whose order is that of
//! its text. Copies are numbered; the ladder's row says which one answers.
//!
//! A copy answers only when it is complete and was made for the same number of matches.
//! Otherwise the database answers.

use chassis::kv::Kv;
use redis::{FromRedisValue, RedisError, RedisResult, Script, ScriptInvocation, Value};
use uuid::Uuid;

use crate::{
    cursor::Position,
    store::{Changed, Listing, Page, Row, Standing},
};

/// The highest rating that has a place of its own in the order.
const MAX_RATING: i64 = 4095;
/// Instants of each rating: until the year 2109.
const SPAN: i64 = 1 << 42;
/// Makes scores use both signs, so that all are whole numbers of a double.
const BASE: i64 = 1 << 53;

/// What a copy says.
#[derive(Debug)]
pub(crate) enum Answer<T> {
    /// This.
    Known(T),
    /// The player is not listed.
    Absent,
    /// It is not there, not complete, or was made for another listing.
    Unusable,
}

/// A line as a copy has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) player: Uuid,
    pub(crate) rating: i32,
    pub(crate) reached_ms: i64,
    pub(crate) last_ms: i64,
    pub(crate) matches: i64,
}

impl From<&Changed> for Copied {
    fn from(changed: &Changed) -> Self {
        let line = &changed.line;
        Self {
            player: changed.player,
            rating: line.rating,
            reached_ms: line.reached_ms,
            last_ms: line.last_ms,
            matches: line.matches,
        }
    }
}

/// The copies of ladders in one Redis.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    kv: Kv,
    around: Script,
    page: Script,
    among: Script,
    put: Script,
    state: Script,
}

/// One copy of one ladder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board<'a> {
    pub(crate) ladder: &'a str,
    pub(crate) number: i64,
}

fn score(rating: i32, reached_ms: i64) -> i64 {
    let rating = i64::from(rating).clamp(0, MAX_RATING);
    (MAX_RATING - rating) * SPAN + reached_ms.clamp(0, SPAN - 1) - BASE
}

/// Rating and instant of a score.
fn unscore(score: i64) -> (i32, i64) {
    let place = score + BASE;
    let rating = MAX_RATING - place.div_euclid(SPAN);
    (rating as i32, place.rem_euclid(SPAN))
}

macro_rules! script {
    ($name:literal) => {
        Script::new(concat!(
            include_str!("board/prelude.lua"),
            include_str!(concat!("board/", $name, ".lua"))
        ))
    };
}

impl Boards {
    pub(crate) fn new(kv: Kv) -> Self {
        Self {
            kv,
            around: script!("around"),
            page: script!("page"),
            among: script!("among"),
            put: script!("put"),
            state: script!("state"),
        }
    }

    fn key(&self, board: Board<'_>, part: &str) -> String {
        // The braces put the keys of a ladder into one slot.
        let Board { ladder, number } = board;
        format!("{}:board:{{{ladder}}}:{number}:{part}", self.kv.prefix)
    }

    fn call<'a>(&self, script: &'a Script, board: Board<'_>) -> ScriptInvocation<'a> {
        let mut call = script.prepare_invoke();
        for part in ["order", "last", "played", "state"] {
            call.key(self.key(board, part));
        }
        call
    }

    fn read<'a>(
        &self,
        script: &'a Script,
        board: Board<'_>,
        listing: &Listing,
    ) -> ScriptInvocation<'a> {
        let mut call = self.call(script, board);
        call.arg(listing.min_matches).arg(listing.active_since_ms);
        call
    }

    async fn invoke<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> RedisResult<T> {
        call.invoke_async(&mut self.kv.connection.clone()).await
    }

    /// As `Store::around`.
    pub(crate) async fn around(
        &self,
        board: Board<'_>,
        listing: &Listing,
        player: Uuid,
        span: usize,
    ) -> RedisResult<Answer<Page>> {
        let mut call = self.read(&self.around, board, listing);
        call.arg(span).arg(player.as_bytes());
        let (rows, above, ahead) = match rows(self.invoke(&call).await?)? {
            Answer::Known(rows) => rows,
            Answer::Absent => return Ok(Answer::Absent),
            Answer::Unusable => return Ok(Answer::Unusable),
        };
        let behind = rows.iter().rev();
        let behind = behind
            .take_while(|row| row.position.player != player)
            .count();
        Ok(Answer::Known(page(rows, above, ahead, behind > span)))
    }

    /// As `Store::standings`.
    pub(crate) async fn page(
        &self,
        board: Board<'_>,
        listing: &Listing,
        after: Option<&Position>,
        limit: usize,
    ) -> RedisResult<Answer<Page>> {
        let mut call = self.read(&self.page, board, listing);
        // One more than asked for, to know whether there are more.
        call.arg(limit + 1);
        if let Some(position) = after {
            call.arg(score(position.rating, position.reached_ms))
                .arg(position.player.as_bytes());
        }
        Ok(match rows(self.invoke(&call).await?)? {
            Answer::Known((rows, above, ahead)) => {
                let more = rows.len() > limit;
                Answer::Known(page(rows, above, ahead, more))
            }
            Answer::Absent => Answer::Absent,
            Answer::Unusable => Answer::Unusable,
        })
    }

    /// As `Store::among`.
    pub(crate) async fn among(
        &self,
        board: Board<'_>,
        listing: &Listing,
        players: &[Uuid],
    ) -> RedisResult<Answer<Page>> {
        let mut call = self.read(&self.among, board, listing);
        let mut players = players.to_vec();
        players.sort_unstable();
        players.dedup();
        for player in &players {
            call.arg(player.as_bytes());
        }
        let (word, values): (String, Vec<Value>) = head(self.invoke(&call).await?)?;
        if word == "unusable" {
            return Ok(Answer::Unusable);
        }
        let mut standings = Vec::with_capacity(values.len() / 4);
        for chunk in values.chunks_exact(4) {
            let above: u32 = redis::from_redis_value(chunk[0].clone())?;
            standings.push(Standing::new(row(&chunk[1..])?, above + 1));
        }
        standings.sort_by(|a, b| a.position.order(&b.position));
        Ok(Answer::Known(Page {
            standings,
            more: false,
        }))
    }

    /// Brings lines to a copy. Late and repeated lines change nothing.
    pub(crate) async fn put(&self, board: Board<'_>, lines: &[Copied]) -> RedisResult<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut call = self.call(&self.put, board);
        for line in lines {
            call.arg(line.player.as_bytes())
                .arg(score(line.rating, line.reached_ms))
                .arg(line.last_ms)
                .arg(line.matches);
        }
        self.invoke::<()>(&call).await
    }

    async fn act(&self, board: Board<'_>, what: &str, min_matches: i64) -> RedisResult<bool> {
        let mut call = self.call(&self.state, board);
        call.arg(what).arg(min_matches);
        self.invoke(&call).await
    }

    /// Makes an empty copy that takes lines but does not answer.
    pub(crate) async fn begin(&self, board: Board<'_>, min_matches: i64) -> RedisResult<()> {
        self.act(board, "begin", min_matches).await.map(drop)
    }

    /// Says that a copy has all lines. False when it was lost meanwhile.
    pub(crate) async fn finish(&self, board: Board<'_>) -> RedisResult<bool> {
        self.act(board, "finish", 0).await
    }

    /// Removes a copy.
    pub(crate) async fn drop(&self, board: Board<'_>) -> RedisResult<()> {
        self.act(board, "drop", 0).await.map(drop)
    }

    /// Whether a copy answers for this listing.
    pub(crate) async fn is_ready(&self, board: Board<'_>, min_matches: i64) -> RedisResult<bool> {
        self.act(board, "ask", min_matches).await
    }

    /// Some lines of a copy, in no order, and where to go on; 0 at the end. A line that is there
    /// all the time comes at least once.
    pub(crate) async fn scan(
        &self,
        board: Board<'_>,
        cursor: u64,
    ) -> RedisResult<(u64, Vec<Copied>)> {
        let mut scan = redis::cmd("HSCAN");
        scan.arg(self.key(board, "played")).arg(cursor);
        scan.arg("COUNT").arg(1000);
        let connection = &mut self.kv.connection.clone();
        let (next, found): (u64, Vec<(Vec<u8>, i64)>) = scan.query_async(connection).await?;
        let players: Result<Vec<Uuid>, _> = found
            .iter()
            .map(|(member, _)| Uuid::from_slice(member))
            .collect();
        let lines = self.lines(board, &players.map_err(malformed)?).await?;
        Ok((next, lines))
    }

    /// Those of the players who are on a copy.
    pub(crate) async fn lines(
        &self,
        board: Board<'_>,
        players: &[Uuid],
    ) -> RedisResult<Vec<Copied>> {
        if players.is_empty() {
            return Ok(Vec::new());
        }
        let mut ask = redis::pipe();
        for (command, part) in [
            ("ZMSCORE", "order"),
            ("ZMSCORE", "last"),
            ("HMGET", "played"),
        ] {
            let ask = ask.cmd(command).arg(self.key(board, part));
            for player in players {
                ask.arg(player.as_bytes());
            }
        }
        type Numbers = Vec<Option<f64>>;
        let connection = &mut self.kv.connection.clone();
        let found: (Numbers, Numbers, Vec<Option<i64>>) = ask.query_async(connection).await?;
        let (scores, last, matches) = found;
        let rows = players.iter().zip(scores).zip(last).zip(matches);
        let lines = rows.filter_map(|(((&player, score), last), matches)| {
            // Whole numbers that a double holds exactly.
            let (rating, reached_ms) = unscore(score? as i64);
            Some(Copied {
                player,
                rating,
                reached_ms,
                last_ms: last? as i64,
                matches: matches?,
            })
        });
        Ok(lines.collect())
    }
}

fn malformed(error: impl std::fmt::Display) -> RedisError {
    let kind = redis::ErrorKind::UnexpectedReturnType;
    (kind, "a copy of a ladder", error.to_string()).into()
}

/// The first word of an answer, and the rest of it.
fn head(values: Vec<Value>) -> RedisResult<(String, Vec<Value>)> {
    let mut values = values.into_iter();
    let word = values.next().ok_or_else(|| malformed("empty answer"))?;
    Ok((redis::from_redis_value(word)?, values.collect()))
}

/// Member, score and matches.
fn row(values: &[Value]) -> RedisResult<Row> {
    let [member, score, matches] = values else {
        return Err(malformed("expected member, score and matches"));
    };
    let member: Vec<u8> = redis::from_redis_value(member.clone())?;
    let (rating, reached_ms) = unscore(redis::from_redis_value(score.clone())?);
    Ok(Row {
        matches: redis::from_redis_value(matches.clone())?,
        position: Position {
            rating,
            reached_ms,
            player: Uuid::from_slice(&member).map_err(malformed)?,
        },
    })
}

/// Lines in a row, how many stand above the first, and before it.
fn rows(values: Vec<Value>) -> RedisResult<Answer<(Vec<Row>, u32, u32)>> {
    let (word, values) = head(values)?;
    match word.as_str() {
        "unusable" => return Ok(Answer::Unusable),
        "absent" => return Ok(Answer::Absent),
        _ => {}
    }
    let [ahead, above, lines @ ..] = &values[..] else {
        return Err(malformed("expected two counts"));
    };
    let lines: RedisResult<Vec<Row>> = lines.chunks_exact(3).map(row).collect();
    let above = redis::from_redis_value(above.clone())?;
    Ok(Answer::Known((
        lines?,
        above,
        redis::from_redis_value(ahead.clone())?,
    )))
}

/// A page of rows, of which the last one only shows that there are more.
fn page(mut rows: Vec<Row>, above: u32, ahead: u32, more: bool) -> Page {
    if more {
        rows.pop();
    }
    Page {
        standings: Standing::in_a_row(rows, above, ahead),
        more,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_whole_numbers_of_a_double_and_keep_the_order() {
        let positions = [
            (4095, 0),
            (1300, 1_796_030_406_122),
            (1300, 1_796_030_406_123),
            (1299, 0),
            (100, SPAN - 1),
        ];
        let scores = positions.map(|(rating, reached_ms)| score(rating, reached_ms));
        assert!(scores.is_sorted());
        for (position, score) in positions.into_iter().zip(scores) {
            assert_eq!(score as f64 as i64, score);
            assert_eq!(unscore(score), position);
        }
    }
}
