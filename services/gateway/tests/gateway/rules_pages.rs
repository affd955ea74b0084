//! The rules of the games as pages.

use std::collections::BTreeSet;

use rules::RULE_SETS;

use crate::support::Spatz;

/// The pages of a language that must exist.
fn ids() -> impl Iterator<Item = &'static str> {
    RULE_SETS.iter().map(|set| set.id).chain(["cards"])
}

fn links(page: &str) -> BTreeSet<&str> {
    page.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[tokio::test]
async fn every_game_has_its_rules_in_both_languages() {
    let spatz = Spatz::start().await;
    for (language, other) in [("en", "de"), ("de", "en")] {
        for id in ids() {
            let page = spatz.get(&format!("/rules/{language}/{id}")).send().await;
            assert_eq!(page.status, 200, "{language}/{id}");
            assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
            let policy = page.header("content-security-policy");
            assert!(policy.starts_with("default-src 'self'"), "{policy}");
            assert!(!page.text.contains("style="), "the policy forbids it");
            let language = format!("<html lang=\"{language}\">");
            assert!(page.text.contains(&language));
            let switch = format!("/rules/{other}/{id}");
            assert!(links(&page.text).contains(&*switch), "{switch}");
        }
    }
}

#[tokio::test]
async fn links_between_the_rules_lead_to_pages() {
    let spatz = Spatz::start().await;
    let mut seen = BTreeSet::new();
    let mut next = vec!["/rules".to_owned()];
    while let Some(address) = next.pop() {
        let page = spatz.get(&address).send().await;
        assert_eq!(page.status, 200, "{address}");
        if address.starts_with("/rules") {
            let found = links(&page.text);
            next.extend(found.into_iter().filter_map(|link| {
                assert!(link.starts_with('/'), "{link}");
                seen.insert(link.to_owned()).then(|| link.to_owned())
            }));
        }
    }
    for id in ids() {
        assert!(seen.contains(&format!("/rules/en/{id}")), "{id}");
    }
}

#[tokio::test]
async fn rules_that_do_not_exist_are_a_problem() {
    let spatz = Spatz::start().await;
    for address in ["/rules/en/poker", "/rules/fr/cards", "/rules/en/README"] {
        spatz
            .get(address)
            .header("accept", "text/html")
            .send()
            .await
            .problem(404, "not_found");
    }
}
