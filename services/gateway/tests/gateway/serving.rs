//! The server on a real connection.

use std::net::SocketAddr;

use gateway::serve;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{
    messages::{TABLE, seat_ready},
    support::Spatz,
};

async fn served(spatz: &Spatz) -> (SocketAddr, JoinHandle<std::io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(serve(
        spatz.router.clone(),
        listener,
        spatz.shutdown.clone(),
    ));
    (address, server)
}

async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains(end) {
        let n = stream.read(&mut bytes).await.unwrap();
        assert_ne!(n, 0, "the connection ended: {text}");
        text.push_str(std::str::from_utf8(&bytes[..n]).unwrap());
    }
    text
}

#[tokio::test]
async fn shutdown_ends_streams_and_then_the_server() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.updates = vec![seat_ready(1, 0)]);
    let (address, server) = served(&spatz).await;

    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: spatz\r\n\r\n")
        .await
        .unwrap();
    assert!(read_until(&mut idle, "}").await.starts_with("HTTP/1.1 200"));

    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /v1/tables/{TABLE}/events HTTP/1.1\r\nhost: spatz\r\nauthorization: Bearer {}\r\n\r\n",
        anna.token
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    read_until(&mut stream, "seat_ready").await;

    spatz.shutdown.cancel();
    // The last chunk is empty: the stream ended in good order.
    assert!(
        read_until(&mut stream, "0\r\n\r\n")
            .await
            .ends_with("0\r\n\r\n")
    );
    server.await.unwrap().unwrap();
    assert_eq!(idle.read(&mut [0; 16]).await.unwrap(), 0);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn headers_are_bounded() {
    let spatz = Spatz::start().await;
    let (address, _server) = served(&spatz).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let filler = "x".repeat(40 * 1024);
    let request = format!("GET /healthz HTTP/1.1\r\nhost: spatz\r\nx-filler: {filler}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(
        read_until(&mut stream, "\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 431")
    );
}

#[tokio::test]
async fn clients_are_told_apart_by_their_connection() {
    let spatz = Spatz::with(|config| {
        config.rates.address_anonymous = gateway::Rate::new(1, 0.0);
    })
    .await;
    let (address, _server) = served(&spatz).await;
    let status = async |from: &str| {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        stream
            .write_all(b"GET /v1/queues HTTP/1.1\r\nhost: spatz\r\n\r\n")
            .await
            .unwrap();
        read_until(&mut stream, "\r\n").await[9..12].to_owned()
    };
    assert_eq!(status("127.0.0.1").await, "200");
    assert_eq!(status("127.0.0.1").await, "429");
    assert_eq!(status("127.0.0.2").await, "200");
}
