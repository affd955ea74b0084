//! Sessions: families of rotating refresh tokens.
//!
//! A token is the id of its family and 32 random bytes, of which only the SHA-256 is kept. Using
//! it gives its successor. A client that lost the answer may use it once more within the grace
//! window and gets the same successor: that is kept too, but sealed with the old token, which the
//! server does not have. Any other use of an old token means that two hold it: the family ends.

use std::{fmt, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chassis::{ErrorCode, Failure, now_ms};
use sha2::{Digest as _, Sha256};
use sqlx::{Row as _, any::AnyRow};
use uuid::Uuid;

use super::Accounts;

const SECRET_BYTES: usize = 32;
const TOKEN_BYTES: usize = 16 + SECRET_BYTES;
/// Expired sessions that one sweep removes at most.
const SWEEP_MAX: i64 = 1000;

/// How long tokens live.
#[derive(Clone, Copy, Debug)]
pub struct SessionRules {
    /// Until an unused token expires.
    pub lifetime: Duration,
    /// How long a used one still gives its successor.
    pub grace: Duration,
    /// Sessions of one player; a new one ends the oldest.
    pub per_player: u32,
}

/// A refresh token. Its text is a secret; what is printed of it for people is not.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    session: Uuid,
    secret: [u8; SECRET_BYTES],
}

/// When a session was used, for the export.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSession {
    /// When the player signed in.
    pub created_ms: i64,
    /// When its token was renewed last.
    pub renewed_ms: i64,
    /// When it ends unless it is renewed.
    pub expires_ms: i64,
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefreshToken")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl RefreshToken {
    fn random(session: Uuid) -> Result<Self, Failure> {
        let mut secret = [0; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(Failure::internal)?;
        Ok(Self { session, secret })
    }

    /// The token as a client keeps it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut bytes = self.session.as_bytes().to_vec();
        bytes.extend_from_slice(&self.secret);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what a client sent. None: it never was a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // The encoding has no other text of the same length for the same bytes.
        if text.len() != TOKEN_BYTES / 3 * 4 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (session, secret) = bytes.split_first_chunk::<16>()?;
        Some(Self {
            session: Uuid::from_bytes(*session),
            secret: secret.try_into().ok()?,
        })
    }

    fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.secret).to_vec()
    }

    /// Covers another token's secret so that only this token uncovers it, and uncovers it again.
    /// Used for one successor only, so the pad is used once.
    fn cover(&self, secret: &[u8; SECRET_BYTES]) -> [u8; SECRET_BYTES] {
        let pad = Sha256::new()
            .chain_update(b"spatz refresh successor")
            .chain_update(self.secret)
            .finalize();
        std::array::from_fn(|i| secret[i] ^ pad[i])
    }
}

struct Session {
    player: Uuid,
    current: Vec<u8>,
    previous: Option<Vec<u8>>,
    sealed: Option<Vec<u8>>,
    rotated_ms: i64,
    expires_ms: i64,
}

