//! A small surface that listens, and raw clients of it.

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

/// Only a broken test takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);
/// A limit that ends soon.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

/// A whole request whose answer ends the connection.
pub(crate) const LAST: &str = "GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
/// A whole request after which the connection stays.
pub(crate) const FIRST: &str = "GET /hello HTTP/1.1\r\nhost: x\r\n\r\n";

/// A surface that listens.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<io::Result<()>>,
}

impl Serving {
    /// Serves a few routes that tell what they see.
    pub(crate) async fn start(options: ServeOptions) -> Self {
        let app = Router::new()
            .route("/hello", get(async || "hello"))
            .route("/length", post(async |body: Bytes| body.len().to_string()))
            .route("/client", get(async |Extension(ClientAddress(address))| address.to_string()))
            .route("/certificate", get(tell_certificate));
        Self::serve(app, options).await
    }

    pub(crate) async fn serve(app: Router, options: ServeOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (address, stop) = (listener.local_addr().expect("bound"), CancellationToken::new());
        let running = tokio::spawn(serve_with(listener, app, options, stop.clone()));
        Self { address, stop, running }
    }

    /// Serves with bounds of which `change` makes some smaller.
    pub(crate) async fn bounded(change: impl FnOnce(&mut ServeLimits)) -> Self {
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

async fn tell_certificate(certificate: Option<Extension<PeerCertificate>>) -> String {
    certificate.map_or_else(|| "none".to_owned(), |Extension(PeerCertificate(hash))| hex(&hash))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the future gives; a test that waits in vain fails here instead of hanging.
#[track_caller]
pub(crate) fn soon<T>(future: impl Future<Output = T>) -> impl Future<Output = T> {
    let place = std::panic::Location::caller();
    async move {
        let in_time = tokio::time::timeout(PATIENCE, future).await;
        in_time.unwrap_or_else(|_| unreachable!("waited in vain at {place}"))
    }
}

pub(crate) async fn send(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    soon(stream.write_all(text.as_bytes())).await.expect("sent");
    soon(stream.flush()).await.expect("sent");
}

/// Everything until the other side ends the connection, however it does that.
pub(crate) async fn read_to_end(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    let _ = soon(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until the text has come, which leaves the connection open.
pub(crate) async fn read_until(stream: &mut (impl AsyncRead + Unpin), text: &str) -> String {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(text) {
        read.push(soon(stream.read_u8()).await.expect("a byte"));
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// Asks once for something over a connection, which ends with it.
pub(crate) async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), path: &str, head: &str) -> String {
    send(stream, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n{head}connection: close\r\n\r\n")).await;
    let answer = read_to_end(stream).await;
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or(answer)
}
