//! Settings of TLS between the services.

use std::path::Path;

use chassis::{config::Problems, tls::Tls};

use crate::cli;

/// The certificates of this process; `None` without TLS, or together with a problem.
pub(crate) fn read(args: &cli::TlsArgs, problems: &mut Problems) -> Option<Tls> {
    // The parser sees to it that there are all or none.
    let (Some(certificate), Some(key), Some(authority)) =
        (&args.tls_cert, &args.tls_key, &args.tls_ca)
    else {
        return None;
    };
    let loaded = Tls::load(Path::new(certificate), Path::new(key), Path::new(authority));
    let setting = "--tls-cert, --tls-key, --tls-ca (SPATZ_TLS_CERT, SPATZ_TLS_KEY, SPATZ_TLS_CA)";
    problems.note(setting, loaded.map(Some), None)
}
