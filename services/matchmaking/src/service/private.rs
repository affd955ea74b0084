//! Private tables: opened by one player, joined by invite code.

use chassis::{ErrorCode, Failure, rpc};
use proto::v1::{self, game_client::GameClient};
use rules::Rules;
use uuid::Uuid;

use super::{Matchmaking, check_name};
use crate::{invite, time_control::TimeControl, wire};

/// Codes that are drawn before giving up: taken ones are one in thousands at most.
const DRAWS_MAX: usize = 8;

impl Matchmaking {
    pub(super) async fn open_private(
        &self,
        player: Uuid,
        request: v1::CreatePrivateTableRequest,
        request_id: &str,
    ) -> Result<v1::CreatePrivateTableResponse, Failure> {
        check_name(&request.player_name)?;
        let rules = rules(&request.rules.unwrap_or_default())?;
        let players = u32::from(rules.players());
        let time_control = time_control(request.time_control)?;
        let level = bot_level(&request.bot_level)?;
        if request.bots >= players {
            let detail = format!("expected at most {} bots", players - 1);
            return Err(Failure::new(ErrorCode::InvalidBody, detail));
        }
        let open = players - 1 - request.bots;
        let seats = std::iter::once(wire::player(player, &request.player_name))
            .chain((0..open).map(|_| v1::Occupant::default()))
            .chain((0..request.bots).map(|_| wire::bot(level)))
            .collect();
        let table = Uuid::now_v7();
        let invite_code = self.reserve_code(table).await?;
        let opening = v1::OpenTableRequest {
            table_id: table.to_string(),
            kind: v1::TableKind::Private.into(),
            queue: String::new(),
            rules: Some(wire::rules(&rules)),
            time_control: Some(time_control.into()),
            invite_code: invite_code.clone(),
            seats,
            ladder: String::new(),
        };
        let opened = self.game.call(table, |channel| {
            let request = rpc::request(opening.clone(), None, request_id);
            async move { GameClient::new(channel).open_table(request).await }
        });
        match opened.await {
            Ok(opened) => Ok(v1::CreatePrivateTableResponse {
                table_id: table.to_string(),
                invite_code,
                version: opened.into_inner().version,
            }),
            Err(status) => {
                // The caller never learns of the table, so nobody may find it either. If this
                // fails, the code leads to no table until it expires.
                if let Err(error) = self.store.remove_invite(&invite_code).await {
                    tracing::debug!(%error, "invite code not removed");
                }
                Err(status.into())
            }
        }
    }

    /// A code that leads to the table from now on.
    async fn reserve_code(&self, table: Uuid) -> Result<String, Failure> {
        for _ in 0..DRAWS_MAX {
            let code = invite::draw().map_err(Failure::internal)?;
            let lifetime = self.config.invite_for;
            if self.store.add_invite(&code, table, lifetime).await? {
                return Ok(code);
            }
        }
        Err(Failure::internal("no free invite code"))
    }

    pub(super) async fn join_private(
        &self,
        player: Uuid,
        request: v1::JoinPrivateTableRequest,
        request_id: &str,
    ) -> Result<v1::JoinPrivateTableResponse, Failure> {
        check_name(&request.player_name)?;
        let code = invite::normalise(&request.invite_code).ok_or_else(no_invite)?;
        let table = self.store.invite(&code).await?.ok_or_else(no_invite)?;
        let seat = v1::TakeSeatRequest {
            table_id: table.to_string(),
            player: Some(v1::Player {
                id: player.to_string(),
                name: request.player_name,
            }),
        };
        let taken = self.game.call(table, |channel| {
            let request = rpc::request(seat.clone(), Some(player), request_id);
            async move { GameClient::new(channel).take_seat(request).await }
        });
        match taken.await {
            Ok(taken) => Ok(v1::JoinPrivateTableResponse {
                table_id: table.to_string(),
                seat: taken.into_inner().seat,
            }),
            Err(status) => match Failure::from(status) {
                gone if gone.code == ErrorCode::TableNotFound => Err(no_invite()),
                other => Err(other),
            },
        }
    }
}

fn no_invite() -> Failure {
    Failure::new(ErrorCode::InviteNotFound, "no table has this invite code")
}

/// The rules asked for; options that are left out get their defaults.
fn rules(asked: &v1::Rules) -> Result<Rules, Failure> {
    let options = asked.options.iter();
    let options = options.map(|(k, v)| (k.as_str(), v.as_str()));
    // More players than that is as wrong as any other wrong number.
    let players = u8::try_from(asked.players).unwrap_or(u8::MAX);
    Rules::new(&asked.ruleset, players, options)
        .map_err(|error| Failure::new(ErrorCode::InvalidRules, error.to_string()))
}

/// The time control asked for, or the default when none is.
fn time_control(asked: Option<v1::TimeControl>) -> Result<TimeControl, Failure> {
    let control = asked.map(TimeControl::from).unwrap_or_default();
    match control.check() {
        wrong if wrong.is_empty() => Ok(control),
        wrong => Err(Failure::new(ErrorCode::InvalidBody, wrong.join("; "))),
    }
}

/// The level of bots asked for, or the default when none is.
fn bot_level(asked: &str) -> Result<&'static str, Failure> {
    match asked {
        "" | wire::BOT_LEVEL => Ok(wire::BOT_LEVEL),
        _ => {
            let detail = format!("expected the bot level {:?}", wire::BOT_LEVEL);
            Err(Failure::new(ErrorCode::InvalidBody, detail))
        }
    }
}
