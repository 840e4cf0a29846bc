//! The WebSocket protocol (RFC 6455): opening handshake, frames with write timeouts, and the closing handshake.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode, Version,
        header::{self, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION},
        request::Parts,
    },
    response::Response,
};
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::OnUpgrade;
use parlour_core::{Code, Refusal, limits, live::CloseCode};
use parlour_hub::{live::SessionEnd, ports::Clock};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message, Utf8Bytes,
        error::ProtocolError,
        handshake::derive_accept_key,
        protocol::{
            CloseFrame, Role, WebSocketConfig,
            frame::{
                Frame,
                coding::{CloseCode as Number, Data, OpCode},
            },
        },
    },
};

use super::session::sleep;
use crate::http_error::HttpError;

/// The supported protocol version.
const VERSION: HeaderValue = HeaderValue::from_static("13");
/// Characters of `Sec-WebSocket-Key`: 16 bytes in Base64.
const KEY_CHARS: usize = 24;

/// Extractor of a valid upgrade request; other requests are refused.
pub(crate) struct Handshake {
    accept: String,
    upgrade: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for Handshake {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let refuse = |detail| Refusal::new(Code::NoWebSocket, detail);
        let accept = check_handshake(parts.version, &parts.headers).map_err(refuse)?;
        let upgrade = parts.extensions.remove::<OnUpgrade>();
        Ok(Self { accept, upgrade: upgrade.ok_or_else(|| refuse("this connection does not support an upgrade"))? })
    }
}

impl Handshake {
    /// The response that switches protocols, and the future upgraded connection.
    pub(crate) fn accept(self) -> (Response, OnUpgrade) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let accept = HeaderValue::from_str(&self.accept).expect("Base64 is visible ASCII");
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        (response, self.upgrade)
    }
}

/// Checks the upgrade headers and returns the accept key, or the missing part.
pub(super) fn check_handshake(version: Version, headers: &HeaderMap) -> Result<String, &'static str> {
    if version != Version::HTTP_11 {
        return Err("a WebSocket must be opened over HTTP/1.1");
    }
    if !has_word(headers, header::CONNECTION, "upgrade") || !has_word(headers, header::UPGRADE, "websocket") {
        return Err("the headers Connection: Upgrade and Upgrade: websocket are missing");
    }
    if headers.get(SEC_WEBSOCKET_VERSION) != Some(&VERSION) {
        return Err("the header Sec-WebSocket-Version must be 13");
    }
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == KEY_CHARS);
    Ok(derive_accept_key(key.ok_or("the header Sec-WebSocket-Key must contain 16 bytes in Base64")?.as_bytes()))
}

/// Whether a comma-separated header contains this token, ignoring case.
fn has_word(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let lists = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
}

/// Read buffer of each socket; most clients send little.
const READ_BUFFER_BYTES: usize = 2_048;
/// Bytes buffered before a write.
const WRITE_BUFFER_BYTES: usize = 4_096;
/// Bytes of one outgoing frame; longer messages are fragmented. The write buffer never shrinks, so one long message
/// would otherwise cost memory as long as the socket is open.
const FRAGMENT_BYTES_MAX: usize = 8_192;
/// Time limit of the closing handshake.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(1);
/// Time limit of one write.
const WRITE_TIME_MAX: Duration = Duration::from_secs(limits::LIVE_WRITE_SECONDS_MAX as u64);

/// Sends and receives WebSocket messages with time limits.
pub(super) struct FrameTransport<S> {
    socket: WebSocketStream<S>,
    clock: Arc<dyn Clock>,
}

/// One message of the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Text(Utf8Bytes),
    Binary,
    /// A ping or pong.
    KeepAlive,
}

