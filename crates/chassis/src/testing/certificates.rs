//! An authority for tests, and a certificate of it, made by `openssl`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

const CONFIG: &str = "[req]
distinguished_name = name
prompt = no
[name]
CN = spatz
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[pod]
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:localhost, IP:127.0.0.1
extendedKeyUsage = serverAuth, clientAuth
";

/// PEM files in a folder that goes when this is dropped. The certificate is for servers and clients
/// and has the names `localhost` and `127.0.0.1`.
#[derive(Debug)]
pub struct Certificates(TempDir);

impl Certificates {
    /// Makes them.
    ///
    /// # Panics
    /// When `openssl` is not there or fails.
    #[must_use]
    pub fn new() -> Self {
        let folder = TempDir::new().expect("make a temporary folder");
        let of = Self(folder);
        std::fs::write(of.file("config"), CONFIG).expect("write a file");
        make(of.0.path(), "authority", "ca", &[]);
        make(
            of.0.path(),
            "pod",
            "tls",
            &["-CA", "ca.crt", "-CAkey", "ca.key"],
        );
        of
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The certificate of the authority.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.file("ca.crt")
    }

    /// The certificate.
    #[must_use]
    pub fn certificate(&self) -> PathBuf {
        self.file("tls.crt")
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.file("tls.key")
    }
}

impl Default for Certificates {
    fn default() -> Self {
        Self::new()
    }
}

/// A self-signed certificate or, with `more`, one of the authority.
fn make(folder: &Path, section: &str, name: &str, more: &[&str]) {
    let (key, certificate) = (format!("{name}.key"), format!("{name}.crt"));
    let output = Command::new("openssl")
        .args(["req", "-x509", "-config", "config", "-extensions", section])
        .args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args([
            "-nodes",
            "-days",
            "2",
            "-keyout",
            &key,
            "-out",
            &certificate,
        ])
        .args(more)
        .current_dir(folder)
        .output()
        .expect("run openssl");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl: {errors}");
}
