//! Breaks a running Spatz and says what was lost: `make chaos`.

use std::io::Write as _;

use tests::chaos::{
    options::{Options, usage},
    report::table,
    run::run,
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        return Ok(writeln!(out, "{}", usage())?);
    }
    // As many bits as a person copies without a mistake.
    let (chance, _) = uuid::Uuid::new_v4().as_u64_pair();
    let options = Options::read(arguments, |name| std::env::var(name).ok(), chance >> 44)?;
    writeln!(out, "SPATZ_CHAOS_SEED={}", options.seed)?;
    let mut outcomes = Vec::new();
    for scenario in &options.scenarios {
        writeln!(out, "\n{}", scenario.name())?;
        let outcome = tokio::select! {
            outcome = run(*scenario, options.guests, options.seed) => outcome,
            // What hangs must not stay so.
            _ = tokio::signal::ctrl_c() => anyhow::bail!("interrupted"),
        };
        for line in &outcome.done {
            writeln!(out, "  {line}")?;
        }
        for (kind, count) in &outcome.errors {
            writeln!(out, "  {count:>6} calls sent again: {kind}")?;
        }
        for line in outcome.broken.iter().chain(&outcome.skipped) {
            writeln!(out, "  ! {line}")?;
        }
        outcomes.push(outcome);
    }
    writeln!(out, "\n{}", table(&outcomes))?;
    let kept = outcomes.iter().all(|outcome| outcome.broken.is_empty());
    anyhow::ensure!(kept, "a promise was broken: see above");
    Ok(())
}
