//! Mutual TLS between the services, when it is configured: a server accepts only callers with a
//! certificate of the authority that both sides trust, and so does a caller. That network policy
//! alone keeps others out is not enough where the network is shared.

use std::{fmt, fs, path::Path};

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig};

#[cfg(test)]
mod tests;

/// Bytes of a file with certificates or a key that are read at most.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The certificate of this process, its key, and the authority whose certificates it trusts.
#[derive(Clone)]
pub struct Tls {
    identity: Identity,
    authority: Certificate,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest is a key.
        f.write_str("Tls")
    }
}

/// The content of a PEM file.
pub(crate) fn pem(path: &Path) -> Result<Vec<u8>, String> {
    let told = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
    let size = fs::metadata(path).map_err(|error| told(&error))?.len();
    if size > FILE_BYTES_MAX {
        return Err(told(&format!("expected at most {FILE_BYTES_MAX} bytes")));
    }
    let content = fs::read(path).map_err(|error| told(&error))?;
    if content.windows(11).any(|part| part == b"-----BEGIN ") {
        Ok(content)
    } else {
        Err(told(&"expected PEM"))
    }
}

impl Tls {
    /// Reads PEM files: a certificate with its chain, its key, and the certificate of the
    /// authority. The certificate is one for servers and for clients.
    ///
    /// # Errors
    /// When one cannot be read, or key and certificate are not a pair.
    pub fn load(certificate: &Path, key: &Path, authority: &Path) -> Result<Self, String> {
        let tls = Self {
            identity: Identity::from_pem(pem(certificate)?, pem(key)?),
            authority: Certificate::from_pem(pem(authority)?),
        };
        let file = certificate.display();
        Server::builder()
            .tls_config(tls.server())
            .map_err(|error| format!("{file} with its key and authority: {}", reason(&error)))?;
        Endpoint::from_static("https://spatz")
            .tls_config(tls.client("spatz"))
            .map_err(|error| format!("{file} with its key and authority: {}", reason(&error)))?;
        Ok(tls)
    }

    /// What a server does: it asks callers for a certificate.
    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(self.identity.clone())
            .client_ca_root(self.authority.clone())
    }

    /// What a caller does who expects a certificate with this name.
    pub(crate) fn client(&self, name: &str) -> ClientTlsConfig {
        ClientTlsConfig::new()
            .identity(self.identity.clone())
            .ca_certificate(self.authority.clone())
            .domain_name(name)
    }
}

/// What is at the bottom of an error.
fn reason(error: &dyn std::error::Error) -> String {
    let mut bottom = error;
    while let Some(source) = bottom.source() {
        bottom = source;
    }
    bottom.to_string()
}
