//! TLS to Redis: the files that a URL names after a question mark, as `redis-cli` calls them.

use std::path::Path;

use redis::{ClientTlsConfig, RedisResult, TlsCertificates};

use super::address::refused;
use crate::tls::pem;

/// Reads `cacert=FILE&cert=FILE&key=FILE`: whom to trust, and what to show. `None` when there is
/// nothing to read; the authorities of the system are trusted then.
pub(super) fn read(query: &str) -> RedisResult<Option<TlsCertificates>> {
    let (mut authority, mut certificate, mut key) = (None, None, None);
    for setting in query.split('&').filter(|setting| !setting.is_empty()) {
        let (name, path) = setting.split_once('=').unwrap_or((setting, ""));
        let place = match name {
            "cacert" => &mut authority,
            "cert" => &mut certificate,
            "key" => &mut key,
            _ => {
                return Err(refused(
                    "expected cacert, cert or key after ? in a rediss URL",
                ));
            }
        };
        let content = pem(Path::new(path));
        *place = Some(content.map_err(|_| refused("expected PEM files for cacert, cert and key"))?);
    }
    let client_tls = match (certificate, key) {
        (Some(client_cert), Some(client_key)) => Some(ClientTlsConfig {
            client_cert,
            client_key,
        }),
        (None, None) => None,
        _ => return Err(refused("expected cert and key, or neither")),
    };
    let any = authority.is_some() || client_tls.is_some();
    Ok(any.then_some(TlsCertificates {
        client_tls,
        root_cert: authority,
    }))
}
