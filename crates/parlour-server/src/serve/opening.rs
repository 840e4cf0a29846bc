//! From an accepted connection to one that speaks HTTP: the TLS handshake, within its time.

use std::{io, sync::Arc};

use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConnection};

use super::{
    limits::ServeLimits,
    streams::{BoxedStream, Patient},
    tls::Tls,
};
use crate::peer::PeerCertificate;

/// What every TLS connection begins with: the type of a handshake record (RFC 8446, 5.1).
const HANDSHAKE_RECORD: u8 = 22;
/// Bytes of a plain request that are read before it is told where it went wrong.
const PLAIN_BYTES_MAX: usize = 4 * 1024;
/// What somebody hears who speaks plain HTTP to a hub that speaks TLS. In plain text: any client shows that.
const PLAIN_ANSWER: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
    connection: close\r\n\r\nThis hub speaks TLS: use https:// instead of http://\n";

/// A connection over which HTTP can be spoken.
pub(super) struct Opened {
    pub(super) stream: BoxedStream,
    pub(super) certificate: Option<PeerCertificate>,
}

/// Opens a connection; with TLS that takes a handshake, which must be done in time.
pub(super) async fn open(stream: TcpStream, tls: Option<Arc<Tls>>, limits: ServeLimits) -> io::Result<Opened> {
    // Small answers must not wait for more: without this they can be held back by 40 ms.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        let stream = Box::new(Patient::new(stream, limits.stall_time_max));
        return Ok(Opened { stream, certificate: None });
    };
    timeout(limits.handshake_time_max, shake_hands(stream, &tls, limits)).await?
}

async fn shake_hands(mut stream: TcpStream, tls: &Tls, limits: ServeLimits) -> io::Result<Opened> {
    let mut first = [0];
    if stream.peek(&mut first).await? > 0 && first[0] != HANDSHAKE_RECORD {
        return Err(correct(&mut stream).await);
    }
    let acceptor = TlsAcceptor::from(tls.current());
    // The patience is below the encryption: there every byte that leaves is seen.
    let accepting = acceptor.accept(Patient::new(stream, limits.stall_time_max)).into_fallible();
    let stream = match accepting.await {
        Ok(stream) => stream,
        Err((error, refused)) => return Err(hear_out(refused, error).await),
    };
    let certificate = certificate_of(stream.get_ref().1);
    Ok(Opened { stream: Box::new(stream), certificate })
}

/// The certificate that the client showed; its authority was checked by the handshake.
fn certificate_of(session: &ServerConnection) -> Option<PeerCertificate> {
    let leaf = session.peer_certificates()?.first()?;
    Some(PeerCertificate(Sha256::digest(leaf).into()))
}

/// Reads what a client goes on to send after its handshake was refused, until it has read why and goes: a client whose
/// certificate is not taken believes that all is well, and a connection that is closed over its request loses the alert.
async fn hear_out(mut stream: impl AsyncRead + AsyncWrite + Unpin, error: io::Error) -> io::Error {
    let mut unheard = [0; PLAIN_BYTES_MAX];
    if stream.shutdown().await.is_ok() {
        // The time of the handshake ends this too.
        while stream.read(&mut unheard).await.is_ok_and(|bytes| bytes > 0) {}
    }
    error
}

/// Tells whoever speaks plain HTTP what is spoken here. Its request is read first: a connection that is closed over
/// unread bytes loses the answer on its way.
async fn correct(stream: &mut TcpStream) -> io::Error {
    let mut request = [0; PLAIN_BYTES_MAX];
    let told = async {
        let _ = stream.read(&mut request).await?;
        stream.write_all(PLAIN_ANSWER.as_bytes()).await?;
        stream.shutdown().await
    };
    told.await.err().unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "plain HTTP instead of TLS"))
}