fn session_of(row: &AnyRow) -> Result<Session, Failure> {
    let player: String = row.try_get("player_id")?;
    Ok(Session {
        player: player.parse().map_err(Failure::internal)?,
        current: row.try_get("current_hash")?,
        previous: row.try_get("previous_hash")?,
        sealed: row.try_get("sealed")?,
        rotated_ms: row.try_get("rotated_ms")?,
        expires_ms: row.try_get("expires_ms")?,
    })
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn refused() -> Failure {
    Failure::new(
        ErrorCode::Unauthorized,
        "this refresh token is not valid: sign in again",
    )
}

impl Accounts {
    /// Starts a session. The player's oldest ones end when there are too many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn start_session(
        &self,
        player: Uuid,
        rules: SessionRules,
    ) -> Result<RefreshToken, Failure> {
        let token = RefreshToken::random(Uuid::now_v7())?;
        let now = now_ms();
        let mut tx = self.db.begin().await?;
        let insert = "INSERT INTO sessions (id, player_id, current_hash, rotated_ms, created_ms, \
             expires_ms) VALUES ($1, $2, $3, $4, $4, $5)";
        self.db
            .observed(
                "start_session",
                sqlx::query(insert)
                    .bind(token.session.to_string())
                    .bind(player.to_string())
                    .bind(token.hash())
                    .bind(now)
                    .bind(now.saturating_add(millis(rules.lifetime)))
                    .execute(&mut *tx),
            )
            .await?;
        let trim = "DELETE FROM sessions WHERE player_id = $1 AND id NOT IN (SELECT id FROM \
             sessions WHERE player_id = $1 ORDER BY rotated_ms DESC, id DESC LIMIT $2)";
        self.db
            .observed(
                "start_session",
                sqlx::query(trim)
                    .bind(player.to_string())
                    .bind(i64::from(rules.per_player.max(1)))
                    .execute(&mut *tx),
            )
            .await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Uses a refresh token: its player and its successor.
    ///
    /// # Errors
    /// [`ErrorCode::Unauthorized`] when it is unknown, expired, or was used before; in the last
    /// case its family ends.
    pub async fn renew(
        &self,
        token: &RefreshToken,
        rules: SessionRules,
    ) -> Result<(Uuid, RefreshToken), Failure> {
        let now = now_ms();
        let mut tx = self.db.begin().await?;
        let select = format!(
            "SELECT player_id, current_hash, previous_hash, sealed, rotated_ms, expires_ms \
             FROM sessions WHERE id = $1{}",
            self.db.dialect.for_update()
        );
        let row = self
            .db
            .observed(
                "renew_session",
                sqlx::query(sqlx::AssertSqlSafe(select))
                    .bind(token.session.to_string())
                    .fetch_optional(&mut *tx),
            )
            .await?;
        let Some(session) = row.as_ref().map(session_of).transpose()? else {
            return Err(refused());
        };
        let hash = token.hash();
        let alive = now < session.expires_ms;
        if alive && hash == session.current {
            let successor = RefreshToken::random(token.session)?;
            let update = "UPDATE sessions SET previous_hash = current_hash, current_hash = $1, \
                 sealed = $2, rotated_ms = $3, expires_ms = $4 WHERE id = $5";
            self.db
                .observed(
                    "renew_session",
                    sqlx::query(update)
                        .bind(successor.hash())
                        .bind(token.cover(&successor.secret).to_vec())
                        .bind(now)
                        .bind(now.saturating_add(millis(rules.lifetime)))
                        .bind(token.session.to_string())
                        .execute(&mut *tx),
                )
                .await?;
            tx.commit().await?;
            return Ok((session.player, successor));
        }
        let in_grace = now.saturating_sub(session.rotated_ms) < millis(rules.grace);
        if alive && in_grace && Some(&hash) == session.previous.as_ref() {
            let sealed = session.sealed.and_then(|sealed| sealed.try_into().ok());
            let sealed = sealed.ok_or_else(|| Failure::internal("a session lost its token"))?;
            let successor = RefreshToken {
                session: token.session,
                secret: token.cover(&sealed),
            };
            return Ok((session.player, successor));
        }
        self.db
            .observed(
                "renew_session",
                sqlx::query("DELETE FROM sessions WHERE id = $1")
                    .bind(token.session.to_string())
                    .execute(&mut *tx),
            )
            .await?;
        tx.commit().await?;
        if alive {
            tracing::warn!(player = %session.player, "a refresh token was used again");
        }
        Err(refused())
    }

    /// Ends the session of a token, whether or not it is the current one. Again does nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_session(&self, token: &RefreshToken) -> Result<(), Failure> {
        let delete = "DELETE FROM sessions WHERE id = $1 AND (current_hash = $2 OR \
             previous_hash = $2)";
        self.db
            .observed(
                "end_session",
                sqlx::query(delete)
                    .bind(token.session.to_string())
                    .bind(token.hash())
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }

    /// A player's sessions, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, player: Uuid) -> Result<Vec<DeviceSession>, Failure> {
        let select = "SELECT created_ms, rotated_ms, expires_ms FROM sessions \
             WHERE player_id = $1 AND expires_ms > $2 ORDER BY created_ms LIMIT 100";
        let rows = self
            .db
            .observed(
                "list_sessions",
                sqlx::query(select)
                    .bind(player.to_string())
                    .bind(now_ms())
                    .fetch_all(&self.db.pool),
            )
            .await?;
        let session = |row: &AnyRow| {
            Ok(DeviceSession {
                created_ms: row.try_get("created_ms")?,
                renewed_ms: row.try_get("rotated_ms")?,
                expires_ms: row.try_get("expires_ms")?,
            })
        };
        rows.iter().map(session).collect()
    }

    /// Removes expired sessions, a bounded number at a time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_sessions(&self) -> Result<u64, Failure> {
        let delete = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions \
             WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT $2)";
        let swept = self
            .db
            .observed(
                "sweep_sessions",
                sqlx::query(delete)
                    .bind(now_ms())
                    .bind(SWEEP_MAX)
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(swept.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_their_text_and_are_not_printed() {
        let token = RefreshToken::random(Uuid::now_v7()).unwrap();
        assert_eq!(RefreshToken::parse(&token.text()), Some(token.clone()));
        assert!(!format!("{token:?}").contains(&token.text()[22..]));
        for bad in ["", "x", &token.text()[1..], &format!("{}A", token.text())] {
            assert_eq!(RefreshToken::parse(bad), None);
        }
    }

    #[test]
    fn only_the_old_token_uncovers_its_successor() {
        let family = Uuid::now_v7();
        let [old, new, other] = [(); 3].map(|()| RefreshToken::random(family).unwrap());
        let sealed = old.cover(&new.secret);
        assert_eq!(old.cover(&sealed), new.secret);
        assert_ne!(other.cover(&sealed), new.secret);
    }
}
