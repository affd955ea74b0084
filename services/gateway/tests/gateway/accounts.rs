//! The account store, on both databases.

use std::time::Duration;

use chassis::{ErrorCode, db::Db, testing};
use gateway::accounts::{Accounts, DeviceHash, RefreshToken, SessionRules, names};
use uuid::Uuid;

const RULES: SessionRules = SessionRules {
    lifetime: Duration::from_secs(3600),
    grace: Duration::from_secs(60),
    per_player: 2,
};
const NO_GRACE: SessionRules = SessionRules {
    grace: Duration::ZERO,
    ..RULES
};

fn device() -> DeviceHash {
    DeviceHash::of(&Uuid::new_v4().to_string()).unwrap()
}

async fn guest(accounts: &Accounts) -> Uuid {
    accounts.new_guest(device(), "Anna").await.unwrap().id
}

async fn refused(accounts: &Accounts, token: &RefreshToken, rules: SessionRules) {
    let failure = accounts.renew(token, rules).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::Unauthorized);
}

async fn a_device_gets_its_guest_back(accounts: &Accounts) {
    let (mine, other) = (device(), device());
    assert_eq!(accounts.returning_guest(mine, None).await.unwrap(), None);
    let anna = accounts.new_guest(mine, "Anna").await.unwrap();
    assert!(anna.guest && anna.name == "Anna");
    assert_eq!(
        accounts.returning_guest(mine, None).await.unwrap(),
        Some(anna.clone())
    );
    let renamed = accounts
        .returning_guest(mine, Some("Berta"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((renamed.id, renamed.name.as_str()), (anna.id, "Berta"));
    // Two requests of a new device at once end up with one account.
    assert_eq!(accounts.new_guest(mine, "Carla").await.unwrap().id, anna.id);
    assert_ne!(accounts.new_guest(other, "Anna").await.unwrap().id, anna.id);
    assert_eq!(accounts.devices(anna.id).await.unwrap().len(), 1);
}

async fn many_first_requests_of_a_device_make_one_guest(accounts: &Accounts) {
    let device = device();
    let requests = (0..4).map(|_| accounts.new_guest(device, "Anna"));
    let guests = futures::future::try_join_all(requests).await.unwrap();
    assert!(guests.iter().all(|guest| guest.id == guests[0].id));
}

async fn refresh_tokens_rotate(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let first = accounts.start_session(anna, RULES).await.unwrap();
    let (player, second) = accounts.renew(&first, RULES).await.unwrap();
    assert_eq!(player, anna);
    assert_ne!(second, first);
    let (_, third) = accounts.renew(&second, RULES).await.unwrap();
    assert!(accounts.renew(&third, RULES).await.is_ok());
}

async fn a_lost_answer_is_given_again(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let first = accounts.start_session(anna, RULES).await.unwrap();
    let (_, second) = accounts.renew(&first, RULES).await.unwrap();
    for _ in 0..3 {
        assert_eq!(
            accounts.renew(&first, RULES).await.unwrap(),
            (anna, second.clone())
        );
    }
    assert!(accounts.renew(&second, RULES).await.is_ok());
}

async fn reuse_ends_the_family(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let other = accounts.start_session(anna, RULES).await.unwrap();
    let first = accounts.start_session(anna, RULES).await.unwrap();
    let (_, second) = accounts.renew(&first, RULES).await.unwrap();
    let (_, third) = accounts.renew(&second, RULES).await.unwrap();
    // Within the grace window, but its successor was used: two hold the family.
    refused(accounts, &first, RULES).await;
    refused(accounts, &third, RULES).await;
    refused(accounts, &second, RULES).await;
    // Other families live on.
    assert!(accounts.renew(&other, RULES).await.is_ok());
}

async fn after_the_grace_window_a_used_token_ends_the_family(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let first = accounts.start_session(anna, NO_GRACE).await.unwrap();
    let (_, second) = accounts.renew(&first, NO_GRACE).await.unwrap();
    refused(accounts, &first, NO_GRACE).await;
    refused(accounts, &second, NO_GRACE).await;
}

async fn expired_tokens_are_refused_and_swept(accounts: &Accounts) {
    let brief = SessionRules {
        lifetime: Duration::ZERO,
        ..RULES
    };
    let anna = guest(accounts).await;
    let kept = accounts.start_session(anna, RULES).await.unwrap();
    let stale = accounts.start_session(anna, brief).await.unwrap();
    refused(accounts, &stale, RULES).await;
    accounts.start_session(anna, brief).await.unwrap();
    assert_eq!(accounts.sweep_sessions().await.unwrap(), 1);
    assert!(accounts.renew(&kept, RULES).await.is_ok());
}

async fn a_new_session_ends_the_oldest_of_too_many(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let mut tokens = Vec::new();
    for _ in 0..3 {
        tokens.push(accounts.start_session(anna, RULES).await.unwrap());
    }
    refused(accounts, &tokens[0], RULES).await;
    assert!(accounts.renew(&tokens[1], RULES).await.is_ok());
    assert!(accounts.renew(&tokens[2], RULES).await.is_ok());
    assert_eq!(accounts.sessions(anna).await.unwrap().len(), 2);
}

async fn signing_out_ends_the_family(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let first = accounts.start_session(anna, RULES).await.unwrap();
    let (_, second) = accounts.renew(&first, RULES).await.unwrap();
    // Also with the token before the last: its answer may have been lost.
    accounts.end_session(&first).await.unwrap();
    refused(accounts, &second, RULES).await;
    accounts.end_session(&second).await.unwrap();
}

async fn erasure_leaves_an_anonymous_row(accounts: &Accounts) {
    let mine = device();
    let anna = accounts.new_guest(mine, "Anna").await.unwrap().id;
    let token = accounts.start_session(anna, RULES).await.unwrap();
    accounts.erase(anna).await.unwrap();
    accounts.erase(anna).await.unwrap();
    refused(accounts, &token, RULES).await;
    assert_eq!(accounts.player(anna).await.unwrap(), None);
    let gone = accounts.caller(anna).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::Unauthorized);
    assert!(accounts.rename(anna, "Anna").await.is_err());
    assert!(accounts.devices(anna).await.unwrap().is_empty());
    assert_eq!(accounts.returning_guest(mine, None).await.unwrap(), None);
    let known = accounts.names(&[anna, Uuid::nil()]).await.unwrap();
    assert_eq!(known, [(anna, names::DELETED.to_owned())].into());
}

async fn names_are_looked_up_together(accounts: &Accounts) {
    let anna = guest(accounts).await;
    let berta = accounts.new_guest(device(), "Berta").await.unwrap().id;
    let known = accounts.names(&[anna, berta]).await.unwrap();
    assert_eq!(
        known,
        [(anna, "Anna".to_owned()), (berta, "Berta".to_owned())].into()
    );
    assert!(accounts.names(&[]).await.unwrap().is_empty());
}

async fn suite(db: Db) {
    let accounts = &Accounts::new(db);
    a_device_gets_its_guest_back(accounts).await;
    many_first_requests_of_a_device_make_one_guest(accounts).await;
    refresh_tokens_rotate(accounts).await;
    a_lost_answer_is_given_again(accounts).await;
    reuse_ends_the_family(accounts).await;
    after_the_grace_window_a_used_token_ends_the_family(accounts).await;
    expired_tokens_are_refused_and_swept(accounts).await;
    a_new_session_ends_the_oldest_of_too_many(accounts).await;
    signing_out_ends_the_family(accounts).await;
    erasure_leaves_an_anonymous_row(accounts).await;
    names_are_looked_up_together(accounts).await;
}

#[tokio::test]
async fn accounts_in_sqlite() {
    let store = testing::sqlite().await;
    suite(store.db.clone()).await;
}

#[tokio::test]
async fn accounts_in_postgres() {
    suite(testing::postgres().await).await;
}
