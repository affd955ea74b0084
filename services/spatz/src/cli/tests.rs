//! Every environment variable of a service can be set through the chart.

use std::{collections::BTreeSet, fs, path::Path};

use clap::CommandFactory as _;

use super::Cli;

/// What the chart makes when everything is set.
const EVERYTHING: &str = "../../charts/tests/everything.golden.yaml";

/// The variables that a command reads.
fn read_by(role: &str) -> BTreeSet<String> {
    let cli = Cli::command();
    let command = cli.find_subcommand(role).expect("a role");
    let arguments = cli.get_arguments().chain(command.get_arguments());
    let variables = arguments.filter_map(|argument| argument.get_env());
    variables
        .map(|name| name.to_str().expect("a name").to_owned())
        .collect()
}

/// The variables that an object of the chart sets.
fn set_in(text: &str, kind: &str, role: &str) -> BTreeSet<String> {
    let component = format!("app.kubernetes.io/component: {role}");
    let kind = format!("kind: {kind}");
    let object = text
        .split("\n---\n")
        .find(|object| {
            let lines = || object.lines();
            lines().any(|line| line == kind) && lines().any(|line| line.trim() == component)
        })
        .unwrap_or_else(|| panic!("{EVERYTHING}: {kind} of {role}"));
    let lines = object.lines().map(str::trim);
    let names = lines.filter_map(|line| line.strip_prefix("- name: SPATZ_"));
    names.map(|name| format!("SPATZ_{name}")).collect()
}

#[test]
fn the_chart_sets_every_variable_that_a_service_reads_and_no_other() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(EVERYTHING);
    let text = fs::read_to_string(path).expect("what the chart makes");
    for role in ["gateway", "game", "matchmaking", "ranking"] {
        assert_eq!(set_in(&text, "Deployment", role), read_by(role), "{role}");
    }
    let mut migrate = read_by("migrate");
    for unused in [
        // It has no metrics and no traces, and takes one connection.
        "SPATZ_METRICS_LISTEN",
        "SPATZ_OTLP_URL",
        "SPATZ_TRACE_RATIO",
        "SPATZ_POSTGRES_CONNECTIONS",
    ] {
        assert!(migrate.remove(unused), "{unused}");
    }
    assert_eq!(set_in(&text, "Job", "migrate"), migrate);
}
