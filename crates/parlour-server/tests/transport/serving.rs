//! A small router that listens on a port, and raw clients.

use std::{io, net::SocketAddr, time::Duration};

use axum::{
    Extension, Router,
    body::Bytes,
    routing::{get, post},
};
use parlour_server::{ClientAddress, PeerCertificate, ServeLimits, ServeOptions, serve_with};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// A short limit.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

/// A complete request that closes the connection.
pub(crate) const LAST: &str = "GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
/// A complete request that keeps the connection open.
pub(crate) const FIRST: &str = "GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";

/// A server with a small router.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<io::Result<()>>,
}

impl TestServer {
    /// Serves routes that return properties of the request.
    pub(crate) async fn start(options: ServeOptions) -> Self {
        let app = Router::new()
            .route("/hello", get(async || "hello"))
            .route("/length", post(async |body: Bytes| body.len().to_string()))
            .route("/client", get(async |Extension(ClientAddress(address))| address.to_string()))
            .route("/certificate", get(certificate_fingerprint));
        Self::serve(app, options).await
    }

    pub(crate) async fn serve(app: Router, options: ServeOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (address, stop) = (listener.local_addr().expect("bound"), CancellationToken::new());
        let running = tokio::spawn(serve_with(listener, app, options, stop.clone()));
        Self { address, stop, running }
    }

    /// Serves with changed limits.
    pub(crate) async fn with_limits(change: impl FnOnce(&mut ServeLimits)) -> Self {
        let mut options = ServeOptions::default();
        change(&mut options.limits);
        Self::start(options).await
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connected")
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        soon(self.running).await.expect("no panic").expect("served");
    }
}

async fn certificate_fingerprint(certificate: Option<Extension<PeerCertificate>>) -> String {
    certificate.map_or_else(|| "none".to_owned(), |Extension(PeerCertificate(hash))| hex(&hash))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Awaits the future; fails instead of hanging.
#[track_caller]
pub(crate) fn soon<T>(future: impl Future<Output = T>) -> impl Future<Output = T> {
    let location = std::panic::Location::caller();
    async move {
        let in_time = tokio::time::timeout(PATIENCE, future).await;
        in_time.unwrap_or_else(|_| unreachable!("timed out at {location}"))
    }
}

pub(crate) async fn send(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    soon(stream.write_all(text.as_bytes())).await.expect("sent");
    soon(stream.flush()).await.expect("sent");
}

/// Reads until the connection ends.
pub(crate) async fn read_to_end(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    let _ = soon(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until the text arrives; the connection stays open.
pub(crate) async fn read_until(stream: &mut (impl AsyncRead + Unpin), text: &str) -> String {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(text) {
        read.push(soon(stream.read_u8()).await.expect("a byte"));
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// Sends one request and returns the response.
pub(crate) async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), path: &str, head: &str) -> String {
    send(stream, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n{head}connection: close\r\n\r\n")).await;
    let answer = read_to_end(stream).await;
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or(answer)
}
