//! The one binary. `spatz serve` runs everything in one process on one file; `spatz game`,
//! `spatz matchmaking`, `spatz ranking` and `spatz gateway` run one service each on Redis and
//! Postgres; `spatz migrate` brings a Postgres schema up to date; `spatz season` and
//! `spatz ratings` are the operator's commands for ladders; `spatz signals` lists what looks like
//! collusion; `spatz replay` and `spatz verify` read the replay of a match; `spatz probe` asks a
//! running installation whether it is well.

mod cli;
mod inspect;
mod ladders;
mod probe;
mod roles;
mod serve;
mod settings;
mod signals;
mod stores;

use std::process::ExitCode;

use chassis::{
    config::{BadConfig, EXIT_USAGE, Problems},
    shutdown, telemetry,
};
use clap::Parser as _;

use crate::cli::{Cli, Command};

/// A quarter of the time of a move went into the allocator of the C library.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version are errors to the parser, too.
            let code = if usage.use_stderr() { EXIT_USAGE } else { 0 };
            return match usage.print() {
                Ok(()) => ExitCode::from(code),
                Err(_) => ExitCode::FAILURE,
            };
        }
    };
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<BadConfig>() => {
            report(&error);
            ExitCode::from(EXIT_USAGE)
        }
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

/// The last words of a process that could not start or go on, for whoever started it.
#[allow(clippy::print_stderr)]
fn report(error: &anyhow::Error) {
    eprintln!("spatz: {error:#}");
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    let mut problems = Problems::default();
    let telemetry = telemetry::init(settings::telemetry(&cli, &mut problems)).await?;
    if let Some(address) = telemetry.metrics {
        tracing::info!(%address, "metrics can be read");
    }
    let ended = perform(&cli.command, problems).await;
    telemetry.stop().await;
    ended
}

async fn perform(command: &Command, problems: Problems) -> anyhow::Result<()> {
    let shutdown = shutdown::on_signal()?;
    match command {
        Command::Serve(args) => {
            let settings = settings::Serve::read(args, problems)?;
            serve::run(settings, shutdown).await
        }
        Command::Game(args) => {
            let settings = settings::Game::read(args, problems)?;
            roles::game(settings, shutdown).await
        }
        Command::Matchmaking(args) => {
            let settings = settings::Matchmaking::read(args, problems)?;
            roles::matchmaking(settings, shutdown).await
        }
        Command::Ranking(args) => {
            let settings = settings::Ranking::read(args, problems)?;
            roles::ranking(settings, shutdown).await
        }
        Command::Gateway(args) => {
            let settings = settings::Gateway::read(args, problems)?;
            roles::gateway(settings, shutdown).await
        }
        Command::Season(args) => {
            let settings = settings::Ladders::read(&args.store, problems)?;
            ladders::season(settings, &args.command).await
        }
        Command::Ratings(args) => {
            let settings = settings::Ladders::read(&args.store, problems)?;
            ladders::ratings(settings, &args.command).await
        }
        Command::Signals(args) => signals::run(settings::Signals::read(args, problems)?).await,
        Command::Replay(args) => inspect::replay(args),
        Command::Verify(args) => inspect::verify(args),
        Command::Probe(args) => probe::probe(args, problems).await,
        Command::Migrate(args) => {
            let settings = settings::Migrate::read(args, problems)?;
            roles::migrate(&settings, shutdown).await
        }
    }
}
