//! The keys of access tokens: one that signs, several that are accepted, so that keys can be
//! changed without signing anybody out.
//!
//! A key's id (`kid`) is its RFC 7638 thumbprint, so replicas agree on it without being told.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{
    SigningKey as Secret, VerifyingKey,
    pkcs8::{
        DecodePrivateKey as _, DecodePublicKey as _, EncodePrivateKey as _, EncodePublicKey as _,
        spki::der::pem::LineEnding,
    },
};
use jsonwebtoken::{DecodingKey, EncodingKey};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Why a key cannot be used. Says nothing of the key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is no key.
    #[error("expected an Ed25519 key in PEM")]
    Format,
    /// The system has no randomness.
    #[error("no randomness: {0}")]
    Random(getrandom::Error),
    /// The key's file cannot be read or written.
    #[error("key file: {0}")]
    File(#[from] io::Error),
}

/// The private key that signs access tokens.
#[derive(Clone)]
pub struct SigningKey {
    secret: Secret,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kid", &thumbprint(&self.secret.verifying_key()))
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// A new key.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(KeyError::Random)?;
        let secret = Secret::from_bytes(&seed);
        Ok(Self { secret })
    }

    /// Reads a key in PKCS #8 PEM, as `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let secret = Secret::from_pkcs8_pem(text.trim()).map_err(|_| KeyError::Format)?;
        Ok(Self { secret })
    }

    /// The key in a file, which is made if it is not there, for its owner only. Two processes
    /// that start at once end up with the same key.
    ///
    /// # Errors
    /// When the file cannot be read or made, or holds no key.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyError> {
        match fs::read_to_string(path) {
            Ok(text) => return Self::from_pem(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let key = Self::generate()?;
        let text = key
            .secret
            .to_pkcs8_pem(LineEnding::LF)
            .map_err(|_| KeyError::Format)?;
        // A file under its final name is always whole.
        let draft = path.with_extension(format!("{}.new", Uuid::new_v4().simple()));
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        let linked = fs::hard_link(&draft, path);
        fs::remove_file(&draft)?;
        match linked {
            Ok(()) => Ok(key),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Self::from_pem(&fs::read_to_string(path)?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The public half in PEM: what other installations of the gateway accept during a change of
    /// keys.
    ///
    /// # Panics
    /// Never: every public key has a PEM text.
    #[must_use]
    pub fn public_pem(&self) -> String {
        let public = self.secret.verifying_key();
        public
            .to_public_key_pem(LineEnding::LF)
            .expect("every public key has a PEM text")
    }
}

/// The signing key, and every key whose tokens are accepted.
pub struct Keyring {
    pub(crate) kid: String,
    pub(crate) encoding: EncodingKey,
    pub(crate) accepted: HashMap<String, DecodingKey>,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring")
            .field("kid", &self.kid)
            .field("accepted", &self.accepted.keys())
            .finish_non_exhaustive()
    }
}

impl From<SigningKey> for Keyring {
    fn from(key: SigningKey) -> Self {
        let public = key.secret.verifying_key();
        let der = key
            .secret
            .to_pkcs8_der()
            .expect("every Ed25519 key has a DER encoding");
        let kid = thumbprint(&public);
        let mut ring = Self {
            kid,
            encoding: EncodingKey::from_ed_der(der.as_bytes()),
            accepted: HashMap::new(),
        };
        ring.add(&public);
        ring
    }
}

impl Keyring {
    /// Accepts the tokens of another key too, given its public half in PEM: the next key before
    /// it signs, the last one until its tokens have expired.
    ///
    /// # Errors
    /// When the text is no public key.
    pub fn accept(&mut self, public_pem: &str) -> Result<(), KeyError> {
        let public = VerifyingKey::from_public_key_pem(public_pem.trim());
        self.add(&public.map_err(|_| KeyError::Format)?);
        Ok(())
    }

    fn add(&mut self, public: &VerifyingKey) {
        let key = DecodingKey::from_ed_der(public.as_bytes());
        self.accepted.insert(thumbprint(public), key);
    }
}

fn thumbprint(public: &VerifyingKey) -> String {
    let x = URL_SAFE_NO_PAD.encode(public.as_bytes());
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_key_id_is_the_thumbprint_of_rfc_8037() {
        let x = URL_SAFE_NO_PAD
            .decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
            .unwrap();
        let public = VerifyingKey::from_bytes(&x.try_into().unwrap()).unwrap();
        assert_eq!(
            thumbprint(&public),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
    }

    #[test]
    fn a_key_file_is_made_once_and_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token-key.pem");
        let made = SigningKey::load_or_create(&path).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = SigningKey::load_or_create(&path).unwrap();
        assert_eq!(made.public_pem(), again.public_pem());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert!(SigningKey::from_pem("secret").is_err());
        let key = SigningKey::generate().unwrap();
        assert!(SigningKey::from_pem(&key.public_pem()).is_err());
        assert!(Keyring::from(key).accept("secret").is_err());
    }
}
