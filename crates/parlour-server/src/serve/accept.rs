//! Turns an accepted TCP connection into a byte stream for HTTP: TLS handshake and write timeout.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConnection};

use super::{connection_limits::ServeLimits, tls::Tls};
use crate::http_guard::PeerCertificate;

/// The first byte of a TLS connection: a handshake record (RFC 8446, 5.1).
const HANDSHAKE_RECORD: u8 = 22;
/// Bytes of a plain HTTP request that are read before the error is sent.
const PLAIN_BYTES_MAX: usize = 4 * 1024;
/// The response to plain HTTP on a TLS port.
const PLAIN_HTTP_RESPONSE: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
    connection: close\r\n\r\nThis hub speaks TLS: use https:// instead of http://\n";

/// A connection ready for HTTP.
pub(super) struct AcceptedStream {
    pub(super) stream: BoxedStream,
    pub(super) certificate: Option<PeerCertificate>,
}

/// Performs the TLS handshake, if any, within its time limit.
pub(super) async fn accept(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    limits: ServeLimits,
) -> io::Result<AcceptedStream> {
    // Nagle's algorithm would delay small responses by up to 40 ms.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        let stream = Box::new(WriteTimeout::new(stream, limits.stall_time_max));
        return Ok(AcceptedStream { stream, certificate: None });
    };
    timeout(limits.handshake_time_max, shake_hands(stream, &tls, limits)).await?
}

async fn shake_hands(mut stream: TcpStream, tls: &Tls, limits: ServeLimits) -> io::Result<AcceptedStream> {
    let mut first = [0];
    if stream.peek(&mut first).await? > 0 && first[0] != HANDSHAKE_RECORD {
        return Err(refuse_plain_http(&mut stream).await);
    }
    let acceptor = TlsAcceptor::from(tls.current());
    // The write timeout is below TLS, where it sees every byte that leaves.
    let accepting = acceptor.accept(WriteTimeout::new(stream, limits.stall_time_max)).into_fallible();
    let stream = match accepting.await {
        Ok(stream) => stream,
        Err((error, refused)) => return Err(drain(refused, error).await),
    };
    let certificate = certificate_of(stream.get_ref().1);
    Ok(AcceptedStream { stream: Box::new(stream), certificate })
}

/// The client certificate, verified by the handshake.
fn certificate_of(session: &ServerConnection) -> Option<PeerCertificate> {
    let leaf = session.peer_certificates()?.first()?;
    Some(PeerCertificate(Sha256::digest(leaf).into()))
}

/// Discards what a client sends after its handshake was refused. Closing with unread data would reset the connection
/// before the client has read the TLS alert.
async fn drain(mut stream: impl AsyncRead + AsyncWrite + Unpin, error: io::Error) -> io::Error {
    let mut discarded = [0; PLAIN_BYTES_MAX];
    if stream.shutdown().await.is_ok() {
        // The handshake timeout ends this loop too.
        while stream.read(&mut discarded).await.is_ok_and(|bytes| bytes > 0) {}
    }
    error
}

/// Answers plain HTTP on a TLS port. The request is read first: closing with unread data would lose the response.
async fn refuse_plain_http(stream: &mut TcpStream) -> io::Error {
    let mut request = [0; PLAIN_BYTES_MAX];
    let response = async {
        let _ = stream.read(&mut request).await?;
        stream.write_all(PLAIN_HTTP_RESPONSE.as_bytes()).await?;
        stream.shutdown().await
    };
    response.await.err().unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "plain HTTP instead of TLS"))
}

/// A plain or encrypted byte stream.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// Boxed, so that HTTP is compiled once for both kinds.
pub(super) type BoxedStream = Box<dyn ByteStream>;

/// A stream whose writes fail when the client has read nothing for `time_max`.
///
/// Without it a client that stops reading would hold its connection and the pending response for ever.
pub(super) struct WriteTimeout<S> {
    stream: S,
    time_max: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) fn new(stream: S, time_max: Duration) -> Self {
        Self { stream, time_max, waiting: None }
    }

    /// The result of a write, or an error after the timeout.
    fn bound<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let time_max = self.time_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bound(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.bound(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const TIME_MAX: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_reads_times_out() {
        let (near, _far) = duplex(4);
        let mut writer = WriteTimeout::new(near, TIME_MAX);
        let began = tokio::time::Instant::now();
        let error = writer.write_all(b"too long").await.expect_err("nobody reads");
        assert_eq!((error.kind(), began.elapsed()), (io::ErrorKind::TimedOut, TIME_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn every_byte_that_is_read_restarts_the_timeout() {
        let (near, mut far) = duplex(1);
        let mut writer = WriteTimeout::new(near, TIME_MAX);
        let writing = tokio::spawn(async move { writer.write_all(b"slowly").await });
        let mut taken = String::new();
        for _ in 0.."slowly".len() {
            sleep(TIME_MAX - Duration::from_secs(1)).await;
            taken.push(far.read_u8().await.expect("a byte").into());
        }
        writing.await.expect("no panic").expect("written");
        assert_eq!(taken, "slowly");
    }
}
