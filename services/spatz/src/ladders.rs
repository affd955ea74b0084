//! `spatz season` and `spatz ratings`: what an operator does with ladders.

use std::{
    io::{BufWriter, Write as _, stdout},
    time::Duration,
};

use anyhow::{Context as _, bail};
use chassis::{db::Db, rfc3339};
use jiff::{Timestamp, ZonedDateTime};
use ranking::{Comparison, Ladder, Ranking, Recomputed};
use rules::RULE_SETS;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    cli::{RatingsCommand, SeasonCommand},
    settings::{Ladders, RatingStore},
    stores::Patience,
};

/// Connections of a command.
const CONNECTIONS: u32 = 4;
/// Differences of a ladder that are listed.
const DIFFERENCES_SHOWN: usize = 20;

/// The database of an installation whose schema fits this program.
///
/// # Errors
/// When it is not there, or cannot be asked.
pub(crate) async fn open_store(store: &RatingStore) -> anyhow::Result<Db> {
    let patience = Patience::new(Duration::ZERO, &CancellationToken::new());
    match store {
        RatingStore::Postgres(postgres) => patience.postgres(postgres).await,
        RatingStore::Folder(folder) => {
            let file = folder.join("spatz.db");
            if !file.is_file() {
                bail!(
                    "{}: expected the folder of a `spatz serve`",
                    folder.display()
                );
            }
            let db = Db::open_file(&file, CONNECTIONS)?;
            db.check_schema().await.context("--data")?;
            Ok(db)
        }
    }
}

async fn open(settings: Ladders) -> anyhow::Result<Ranking> {
    let patience = Patience::new(Duration::ZERO, &CancellationToken::new());
    let db = open_store(&settings.store).await?;
    let ranking = Ranking::new(db, settings.config);
    Ok(match &settings.redis {
        Some(redis) => ranking.with_copies(patience.redis(redis).await?),
        None => ranking,
    })
}

/// Runs a command about seasons.
///
/// # Errors
/// When it cannot be done; what was done for the games before stays.
pub(crate) async fn season(settings: Ladders, command: &SeasonCommand) -> anyhow::Result<()> {
    match command {
        SeasonCommand::List => {
            let ranking = open(settings).await?;
            let lines: Vec<String> = ranking.ladders().await?.iter().map(line).collect();
            print(&lines.concat())
        }
        SeasonCommand::Open { rulesets, closes } => {
            check(rulesets)?;
            let closes_ms = closes.as_deref().map(instant).transpose()?;
            let ranking = open(settings).await?;
            for ruleset in rulesets {
                print(&line(&ranking.open_season(ruleset, closes_ms).await?))?;
            }
            Ok(())
        }
        SeasonCommand::Close { rulesets, next } => {
            check(rulesets)?;
            let ranking = open(settings).await?;
            for ruleset in rulesets {
                print(&line(&ranking.close_season(ruleset, *next).await?))?;
            }
            Ok(())
        }
        SeasonCommand::Schedule { rulesets, closes } => {
            check(rulesets)?;
            let closes_ms = match closes.as_str() {
                "never" => None,
                text => Some(instant(text)?),
            };
            let ranking = open(settings).await?;
            for ruleset in rulesets {
                print(&line(&ranking.schedule_season(ruleset, closes_ms).await?))?;
            }
            Ok(())
        }
    }
}

/// Refuses games that there are not, of which a ladder would never have a match, and those that are
/// named twice.
fn check(rulesets: &[String]) -> anyhow::Result<()> {
    let known: Vec<&str> = RULE_SETS.iter().map(|set| set.id).collect();
    for (place, ruleset) in rulesets.iter().enumerate() {
        if rulesets[..place].contains(ruleset) {
            bail!("{ruleset}: expected each game once");
        }
        if !known.contains(&ruleset.as_str()) {
            bail!("{ruleset}: expected one of {}", known.join(", "));
        }
    }
    Ok(())
}

/// Milliseconds since 1970 UTC.
fn instant(text: &str) -> anyhow::Result<i64> {
    let zoned = text.parse::<ZonedDateTime>().map(|zoned| zoned.timestamp());
    let at = zoned.or_else(|_| text.parse::<Timestamp>());
    let at = at.ok().with_context(|| {
        format!(
            "{text}: expected an instant such as 2027-04-01T04:00[Europe/Vienna] or \
             2027-04-01T02:00:00Z"
        )
    })?;
    Ok(at.as_millisecond())
}

/// A ladder as it is listed.
fn line(ladder: &Ladder) -> String {
    let end = match (ladder.closed_ms, ladder.closes_ms) {
        (Some(closed_ms), _) => format!("closed {}", rfc3339(closed_ms)),
        (None, Some(closes_ms)) => format!("open, closes {}", rfc3339(closes_ms)),
        (None, None) => "open".to_owned(),
    };
    let opened = rfc3339(ladder.opened_ms);
    format!("{}: opened {opened}, {end}\n", ladder.id)
}

