//! What the chart tells Kubernetes about how pods end, read from what the chart makes of
//! `charts/tests/external.yaml`; a test of the chart keeps that file true.

use std::{path::Path, time::Duration};

use anyhow::Context as _;

use crate::installation::Leaving;

/// How pods of a role are stopped.
///
/// # Errors
/// When the file is not there, or does not say so.
pub fn leaving(role: &str) -> anyhow::Result<Leaving> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../charts/tests/external.golden.yaml")
        .canonicalize()?;
    let text = std::fs::read_to_string(&golden)?;
    read(&text, role).with_context(|| format!("{}: {role}", golden.display()))
}

fn read(text: &str, role: &str) -> anyhow::Result<Leaving> {
    let component = format!("app.kubernetes.io/component: {role}");
    let mut objects = text.split("\n---\n");
    let deployment = objects
        .find(|object| {
            let lines = || object.lines();
            lines().any(|line| line == "kind: Deployment")
                && lines().any(|line| line.trim() == component)
        })
        .context("expected a Deployment")?;
    let seconds = |name: &str, after: &str| -> anyhow::Result<Duration> {
        let (_, rest) = deployment.split_once(after).context(after.to_owned())?;
        let line = rest.lines().find_map(|line| line.trim().strip_prefix(name));
        let value = line.with_context(|| format!("expected {name}"))?;
        Ok(Duration::from_secs(value.trim().parse()?))
    };
    Ok(Leaving {
        delay: seconds("seconds:", "preStop:")?,
        grace: seconds("terminationGracePeriodSeconds:", "spec:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_time_to_stop_after_it_is_told() {
        for role in ["gateway", "game", "matchmaking", "ranking"] {
            let leaving = leaving(role).unwrap();
            assert!(!leaving.delay.is_zero(), "{role}: {leaving:?}");
            assert!(leaving.grace > leaving.delay, "{role}: {leaving:?}");
        }
    }

    #[test]
    fn times_are_those_of_the_deployment_of_the_role() {
        let text = "kind: Deployment\n  app.kubernetes.io/component: game\nspec:\n  \
                    terminationGracePeriodSeconds: 9\n  preStop:\n    sleep:\n      seconds: 3\n\
                    ---\nkind: Deployment\n  app.kubernetes.io/component: gateway\nspec:\n  \
                    terminationGracePeriodSeconds: 40\n  preStop:\n    sleep:\n      seconds: 8\n";
        let seconds = |role| {
            let leaving = read(text, role).unwrap();
            (leaving.delay.as_secs(), leaving.grace.as_secs())
        };
        assert_eq!(seconds("game"), (3, 9));
        assert_eq!(seconds("gateway"), (8, 40));
        assert!(read(text, "ranking").is_err());
    }
}