impl<S: AsyncRead + AsyncWrite + Unpin> FrameTransport<S> {
    /// Starts the protocol on an upgraded connection, in the server role.
    pub(super) async fn new(stream: S, clock: Arc<dyn Clock>) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(WRITE_BUFFER_BYTES)
            .max_message_size(Some(limits::LIVE_FRAME_BYTES_MAX))
            .max_frame_size(Some(limits::LIVE_FRAME_BYTES_MAX));
        Self { socket: WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await, clock }
    }

    /// Waits for the next message; cancel-safe. Pings are answered automatically.
    pub(super) async fn read(&mut self) -> Result<Received, CloseReason> {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(Received::Text(text)),
            Some(Ok(Message::Binary(_))) => Ok(Received::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(Received::KeepAlive),
            Some(Ok(Message::Close(_))) | None => Err(CloseReason::Gone),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Writes all texts and flushes once. A client that is too slow gets the close code `Resume`.
    pub(super) async fn write(&mut self, texts: impl IntoIterator<Item = Bytes>) -> Result<(), CloseReason> {
        self.send_in_time(texts.into_iter().flat_map(fragments)).await
    }

    /// Sends a ping.
    pub(super) async fn ping(&mut self) -> Result<(), CloseReason> {
        self.send_in_time([Message::Ping(Bytes::new())]).await
    }

    async fn send_in_time(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), CloseReason> {
        tokio::select! {
            biased;
            sent = send(&mut self.socket, messages) => Ok(sent?),
            () = sleep(&self.clock, WRITE_TIME_MAX) => Err(CloseCode::Resume.into()),
        }
    }

    /// Closes the socket, within a second whatever the client does.
    pub(super) async fn close(mut self, close_reason: CloseReason) {
        let clock = Arc::clone(&self.clock);
        tokio::select! {
            biased;
            _ = self.close_handshake(close_reason) => {}
            () = sleep(&clock, CLOSE_TIME_MAX) => {}
        }
    }

    async fn close_handshake(&mut self, close_reason: CloseReason) -> Result<(), Error> {
        let Some(message) = close_reason.close_frame() else {
            // Flushing echoes the client's close frame.
            return self.socket.flush().await;
        };
        self.socket.send(message).await?;
        while let Some(Ok(_)) = self.socket.next().await {}
        if close_reason.leaves_unread() { self.drain().await } else { Ok(()) }
    }

    /// Reads and discards remaining bytes. With unread data the system would reset the connection before the client has
    /// read the close frame.
    async fn drain(&mut self) -> Result<(), Error> {
        let stream = self.socket.get_mut();
        stream.shutdown().await?;
        let mut unread = [0; 512];
        while stream.read(&mut unread).await? > 0 {}
        Ok(())
    }
}

/// Buffers all messages, then flushes.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    messages: impl IntoIterator<Item = Message>,
) -> Result<(), Error> {
    for message in messages {
        socket.feed(message).await?;
    }
    socket.flush().await
}

/// The fragments of a text message.
fn fragments(text: Bytes) -> impl Iterator<Item = Message> {
    let last = text.len().saturating_sub(1) / FRAGMENT_BYTES_MAX;
    (0..=last).map(move |index| {
        let end = text.len().min((index + 1) * FRAGMENT_BYTES_MAX);
        let piece = text.slice(index * FRAGMENT_BYTES_MAX..end);
        let data = if index == 0 { Data::Text } else { Data::Continue };
        Message::Frame(Frame::message(piece, OpCode::Data(data), index == last))
    })
}

/// Why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client has disconnected or sent a close frame.
    Gone,
    /// The hub closes the socket with this code.
    Close(CloseCode),
    /// The client violated RFC 6455.
    ProtocolViolation(Number, &'static str),
}

impl CloseReason {
    /// The close frame to send, if any.
    fn close_frame(self) -> Option<Message> {
        let (code, reason) = match self {
            Self::Gone => return None,
            Self::Close(code) => (code.number().into(), code.text()),
            Self::ProtocolViolation(code, reason) => (code, reason),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: reason.into() })))
    }

    /// Whether reading stopped in the middle of a message.
    fn leaves_unread(self) -> bool {
        matches!(self, Self::ProtocolViolation(..) | Self::Close(CloseCode::TooLong))
    }
}

