//! Who is served, and who is not.

use std::fs;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    Code, Status,
    service::RoutesBuilder,
    transport::{Certificate, ClientTlsConfig, Endpoint},
};
use uuid::Uuid;

use super::*;
use crate::{
    rpc::{self, Listener, Replicas, is_serving},
    testing::Certificates,
};

fn tls(files: &Certificates) -> Tls {
    Tls::load(&files.certificate(), &files.key(), &files.authority()).expect("certificates")
}

/// A server with these certificates; its `host:port`.
async fn server(files: &Certificates) -> String {
    let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = tcp.local_addr().expect("an address").to_string();
    let listener = Listener::Tls(tcp, tls(files));
    let routes = RoutesBuilder::default();
    let forever = CancellationToken::new();
    tokio::spawn(async move { rpc::serve(routes, &["spatz.v1.Test"], listener, forever).await });
    address
}

async fn serving(channel: rpc::Channel) -> Result<bool, Status> {
    is_serving(channel, "spatz.v1.Test").await
}

#[tokio::test]
async fn who_has_a_certificate_is_served() {
    let files = Certificates::new();
    let address = server(&files).await;
    let tls = tls(&files);
    let channel = rpc::channel(&format!("https://{address}"), Some(&tls)).expect("a channel");
    assert!(serving(channel).await.expect("an answer"));
    let port = address.rsplit(':').next().expect("a port");
    let named = rpc::channel(&format!("https://localhost:{port}"), Some(&tls));
    assert!(serving(named.expect("a channel")).await.expect("an answer"));
    // Each address of a name has the certificate of the name.
    let url = format!("https://localhost:{port}");
    let replicas = Replicas::at([url.as_str()], Some(&tls)).expect("replicas");
    let answer = replicas.call(Uuid::nil(), serving).await;
    assert!(answer.expect("an answer"));
}

#[tokio::test]
async fn without_a_certificate_of_the_authority_nobody_is_served() {
    let (files, strangers) = (Certificates::new(), Certificates::new());
    let address = server(&files).await;
    let url = format!("https://{address}");

    let plain = rpc::channel(&format!("http://{address}"), None).expect("a channel");
    let authority = fs::read(files.authority()).expect("a file");
    let trusting = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
    let anonymous = Endpoint::from_shared(url.clone()).expect("a URL");
    let anonymous = anonymous.tls_config(trusting).expect("a configuration");
    let mut channels = vec![plain, anonymous.connect_lazy().into()];
    // One that trusts the server, and shows a certificate of somebody else.
    let mixed = Tls::load(
        &strangers.certificate(),
        &strangers.key(),
        &files.authority(),
    );
    channels.push(rpc::channel(&url, Some(&mixed.expect("certificates"))).expect("a channel"));
    for channel in channels {
        let refused = serving(channel).await.expect_err("no certificate");
        assert!(refused.code() != Code::Unimplemented, "{refused}");
    }
}

#[tokio::test]
async fn a_server_of_another_authority_or_name_is_not_called() {
    let (files, strangers) = (Certificates::new(), Certificates::new());
    let url = format!("https://{}", server(&files).await);
    let suspicious = Tls::load(&files.certificate(), &files.key(), &strangers.authority());
    let channel = rpc::channel(&url, Some(&suspicious.expect("certificates")));
    let refused = serving(channel.expect("a channel")).await;
    assert!(refused.is_err());
    let other = rpc::channel_to(&url, "ranking", &tls(&files)).expect("a channel");
    assert!(serving(other).await.is_err());
    let right = rpc::channel_to(&url, "localhost", &tls(&files)).expect("a channel");
    assert!(serving(right).await.expect("an answer"));
}

#[tokio::test]
async fn a_url_goes_with_the_certificates() {
    let tls = tls(&Certificates::new());
    assert!(rpc::channel("http://game:7001", Some(&tls)).is_err());
    assert!(rpc::channel("https://game:7001", None).is_err());
    assert!(Replicas::at(["http://game:7001"], Some(&tls)).is_err());
    assert!(Replicas::at(["https://game:7001"], None).is_err());
}

#[test]
fn files_that_are_no_pair_are_refused_by_name_and_not_repeated() {
    let (files, others) = (Certificates::new(), Certificates::new());
    let load = |key: &Path, authority: &Path| {
        let loaded = Tls::load(&files.certificate(), key, authority);
        loaded.expect_err("no pair")
    };
    let told = load(&others.key(), &files.authority());
    assert!(told.contains("tls.crt"), "{told}");
    let told = load(&files.key(), Path::new("/there/is/nothing"));
    assert!(told.contains("/there/is/nothing"), "{told}");
    let told = load(Path::new("/etc/hosts"), &files.authority());
    assert_eq!(told, "/etc/hosts: expected PEM");
}