/// Runs a command about ratings.
///
/// # Errors
/// When it cannot be done, or a comparison found differences.
pub(crate) async fn ratings(settings: Ladders, command: &RatingsCommand) -> anyhow::Result<()> {
    match command {
        RatingsCommand::Recompute {
            without,
            with,
            apply,
        } => {
            let (without, with) = (players(without)?, players(with)?);
            if without.iter().any(|player| with.contains(player)) {
                bail!("--without and --with: expected different players");
            }
            let ranking = open(settings).await?;
            let recomputed = ranking.recompute(&without, &with, *apply).await?;
            show(&recomputed, *apply)
        }
        RatingsCommand::Rebuild { ladders } => {
            let ranking = open(settings).await?;
            for ladder in named(&ranking, ladders).await? {
                let made = ranking.rebuild_copy(&ladder).await?;
                let what = if made {
                    "rebuilt"
                } else {
                    "is being rebuilt by another process"
                };
                print(&format!("{ladder}: {what}\n"))?;
            }
            Ok(())
        }
        RatingsCommand::Compare { ladders } => {
            let ranking = open(settings).await?;
            let mut bad = 0;
            for ladder in named(&ranking, ladders).await? {
                let comparison = ranking.compare(&ladder).await?;
                bad += usize::from(
                    comparison
                        .as_ref()
                        .is_none_or(|c| !c.differences.is_empty()),
                );
                print(&told(&ladder, comparison.as_ref()))?;
            }
            if bad > 0 {
                bail!("{bad} ladders differ from their copies, or have none");
            }
            Ok(())
        }
    }
}

fn players(ids: &[String]) -> anyhow::Result<Vec<Uuid>> {
    let parse = |id: &String| {
        id.parse()
            .ok()
            .with_context(|| format!("{id}: expected a UUID"))
    };
    ids.iter().map(parse).collect()
}

/// These ladders, or all that have a copy.
async fn named(ranking: &Ranking, ladders: &[String]) -> anyhow::Result<Vec<String>> {
    if !ladders.is_empty() {
        return Ok(ladders.to_vec());
    }
    let all = ranking.ladders().await?.into_iter();
    Ok(all
        .filter(Ladder::has_copy)
        .map(|ladder| ladder.id)
        .collect())
}

fn told(ladder: &str, comparison: Option<&Comparison>) -> String {
    let Some(Comparison { lines, differences }) = comparison else {
        return format!("{ladder}: has no copy\n");
    };
    let mut text = format!("{ladder}: {lines} lines, {} differ\n", differences.len());
    for difference in differences.iter().take(DIFFERENCES_SHOWN) {
        let side = |line: Option<(i32, i64, i64, i64)>| match line {
            None => "not listed".to_owned(),
            Some((rating, reached_ms, last_ms, matches)) => format!(
                "{rating} since {}, {matches} matches, the latest {}",
                rfc3339(reached_ms),
                rfc3339(last_ms)
            ),
        };
        text.push_str(&format!(
            "  {}: database {}; copy {}\n",
            difference.player,
            side(difference.database),
            side(difference.copy)
        ));
    }
    if differences.len() > DIFFERENCES_SHOWN {
        text.push_str("  and more\n");
    }
    text
}

fn show(recomputed: &Recomputed, applied: bool) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for moved in &recomputed.moved {
        let how = if moved.excluded {
            "taken out".to_owned()
        } else {
            format!("{:+}", moved.after - moved.before)
        };
        writeln!(
            out,
            "{} {} {} -> {} ({how})",
            moved.ladder, moved.player, moved.before, moved.after
        )?;
    }
    let what = if applied {
        "stored"
    } else {
        "not stored: --apply stores it"
    };
    writeln!(
        out,
        "{} matches rated again, {} lines change, {what}",
        recomputed.matches,
        recomputed.moved.len()
    )?;
    Ok(out.flush()?)
}

/// Whoever closes the pipe has seen enough.
fn print(text: &str) -> anyhow::Result<()> {
    match stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_with_a_zone_or_in_utc() {
        let april = 1_806_544_800_000;
        for text in [
            "2027-04-01T04:00[Europe/Vienna]",
            "2027-04-01T04:00:00+02:00[Europe/Vienna]",
            "2027-04-01T02:00:00Z",
        ] {
            assert_eq!(instant(text).expect("an instant"), april, "{text}");
        }
        for text in ["", "2027-04-01", "2027-04-01T04:00", "tomorrow"] {
            let error = instant(text).expect_err("no instant").to_string();
            assert!(error.contains("expected an instant such as"), "{error}");
        }
    }

    #[test]
    fn only_games_that_there_are_have_seasons() {
        check(&["brixental".to_owned(), "dobbm".to_owned()]).expect("games");
        let error = check(&["brixentl".to_owned()]).expect_err("no game");
        assert!(
            error
                .to_string()
                .starts_with("brixentl: expected one of brixental, ")
        );
    }

    #[test]
    fn players_are_uuids() {
        let error = players(&["toni".to_owned()]).expect_err("no player");
        assert_eq!(error.to_string(), "toni: expected a UUID");
    }
}
