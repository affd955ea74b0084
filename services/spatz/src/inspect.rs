//! `spatz replay` and `spatz verify`: what can be read from the replay of a match.

use std::{
    fs::File,
    io::{Read, Write as _, stdin, stdout},
};

use anyhow::{Context as _, bail};
use replay::{REPLAY_BYTES_MAX, Replay, Sheet};

use crate::cli::{ReplayArgs, VerifyArgs};

/// Prints the deals of a replay.
///
/// # Errors
/// When it cannot be read, or does not follow the rules.
pub(crate) fn replay(args: &ReplayArgs) -> anyhow::Result<()> {
    let replay = read(&args.file)?;
    let sheet = Sheet::new(&replay, args.deal).with_context(|| args.file.clone())?;
    print(&sheet.to_string())
}

/// Checks replays, and says of each what was found.
///
/// # Errors
/// When one of them cannot be read or differs; the others are checked all the same.
pub(crate) fn verify(args: &VerifyArgs) -> anyhow::Result<()> {
    let mut bad = 0;
    for file in &args.files {
        let line = match check(file) {
            Ok(line) => line,
            Err(error) => {
                bad += 1;
                format!("{file}: {error:#}\n")
            }
        };
        print(&line)?;
    }
    if bad > 0 {
        bail!("{bad} of {} replays are not right", args.files.len());
    }
    Ok(())
}

fn check(file: &str) -> anyhow::Result<String> {
    let verified = read(file)?.verify()?;
    let end = if verified.finished {
        "to the end"
    } else {
        "until everybody had left"
    };
    Ok(format!(
        "{file}: right: seed as promised, {} deals as shuffled, {} actions legal, every score and \
         the result by the rules, played {end}\n",
        verified.deals, verified.actions
    ))
}

fn read(file: &str) -> anyhow::Result<Replay> {
    let input: Box<dyn Read> = if file == "-" {
        Box::new(stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot open {file}"))?)
    };
    let mut json = Vec::new();
    let bound = REPLAY_BYTES_MAX as u64 + 1;
    input
        .take(bound)
        .read_to_end(&mut json)
        .with_context(|| format!("cannot read {file}"))?;
    Ok(Replay::parse(&json)?)
}

/// Whoever closes the pipe has seen enough.
fn print(text: &str) -> anyhow::Result<()> {
    match stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
