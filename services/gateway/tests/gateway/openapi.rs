//! The document of the API is a promise: a change shows up in review.

use std::{env, fs, path::Path};

use serde_json::Value;

use crate::support::Spatz;

#[test]
fn the_openapi_document_is_the_one_in_the_repository() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let made = gateway::openapi_json() + "\n";
    if env::var_os("SPATZ_BLESS").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "services/gateway/openapi.json is not what the code makes; if the change is meant, run \
         SPATZ_BLESS=1 cargo test -p gateway openapi and commit the file"
    );
}

#[tokio::test]
async fn the_document_is_served_and_complete() {
    let spatz = Spatz::start().await;
    let document = spatz.get("/v1/openapi.json").send().await.ok(200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let made: Value = serde_json::from_str(&gateway::openapi_json()).unwrap();
    assert_eq!(document, made);
    let public = [
        "/v1/auth/guest",
        "/v1/auth/refresh",
        "/v1/auth/logout",
        "/v1/rulesets",
        "/v1/queues",
        "/v1/ladders",
        "/v1/ladders/{id}/standings",
        "/v1/ladders/{id}/around/{player}",
        "/v1/ladders/{id}/among",
        "/v1/players/{id}",
        "/v1/players/{id}/matches",
        "/v1/players/{id}/ratings",
        "/v1/players/{id}/ratings/{ladder}",
    ];
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = format!("{method} {path}");
            assert!(operation["summary"].is_string(), "{name}");
            assert!(operation["tags"].is_array(), "{name}");
            let problem = "#/components/responses/Problem";
            assert_eq!(operation["responses"]["default"]["$ref"], problem, "{name}");
            let sends = matches!(method.as_str(), "post" | "patch");
            assert_eq!(operation["requestBody"].is_object(), sends, "{name}");
            let open = operation["security"] == serde_json::json!([{}]);
            assert_eq!(open, public.contains(&path.as_str()), "{name}");
            // What the document calls open is let in without a token, and nothing else is.
            let path = path.replace("{id}", "0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e");
            let path = path.replace("{player}", "0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e");
            let method = method.to_uppercase().parse().unwrap();
            let answer = spatz.call(method, &path).send().await;
            assert_eq!(answer.status == 401, !open, "{name}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn the_document_has_every_member_of_a_view() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.view = Some(crate::messages::view()));
    let path = format!("/v1/tables/{}", crate::messages::TABLE);
    let view = spatz.get(&path).by(&anna).send().await.ok(200);
    let document: Value = serde_json::from_str(&gateway::openapi_json()).unwrap();
    let schema = &document["components"]["schemas"]["TableView"];
    let mut required: Vec<&str> = schema["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let mut sent: Vec<&str> = view
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    required.sort_unstable();
    sent.sort_unstable();
    assert_eq!(required, sent);
}
