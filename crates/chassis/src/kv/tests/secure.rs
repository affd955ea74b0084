//! Redis by TLS, however it is run. Each server here has no other port, and wants a certificate.

use std::{
    fs,
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use super::*;
use crate::testing::Certificates;

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server with more settings than every one has.
fn server(files: &Certificates, more: &str, arguments: &[&str]) -> Server {
    let folder = TempDir::new().expect("a folder");
    // Outside of the range that the system hands out, and for a cluster so is the port of its bus.
    let [first, ..] = *uuid::Uuid::new_v4().as_bytes();
    let ports = (0..256).map(|n| 20_000 + (u16::from(first) + n) % 256 * 8);
    let port = ports
        .into_iter()
        .find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok())
        .expect("a free port");
    let config = format!(
        "bind 127.0.0.1\nport 0\ntls-port {port}\ntls-ca-cert-file {}\ntls-cert-file {}\n\
         tls-key-file {}\ntls-replication yes\ntls-cluster yes\nsave \"\"\ndir {}\n{more}\n",
        files.authority().display(),
        files.certificate().display(),
        files.key().display(),
        folder.path().display()
    );
    let path = folder.path().join("redis.conf");
    fs::write(&path, config).expect("write a file");
    let child = Command::new("redis-server")
        .arg(&path)
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .expect("run redis-server");
    Server {
        child,
        port,
        _folder: folder,
    }
}

fn query(files: &Certificates) -> String {
    format!(
        "cacert={}&cert={}&key={}",
        files.authority().display(),
        files.certificate().display(),
        files.key().display()
    )
}

/// Connects as soon as the server is up.
async fn connect(url: &str) -> Kv {
    for _ in 0..200 {
        if let Ok(kv) = Kv::connect(url, "test").await {
            return kv;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Kv::connect(url, "test").await.expect("Redis")
}

async fn echo(kv: &Kv) -> String {
    let mut connection = kv.connection.clone();
    let mut set = cmd("SET");
    set.arg("a").arg("b");
    let _: () = set.query_async(&mut connection).await.expect("an answer");
    let mut get = cmd("GET");
    get.arg("a");
    get.query_async(&mut connection).await.expect("an answer")
}

#[tokio::test]
async fn one_server_is_asked_by_tls_and_refuses_who_shows_nothing() {
    let files = Certificates::new();
    let server = server(&files, "", &[]);
    let url = format!("rediss://127.0.0.1:{}", server.port);
    let kv = connect(&format!("{url}?{}", query(&files))).await;
    assert_eq!(echo(&kv).await, "b");
    let authority = files.authority();
    let nothing = format!("{url}?cacert={}", authority.display());
    assert!(Kv::connect(&nothing, "test").await.is_err());
    let strangers = Certificates::new();
    let mistrusted = format!("{url}?{}", query(&strangers));
    assert!(Kv::connect(&mistrusted, "test").await.is_err());
}

#[tokio::test]
async fn a_sentinel_and_the_primary_that_it_names_are_asked_by_tls() {
    let files = Certificates::new();
    let primary = server(&files, "", &[]);
    let url = format!("rediss://127.0.0.1:{}?{}", primary.port, query(&files));
    connect(&url).await;
    let watched = format!("sentinel monitor cards 127.0.0.1 {} 1", primary.port);
    let sentinel = server(&files, &watched, &["--sentinel"]);
    let port = sentinel.port;
    let url = format!(
        "rediss-sentinel://127.0.0.1:{port}/0?{}#cards",
        query(&files)
    );
    assert_eq!(echo(&connect(&url).await).await, "b");
}

#[tokio::test]
async fn the_nodes_of_a_cluster_are_asked_by_tls() {
    let files = Certificates::new();
    let node = server(&files, "cluster-enabled yes", &[]);
    let servers = format!("127.0.0.1:{}?{}", node.port, query(&files));
    let single = connect(&format!("rediss://{servers}")).await;
    let mut slots = cmd("CLUSTER");
    slots.arg("ADDSLOTSRANGE").arg(0).arg(16383);
    let mut connection = single.connection.clone();
    let _: () = slots.query_async(&mut connection).await.expect("all slots");
    let kv = connect(&format!("rediss-cluster://{servers}")).await;
    assert_eq!(echo(&kv).await, "b");
    let name = format!("127.0.0.1:{}", node.port);
    let client = kv.address.node(&name).await.expect("a client");
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.expect("a connection");
    let pong: String = cmd("PING")
        .query_async(&mut connection)
        .await
        .expect("PONG");
    assert_eq!(pong, "PONG");
}
