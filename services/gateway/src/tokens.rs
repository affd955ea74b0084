//! Access tokens: signed, short-lived, checked without asking anybody.
//!
//! A signature takes longer to check than everything else the gateway does for a move, so what
//! was found good is remembered until it expires, by the token's hash.

use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chassis::{ErrorCode, Failure, now_ms};
use jsonwebtoken::{
    Algorithm, Header, Validation, decode, decode_header, encode, errors::ErrorKind,
};
use lru::LruCache;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::keys::Keyring;

const AUDIENCE: &str = "spatz";
const TOKEN_BYTES_MAX: usize = 1024;
const REMEMBERED_MAX: NonZeroUsize = NonZeroUsize::new(50_000).expect("not zero");

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    iat: i64,
    exp: i64,
}

/// Makes and checks access tokens.
pub(crate) struct AccessTokens {
    keys: Keyring,
    issuer: String,
    validation: Validation,
    lifetime: Duration,
    remembered: Mutex<LruCache<[u8; 32], (Uuid, i64)>>,
}

fn invalid() -> Failure {
    Failure::new(ErrorCode::Unauthorized, "this access token is not valid")
}

fn expired() -> Failure {
    Failure::new(
        ErrorCode::TokenExpired,
        "this access token has expired: renew it",
    )
}

impl AccessTokens {
    pub(crate) fn new(keys: Keyring, issuer: &str, lifetime: Duration) -> Self {
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.leeway = 0;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[AUDIENCE]);
        Self {
            keys,
            issuer: issuer.to_owned(),
            validation,
            lifetime,
            remembered: Mutex::new(LruCache::new(REMEMBERED_MAX)),
        }
    }

    /// How long a new token is valid.
    pub(crate) const fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// A token for a player.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub(crate) fn issue(&self, player: Uuid) -> Result<String, Failure> {
        let now = now_ms() / 1000;
        let lifetime = i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX);
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.to_owned(),
            sub: player,
            iat: now,
            exp: now.saturating_add(lifetime),
        };
        let header = Header {
            kid: Some(self.keys.kid.clone()),
            ..Header::new(Algorithm::EdDSA)
        };
        encode(&header, &claims, &self.keys.encoding).map_err(Failure::internal)
    }

    /// The player of a token.
    ///
    /// # Errors
    /// [`ErrorCode::TokenExpired`] when it was valid once, else [`ErrorCode::Unauthorized`].
    pub(crate) fn check(&self, token: &str) -> Result<Uuid, Failure> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(invalid());
        }
        let hash: [u8; 32] = Sha256::digest(token).into();
        let known = self.remembered().get(&hash).copied();
        let (player, exp) = match known {
            Some(known) => known,
            None => self.verify(token)?,
        };
        if exp <= now_ms() / 1000 {
            return Err(expired());
        }
        if known.is_none() {
            self.remembered().put(hash, (player, exp));
        }
        Ok(player)
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, LruCache<[u8; 32], (Uuid, i64)>> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn verify(&self, token: &str) -> Result<(Uuid, i64), Failure> {
        let header = decode_header(token).map_err(|_| invalid())?;
        let kid = header.kid.ok_or_else(invalid)?;
        let key = self.keys.accepted.get(&kid).ok_or_else(invalid)?;
        let claims = decode::<Claims>(token, key, &self.validation)
            .map_err(|error| match error.kind() {
                ErrorKind::ExpiredSignature => expired(),
                _ => invalid(),
            })?
            .claims;
        Ok((claims.sub, claims.exp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SigningKey;

    const HOUR: Duration = Duration::from_secs(3600);
    const ISSUER: &str = "https://spatz.example";

    fn code(result: Result<Uuid, Failure>) -> ErrorCode {
        result.unwrap_err().code
    }

    #[test]
    fn a_token_names_its_player_until_it_expires() {
        let key = SigningKey::generate().unwrap();
        let tokens = AccessTokens::new(key.clone().into(), ISSUER, HOUR);
        let player = Uuid::now_v7();
        let token = tokens.issue(player).unwrap();
        assert_eq!(tokens.check(&token).unwrap(), player);
        assert_eq!(tokens.check(&token).unwrap(), player);

        let stale = AccessTokens::new(key.into(), ISSUER, Duration::ZERO);
        let token = stale.issue(player).unwrap();
        assert_eq!(code(stale.check(&token)), ErrorCode::TokenExpired);
    }

    #[test]
    fn foreign_tampered_and_unsigned_tokens_are_refused() {
        let key = SigningKey::generate().unwrap();
        let tokens = AccessTokens::new(key.clone().into(), ISSUER, HOUR);
        let player = Uuid::now_v7();
        let other_key = SigningKey::generate().unwrap();
        let other_key = AccessTokens::new(other_key.into(), ISSUER, HOUR);
        let other_issuer = AccessTokens::new(key.into(), "https://other.example", HOUR);
        let good = tokens.issue(player).unwrap();
        let [header, payload, _] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
        let foreign = other_key.issue(player).unwrap();
        let foreign_signature = foreign.rsplit('.').next().unwrap();
        for bad in [
            foreign.clone(),
            other_issuer.issue(player).unwrap(),
            format!("{header}.{payload}.{foreign_signature}"),
            format!("{header}.{payload}."),
            // {"alg":"none"}
            format!("eyJhbGciOiJub25lIn0.{payload}."),
            "x".repeat(TOKEN_BYTES_MAX + 1),
            String::new(),
        ] {
            assert_eq!(code(tokens.check(&bad)), ErrorCode::Unauthorized, "{bad}");
        }
    }

    #[test]
    fn the_tokens_of_an_accepted_key_are_good() {
        let [old, new] = [(); 2].map(|()| SigningKey::generate().unwrap());
        let player = Uuid::now_v7();
        let token = AccessTokens::new(old.clone().into(), ISSUER, HOUR)
            .issue(player)
            .unwrap();
        let mut ring = Keyring::from(new);
        ring.accept(&old.public_pem()).unwrap();
        let tokens = AccessTokens::new(ring, ISSUER, HOUR);
        assert_eq!(tokens.check(&token).unwrap(), player);
    }
}
