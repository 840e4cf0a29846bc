//! The accept loop over TCP connections.

use std::{io, net::SocketAddr};

use parlour_server::serve;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::support::TestApp;

/// A test app that listens on a port.
struct ListeningApp {
    address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<io::Result<()>>,
    app: TestApp,
}

impl ListeningApp {
    async fn start() -> Self {
        let app = TestApp::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (address, stop) = (listener.local_addr().expect("address"), CancellationToken::new());
        let running = tokio::spawn(serve(listener, app.router.clone(), stop.clone()));
        Self { address, stop, running, app }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connected")
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.expect("no panic").expect("served");
    }
}

async fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.expect("sent");
}

/// Reads until the hub closes the connection.
async fn read_all(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("read");
    String::from_utf8(bytes).expect("UTF-8")
}

#[tokio::test]
async fn a_request_over_tcp_is_answered() {
    let hub = ListeningApp::start().await;
    let mut stream = hub.connect().await;
    send(&mut stream, "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    let answer = read_all(stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("{\"status\":\"ok\",\"version\":\"1.2.3\"}"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let hub = ListeningApp::start().await;
    let mut stream = hub.connect().await;
    let request = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    send(&mut stream, &request.repeat(2)).await;
    send(&mut stream, "GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    let answers = read_all(stream).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 404 Not Found").count(), 1, "{answers}");
    hub.end().await;
}

#[tokio::test]
async fn a_request_head_over_the_limit_is_refused() {
    let hub = ListeningApp::start().await;
    let mut stream = hub.connect().await;
    let long = "x".repeat(20_000);
    send(&mut stream, &format!("GET /health HTTP/1.1\r\nhost: localhost\r\nlong: {long}\r\n\r\n")).await;
    let answer = read_all(stream).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn stopping_waits_for_a_running_request() {
    let hub = ListeningApp::start().await;
    let project = hub.app.project("Apollo").await;
    let channel = hub.app.channel(&project, "general").await;
    let mut stream = hub.connect().await;
    let head = format!(
        "POST /artifacts?project_id={project}&filename=a&conversation_id={channel} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         expect: 100-continue\r\ncontent-length: 4\r\n\r\n",
        TestApp::ADMIN
    );
    send(&mut stream, &head).await;
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.expect("the handler reads");
    hub.stop.cancel();
    send(&mut stream, "body").await;
    let answer = read_all(stream).await;
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    hub.end().await;
}

#[tokio::test]
async fn stopping_closes_idle_connections() {
    let hub = ListeningApp::start().await;
    let silent = hub.connect().await;
    let mut idle = hub.connect().await;
    send(&mut idle, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let mut first = [0; 15];
    idle.read_exact(&mut first).await.expect("answered");
    hub.end().await;
    assert_eq!(read_all(silent).await, "");
    assert!(read_all(idle).await.ends_with('}'));
}
