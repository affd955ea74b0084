//! Measures a running Spatz: `make load`.

use std::io::Write as _;

use anyhow::Context as _;
use tests::load::{
    options::{Options, USAGE},
    run::run,
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        return Ok(writeln!(out, "{USAGE}")?);
    }
    let options = Options::read(arguments, |name| std::env::var(name).ok())?;
    let report = run(&options).await?;
    write!(out, "{}", report.text())?;
    if let Some(path) = std::env::var_os("SPATZ_LOAD_JSONL") {
        let file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(&path);
        let mut file = file.with_context(|| path.display().to_string())?;
        file.write_all(report.json_lines().as_bytes())?;
    }
    anyhow::ensure!(report.is_clean(), "something went wrong: see above");
    Ok(())
}
