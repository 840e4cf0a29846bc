//! The socket itself: frames in and out, each within its time, and a close that the client gets to see.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use parlour_core::{limits, live::CloseCode};
use parlour_hub::ports::Clock;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message, Utf8Bytes,
        protocol::{
            Role, WebSocketConfig,
            frame::{
                Frame,
                coding::{Data, OpCode},
            },
        },
    },
};

use super::{beats::wait, farewell::Farewell};

/// Bytes that are read at once. Most clients say little; this is kept for each of them.
const READ_BUFFER_BYTES: usize = 2_048;
/// Bytes that are gathered before they are written.
const WRITE_BUFFER_BYTES: usize = 4_096;
/// Bytes of one frame to a client; a longer message goes out in several. The buffer of a socket never shrinks, so
/// without this one long message would be paid for as long as the socket is open.
const FRAGMENT_BYTES_MAX: usize = 8_192;
/// How long a client is given to see why it is closed.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(1);
/// How long a client is given to take what is written.
const WRITE_TIME_MAX: Duration = Duration::from_secs(limits::LIVE_WRITE_SECONDS_MAX as u64);

/// A socket after its handshake.
pub(super) struct Wire<S> {
    socket: WebSocketStream<S>,
    clock: Arc<dyn Clock>,
}

/// What a client has sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A text.
    Text(Utf8Bytes),
    /// Bytes that are no text.
    Binary,
    /// A sign of life.
    Sign,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// Speaks WebSocket over this connection, as the server.
    pub(super) async fn new(stream: S, clock: Arc<dyn Clock>) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(WRITE_BUFFER_BYTES)
            .max_message_size(Some(limits::LIVE_FRAME_BYTES_MAX))
            .max_frame_size(Some(limits::LIVE_FRAME_BYTES_MAX));
        Self { socket: WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await, clock }
    }

    /// Waits for what the client says. Cancelling the wait loses nothing. Pings are answered on the way.
    pub(super) async fn read(&mut self) -> Result<Heard, Farewell> {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(Heard::Text(text)),
            Some(Ok(Message::Binary(_))) => Ok(Heard::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(Heard::Sign),
            Some(Ok(Message::Close(_))) | None => Err(Farewell::Gone),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Writes texts, all together. Whoever takes too long to take them is to resume later.
    pub(super) async fn write(&mut self, texts: impl IntoIterator<Item = Bytes>) -> Result<(), Farewell> {
        self.send_in_time(texts.into_iter().flat_map(fragments)).await
    }

    /// Asks the client for a sign of life.
    pub(super) async fn ping(&mut self) -> Result<(), Farewell> {
        self.send_in_time([Message::Ping(Bytes::new())]).await
    }

    async fn send_in_time(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), Farewell> {
        tokio::select! {
            biased;
            sent = send(&mut self.socket, messages) => Ok(sent?),
            () = wait(&self.clock, WRITE_TIME_MAX) => Err(CloseCode::Resume.into()),
        }
    }

    /// Says goodbye and closes, within a second whatever the client does.
    pub(super) async fn close(mut self, farewell: Farewell) {
        let clock = Arc::clone(&self.clock);
        tokio::select! {
            biased;
            _ = self.shake_hands(farewell) => {}
            () = wait(&clock, CLOSE_TIME_MAX) => {}
        }
    }

    async fn shake_hands(&mut self, farewell: Farewell) -> Result<(), Error> {
        let Some(message) = farewell.message() else {
            // A close of the client is echoed here.
            return self.socket.flush().await;
        };
        self.socket.send(message).await?;
        while let Some(Ok(_)) = self.socket.next().await {}
        if farewell.leaves_unread() { self.drain().await } else { Ok(()) }
    }

    /// Reads what is no frame any more. Left unread it would make the system reset the connection, and the client
    /// would never see why it was closed.
    async fn drain(&mut self) -> Result<(), Error> {
        let stream = self.socket.get_mut();
        stream.shutdown().await?;
        let mut unread = [0; 512];
        while stream.read(&mut unread).await? > 0 {}
        Ok(())
    }
}

/// Gathers all messages, then writes them.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    messages: impl IntoIterator<Item = Message>,
) -> Result<(), Error> {
    for message in messages {
        socket.feed(message).await?;
    }
    socket.flush().await
}

/// A text as the frames that it goes out in.
fn fragments(text: Bytes) -> impl Iterator<Item = Message> {
    let last = text.len().saturating_sub(1) / FRAGMENT_BYTES_MAX;
    (0..=last).map(move |index| {
        let end = text.len().min((index + 1) * FRAGMENT_BYTES_MAX);
        let piece = text.slice(index * FRAGMENT_BYTES_MAX..end);
        let data = if index == 0 { Data::Text } else { Data::Continue };
        Message::Frame(Frame::message(piece, OpCode::Data(data), index == last))
    })
}