impl From<CloseCode> for CloseReason {
    fn from(code: CloseCode) -> Self {
        Self::Close(code)
    }
}

impl From<SessionEnd> for CloseReason {
    fn from(why: SessionEnd) -> Self {
        Self::Close(code_of(why))
    }
}

/// The close code of an ended session.
pub(super) fn code_of(why: SessionEnd) -> CloseCode {
    match why {
        SessionEnd::TooSlow => CloseCode::Resume,
        SessionEnd::SignedOut => CloseCode::SignedOut,
        SessionEnd::AccessEnded => CloseCode::AccessEnded,
        SessionEnd::Stopping => CloseCode::Restart,
        SessionEnd::Fault => CloseCode::Fault,
    }
}

impl From<Error> for CloseReason {
    fn from(error: Error) -> Self {
        match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Self::Gone,
            Error::Protocol(_) => Self::ProtocolViolation(Number::Protocol, "this breaks the WebSocket protocol"),
            Error::Utf8(_) => Self::ProtocolViolation(Number::Invalid, "a text is not UTF-8"),
            Error::Capacity(_) => Self::Close(CloseCode::TooLong),
            Error::ConnectionClosed | Error::AlreadyClosed | Error::Io(_) => Self::Gone,
            other => {
                tracing::warn!(error = %other, "a socket failed");
                Self::Close(CloseCode::Fault)
            }
        }
    }
}

#[cfg(test)]
mod handshake_tests {
    use super::*;

    /// The example of RFC 6455, 1.3.
    const WHOLE: [(&str, &str); 4] = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];

    fn checked(version: Version, pairs: &[(&'static str, &'static str)]) -> Result<String, &'static str> {
        let pairs = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        check_handshake(version, &pairs.collect())
    }

    #[test]
    fn the_accept_key_is_that_of_the_rfc_example() {
        assert_eq!(checked(Version::HTTP_11, &WHOLE).as_deref(), Ok("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    }

    #[test]
    fn an_incomplete_handshake_is_refused() {
        assert!(checked(Version::HTTP_10, &WHOLE).is_err() && checked(Version::HTTP_2, &WHOLE).is_err());
        for (name, _) in WHOLE {
            let mut pairs = WHOLE.to_vec();
            pairs.retain(|pair| pair.0 != name);
            assert!(checked(Version::HTTP_11, &pairs).is_err(), "without {name}");
            pairs.push((name, "7"));
            assert!(checked(Version::HTTP_11, &pairs).is_err(), "{name}: 7");
        }
    }
}

#[cfg(test)]
mod close_tests {
    use super::*;

    #[test]
    fn every_end_of_a_session_has_its_code() {
        let codes = [
            SessionEnd::TooSlow,
            SessionEnd::SignedOut,
            SessionEnd::AccessEnded,
            SessionEnd::Stopping,
            SessionEnd::Fault,
        ]
        .map(code_of);
        assert_eq!(codes.map(CloseCode::number), [4000, 4401, 4403, 1012, 4500]);
    }

    #[test]
    fn a_disconnected_client_gets_no_close_frame() {
        let gone = Error::Protocol(ProtocolError::ResetWithoutClosingHandshake);
        assert_eq!(CloseReason::from(gone).close_frame(), None);
        assert_eq!(CloseReason::from(Error::Io(std::io::ErrorKind::BrokenPipe.into())).close_frame(), None);
    }

    #[test]
    fn a_close_frame_has_number_and_reason() {
        let Some(Message::Close(Some(frame))) = CloseReason::Close(CloseCode::Resume).close_frame() else {
            unreachable!()
        };
        assert_eq!((u16::from(frame.code), frame.reason.as_str()), (4000, CloseCode::Resume.text()));
    }
}
