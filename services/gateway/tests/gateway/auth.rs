//! Signing in over HTTP, and who is let in.

use chassis::ErrorCode;
use gateway::Rate;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Spatz, guest};

#[tokio::test]
async fn a_guest_signs_in_and_comes_back() {
    let spatz = Spatz::start().await;
    let body = json!({"device_id": Uuid::new_v4(), "display_name": "  Toni "});
    let first = spatz.post("/v1/auth/guest", &body).send().await;
    assert_eq!(first.header("cache-control"), "no-store");
    let first = first.ok(201);
    assert_eq!(first["token_type"], "Bearer");
    assert_eq!(first["expires_in"], 900);
    assert_eq!(first["player"]["name"], "Toni");
    assert_eq!(first["player"]["guest"], true);
    assert_eq!(first["player"]["ticket"], Value::Null);

    let again = json!({"device_id": body["device_id"]});
    let again = spatz.post("/v1/auth/guest", &again).send().await.ok(200);
    assert_eq!(again["player"], first["player"]);
    assert_ne!(again["refresh_token"], first["refresh_token"]);
}

#[tokio::test]
async fn a_guest_without_a_name_gets_a_friendly_one() {
    let spatz = Spatz::start().await;
    let body = json!({"device_id": Uuid::new_v4()});
    let signed_in = spatz.post("/v1/auth/guest", &body).send().await.ok(201);
    let name = signed_in["player"]["name"].as_str().unwrap();
    assert!(name.starts_with("Spatz "), "{name}");
}

#[tokio::test]
async fn weak_device_ids_and_unfit_names_are_refused() {
    let spatz = Spatz::start().await;
    for body in [
        json!({"device_id": "short"}),
        json!({"device_id": Uuid::nil()}),
        json!({"device_id": Uuid::new_v4(), "display_name": ""}),
        json!({"device_id": Uuid::new_v4(), "display_name": "a\u{202e}b"}),
        json!({"device_id": Uuid::new_v4(), "name": "Toni"}),
    ] {
        let refused = spatz.post("/v1/auth/guest", &body).send().await;
        refused.problem(422, "invalid_body");
    }
}

#[tokio::test]
async fn refresh_tokens_rotate_and_survive_a_lost_answer() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let renew = async |token: &str| {
        let body = json!({"refresh_token": token});
        spatz.post("/v1/auth/refresh", &body).send().await
    };
    let second = guest(&renew(&anna.refresh).await.ok(200));
    assert_eq!(second.id, anna.id);
    let lost = guest(&renew(&anna.refresh).await.ok(200));
    assert_eq!(lost.refresh, second.refresh);
    let third = guest(&renew(&second.refresh).await.ok(200));
    spatz.get("/v1/me").by(&third).send().await.ok(200);

    // Somebody else has the first one: the family ends.
    let reused = renew(&anna.refresh).await;
    assert_eq!(reused.header("www-authenticate"), "Bearer");
    reused.problem(401, "unauthorized");
    renew(&third.refresh).await.problem(401, "unauthorized");
    renew("nonsense").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let body = json!({"refresh_token": anna.refresh});
    spatz.post("/v1/auth/logout", &body).send().await.ok(204);
    spatz.post("/v1/auth/logout", &body).send().await.ok(204);
    spatz
        .post("/v1/auth/refresh", &body)
        .send()
        .await
        .problem(401, "unauthorized");
}

#[tokio::test]
async fn only_a_valid_access_token_lets_in() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz.get("/v1/me").by(&anna).send().await.ok(200);
    let lower = format!("bearer {}", anna.token);
    spatz
        .get("/v1/me")
        .header("authorization", &lower)
        .send()
        .await
        .ok(200);

    for bad in ["Bearer nonsense", "Bearer ", "Basic YTpi", "", &anna.token] {
        let refused = spatz
            .get("/v1/me")
            .header("authorization", bad)
            .send()
            .await;
        assert_eq!(refused.header("www-authenticate"), "Bearer");
        refused.problem(401, "unauthorized");
    }
    // Not a way in, but for streams.
    let path = format!("/v1/me?access_token={}", anna.token);
    spatz.get(&path).send().await.problem(401, "unauthorized");
}

#[tokio::test]
async fn an_expired_token_says_so() {
    let spatz = Spatz::with(|config| config.access_lifetime = std::time::Duration::ZERO).await;
    let anna = spatz.guest("Anna").await;
    let expired = spatz.get("/v1/me").by(&anna).send().await;
    assert_eq!(expired.header("www-authenticate"), "Bearer");
    expired.problem(401, ErrorCode::TokenExpired.as_str());
}

#[tokio::test]
async fn a_token_of_an_unknown_key_is_refused() {
    let spatz = Spatz::start().await;
    let secret = EncodingKey::from_secret(spatz.key.public_pem().as_bytes()).unwrap();
    let claims = json!({
        "iss": "http://localhost:7000", "aud": "spatz", "sub": Uuid::now_v7(),
        "iat": 0, "exp": 9_999_999_999_i64,
    });
    // Signed with what everybody knows, and calling it a shared secret.
    let token = encode(&Header::new(Algorithm::HS256), &claims, &secret).unwrap();
    let header = format!("Bearer {token}");
    let refused = spatz
        .get("/v1/me")
        .header("authorization", &header)
        .send()
        .await;
    refused.problem(401, "unauthorized");
}

#[tokio::test]
async fn sign_ins_and_new_guests_are_limited_by_address() {
    let spatz = Spatz::with(|config| config.rates.address_guests = Rate::new(1, 0.0)).await;
    let device = json!({"device_id": Uuid::new_v4()});
    spatz.post("/v1/auth/guest", &device).send().await.ok(201);
    let other = json!({"device_id": Uuid::new_v4()});
    let refused = spatz.post("/v1/auth/guest", &other).send().await;
    assert_eq!(refused.header("retry-after"), "3600");
    let refused = refused.problem(429, "rate_limited");
    assert_eq!(refused["retry_after_seconds"], 3600);
    // Coming back is not a new account.
    spatz.post("/v1/auth/guest", &device).send().await.ok(200);

    let spatz = Spatz::with(|config| config.rates.address_auth = Rate::new(1, 0.0)).await;
    let body = json!({"refresh_token": "x"});
    spatz
        .post("/v1/auth/refresh", &body)
        .send()
        .await
        .problem(401, "unauthorized");
    spatz
        .post("/v1/auth/refresh", &body)
        .send()
        .await
        .problem(429, "rate_limited");
}

#[tokio::test]
async fn signing_in_works_without_matchmaking() {
    let spatz = Spatz::alone().await;
    let anna = spatz.guest("Anna").await;
    let me = spatz.get("/v1/me").by(&anna).send().await;
    assert_eq!(me.header("retry-after"), "1");
    me.problem(503, "unavailable");
}
