//! Tables for friends.

use chassis::{ErrorCode, Failure, rpc};
use proto::v1;
use uuid::Uuid;

use crate::{
    fakes::{Mood, bots, players},
    world::{Place, World, player, quick, soon},
};

fn request(players: u32, bots: u32) -> v1::CreatePrivateTableRequest {
    v1::CreatePrivateTableRequest {
        rules: Some(v1::Rules {
            ruleset: "brixental".to_owned(),
            version: 0,
            players,
            options: [("length".to_owned(), "rounds(1)".to_owned())].into(),
        }),
        time_control: None,
        player_name: "Toni".to_owned(),
        bots,
        bot_level: String::new(),
    }
}

async fn open(
    world: &World,
    request: v1::CreatePrivateTableRequest,
) -> Result<v1::CreatePrivateTableResponse, Failure> {
    let request = rpc::request(request, Some(player(1)), "");
    let opened = soon(world.client.clone().create_private_table(request)).await?;
    Ok(opened.into_inner())
}

async fn join(
    world: &World,
    who: Uuid,
    code: &str,
) -> Result<v1::JoinPrivateTableResponse, Failure> {
    let request = v1::JoinPrivateTableRequest {
        invite_code: code.to_owned(),
        player_name: "Vroni".to_owned(),
    };
    let request = rpc::request(request, Some(who), "");
    let joined = soon(world.client.clone().join_private_table(request)).await?;
    Ok(joined.into_inner())
}

async fn world() -> (Place, World) {
    let place = Place::embedded().await;
    let world = World::start(&place, quick());
    (place, world)
}

#[tokio::test]
async fn friends_join_by_code_between_the_host_and_the_bots() {
    let (_place, world) = world().await;
    let opened = open(&world, request(4, 1)).await.unwrap();
    assert_eq!((opened.invite_code.len(), opened.version), (6, 1));
    let table = &world.game.tables()[0];
    assert_eq!(table.table_id, opened.table_id);
    assert_eq!(table.kind(), v1::TableKind::Private);
    assert_eq!(table.invite_code, opened.invite_code);
    assert_eq!((table.queue.as_str(), table.ladder.as_str()), ("", ""));
    assert_eq!(players(table), [Some(player(1)), None, None, None]);
    assert_eq!((bots(table), bots_on(table, 3)), (1, true));
    let rules = table.rules.as_ref().unwrap();
    assert_eq!(rules.version, 1);
    assert_eq!(rules.options["length"], "rounds(1)");
    assert_eq!(rules.options["discard_from"], "original_hand");
    assert_eq!(table.time_control.unwrap().move_ms, 20_000);

    let typed = opened.invite_code.to_lowercase();
    let typed = format!(" {}-{} ", &typed[..3], &typed[3..]);
    let joined = join(&world, player(2), &typed).await.unwrap();
    assert_eq!((joined.table_id, joined.seat), (opened.table_id, 1));
    join(&world, player(3), &opened.invite_code).await.unwrap();
    let full = join(&world, player(4), &opened.invite_code)
        .await
        .unwrap_err();
    assert_eq!(full.code, ErrorCode::TableFull);
}

fn bots_on(table: &v1::OpenTableRequest, seat: usize) -> bool {
    matches!(table.seats[seat].kind, Some(v1::occupant::Kind::Bot(_)))
}

#[tokio::test]
async fn a_host_may_play_with_bots_alone() {
    let (_place, world) = world().await;
    open(&world, request(3, 2)).await.unwrap();
    let table = &world.game.tables()[0];
    assert_eq!((table.seats.len(), bots(table)), (3, 2));
}

#[tokio::test]
async fn a_wrong_code_leads_nowhere() {
    let (_place, world) = world().await;
    for code in ["", "K7QMXP", "O0O0O0", "K7QMXPK7QMXP"] {
        let refused = join(&world, player(2), code).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InviteNotFound, "{code}");
    }
}

#[tokio::test]
async fn a_code_of_a_table_that_is_gone_leads_nowhere() {
    let (place, world) = world().await;
    let store = place.store();
    let day = std::time::Duration::from_secs(86_400);
    store
        .add_invite("K7QMXP", Uuid::now_v7(), day)
        .await
        .unwrap();
    let refused = join(&world, player(2), "K7QMXP").await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InviteNotFound);
}

#[tokio::test]
async fn what_makes_no_table_is_refused() {
    let (_place, world) = world().await;
    let rules = |edit: fn(&mut v1::Rules)| {
        let mut request = request(4, 0);
        edit(request.rules.as_mut().unwrap());
        request
    };
    let time = |move_ms, pause_ms| v1::CreatePrivateTableRequest {
        time_control: Some(v1::TimeControl {
            move_ms,
            bank_ms: 0,
            pause_ms,
            bot_ms: 0,
        }),
        ..request(4, 0)
    };
    for (request, code) in [
        (request(4, 4), ErrorCode::InvalidBody),
        (request(4, u32::MAX), ErrorCode::InvalidBody),
        (request(0, 0), ErrorCode::InvalidRules),
        (request(260, 0), ErrorCode::InvalidRules),
        (
            rules(|rules| rules.ruleset = "chess".to_owned()),
            ErrorCode::InvalidRules,
        ),
        (
            rules(|rules| {
                rules.options.insert("speed".to_owned(), "1".to_owned());
            }),
            ErrorCode::InvalidRules,
        ),
        (time(999, 0), ErrorCode::InvalidBody),
        (time(1_000, 60_001), ErrorCode::InvalidBody),
        (
            v1::CreatePrivateTableRequest {
                bot_level: "divine".to_owned(),
                ..request(4, 1)
            },
            ErrorCode::InvalidBody,
        ),
    ] {
        let refused = open(&world, request.clone()).await.unwrap_err();
        assert_eq!(refused.code, code, "{request:?}");
    }
    assert!(world.game.tables().is_empty());
    open(&world, time(0, 0)).await.unwrap();
    let expected = v1::TimeControl {
        move_ms: 20_000,
        ..v1::TimeControl::default()
    };
    assert_eq!(world.game.tables()[0].time_control, Some(expected));
}

#[tokio::test]
async fn the_game_services_refusal_reaches_the_host() {
    let (_place, world) = world().await;
    world.game.set_mood(Mood::Refusing);
    let refused = open(&world, request(4, 0)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidRules);
    world.game.set_mood(Mood::Down);
    let refused = open(&world, request(4, 0)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unavailable);
}
