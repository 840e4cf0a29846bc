//! One connection: subscribes, delivers frames, and ends with a reason.

use std::time::Duration;

use parlour_core::{
    limits,
    live::{ClientFrame, CloseCode, CommandRefused, Hello, ServerFrame},
    presence::PresenceUpdate,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{mpsc, watch},
    time::{Instant, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::CloseFrame},
};

use super::{
    LiveItem,
    dial::{self, ConnectFailure, Dial, receive},
    item::{LiveError, Lost},
    resume::{FrameAction, ResumeState},
};

/// `ref` of the subscription.
const FOLLOW: &str = "follow";
/// `ref` of frames whose response is ignored.
const ASIDE: &str = "aside";
/// The longest heartbeat interval that a hub may announce.
const HEARTBEAT_SECONDS_MAX: u64 = 300;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    Failed(ConnectFailure),
    /// Open the next connection at once.
    Reconnect,
    ReaderDropped,
}

/// The queue of the reader; the connection waits while it is full.
pub(super) type Items = mpsc::Sender<Result<LiveItem, LiveError>>;

/// Opens a connection and reads it to its end. `opened` is set when it is established.
pub(super) async fn run(
    dial: &impl Dial,
    resume: &mut ResumeState,
    items: &Items,
    presence: &mut watch::Receiver<Option<PresenceUpdate>>,
    opened: &mut Option<Instant>,
) -> ConnectionEnd {
    let socket = match dial.dial().await {
        Ok(socket) => socket,
        Err(failure) => return ConnectionEnd::Failed(failure),
    };
    *opened = Some(Instant::now());
    let silence_max = silence_max(limits::LIVE_HEARTBEAT_SECONDS as u64);
    let mut connection = Connection { socket, resume, items, presence, silence_max };
    match connection.read_to_end().await {
        Err(end) => end,
        Ok(never) => match never {},
    }
}

/// The longest silence of the hub: several missed heartbeats.
fn silence_max(heartbeat_seconds: u64) -> Duration {
    let heartbeat = heartbeat_seconds.clamp(1, HEARTBEAT_SECONDS_MAX);
    Duration::from_secs(heartbeat * limits::LIVE_MISSED_HEARTBEATS_MAX as u64)
}

struct Connection<'a, S> {
    socket: WebSocketStream<S>,
    resume: &'a mut ResumeState,
    items: &'a Items,
    presence: &'a mut watch::Receiver<Option<PresenceUpdate>>,
    silence_max: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    async fn read_to_end(&mut self) -> Result<std::convert::Infallible, ConnectionEnd> {
        self.send(&self.resume.subscription(), FOLLOW).await?;
        self.presence.mark_changed();
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                message = timeout_at(heard + self.silence_max, receive(&mut self.socket)) => {
                    self.take(message.map_err(|_| self.silent())??).await?;
                    // Counted from here: waiting for a slow reader is not silence of the hub.
                    heard = Instant::now();
                }
                Ok(()) = self.presence.changed() => self.send_presence().await?,
            }
        }
    }

    async fn send(&mut self, frame: &ClientFrame, reference: &str) -> Result<(), ConnectionEnd> {
        Ok(dial::send(&mut self.socket, dial::write(frame, reference)).await?)
    }

    /// Sends the latest presence, if there is one.
    async fn send_presence(&mut self) -> Result<(), ConnectionEnd> {
        let request = self.presence.borrow_and_update().clone();
        match request {
            Some(request) => self.send(&ClientFrame::Presence(request), ASIDE).await,
            None => Ok(()),
        }
    }

    fn silent(&self) -> ConnectionEnd {
        ConnectFailure::Lost(Lost::Silent(self.silence_max.as_secs())).into()
    }

    async fn take(&mut self, message: Message) -> Result<(), ConnectionEnd> {
        match message {
            Message::Text(text) => match dial::read(&text) {
                Ok(dial::HubFrame::Known(frame)) => self.take_frame(*frame).await,
                Ok(dial::HubFrame::Unknown(json)) => {
                    let taken = self.resume.take_other(json);
                    self.apply(taken).await
                }
                Err(error) => Err(ConnectFailure::Lost(Lost::Unreadable(error)).into()),
            },
            Message::Close(frame) => Err(closed(frame.as_ref()).into()),
            Message::Binary(_) => Err(ConnectFailure::Lost(Lost::Unreadable("it is not text".into())).into()),
            // The library answers pings itself.
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(()),
        }
    }

    async fn take_frame(&mut self, frame: ServerFrame) -> Result<(), ConnectionEnd> {
        match frame {
            ServerFrame::Hello(Hello { heartbeat_seconds, .. }) => {
                self.silence_max = silence_max(heartbeat_seconds);
                Ok(())
            }
            ServerFrame::Refused(refused) if refused.reference.as_deref() == Some(FOLLOW) => {
                Err(not_followed(refused).into())
            }
            frame => {
                let taken = self.resume.take(frame);
                self.apply(taken).await
            }
        }
    }

    async fn apply(&mut self, taken: FrameAction) -> Result<(), ConnectionEnd> {
        match taken {
            FrameAction::Deliver(item) => self.items.send(Ok(item)).await.map_err(|_| ConnectionEnd::ReaderDropped),
            FrameAction::Skip => Ok(()),
            FrameAction::Reconnect => Err(ConnectionEnd::Reconnect),
            FrameAction::EpochChanged => Err(ConnectFailure::Lost(Lost::EpochChanged).into()),
        }
    }
}

fn not_followed(refused: CommandRefused) -> ConnectFailure {
    if refused.retryable {
        ConnectFailure::Lost(Lost::Busy(refused.detail))
    } else {
        ConnectFailure::Over(refused.into())
    }
}

/// A close without a code of the hub is a lost connection.
fn closed(frame: Option<&CloseFrame>) -> ConnectFailure {
    let code = frame.and_then(|frame| CloseCode::from_number(frame.code.into()));
    match code {
        Some(code) if code.may_resume() => ConnectFailure::Lost(Lost::Closed(code)),
        Some(CloseCode::SignedOut) => {
            ConnectFailure::Over(LiveError::SignedOut(CloseCode::SignedOut.text().to_owned()))
        }
        Some(CloseCode::AccessEnded) => ConnectFailure::Over(LiveError::AccessEnded),
        Some(code) => ConnectFailure::Over(LiveError::Closed(code)),
        None => ConnectFailure::Lost(Lost::Broken(frame.map_or_else(|| "closed".to_owned(), ToString::to_string))),
    }
}

impl From<ConnectFailure> for ConnectionEnd {
    fn from(failure: ConnectFailure) -> Self {
        Self::Failed(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_number(number: u16) -> ConnectFailure {
        closed(Some(&CloseFrame { code: number.into(), reason: "because".into() }))
    }

    #[test]
    fn a_close_code_that_allows_to_resume_is_a_lost_connection() {
        for code in CloseCode::ALL {
            let is_lost = matches!(of_number(code.number()), ConnectFailure::Lost(Lost::Closed(same)) if same == *code);
            assert_eq!(is_lost, code.may_resume(), "{code:?}");
        }
        assert!(matches!(of_number(4401), ConnectFailure::Over(LiveError::SignedOut(_))));
        assert_eq!(of_number(4403), ConnectFailure::Over(LiveError::AccessEnded));
        assert_eq!(of_number(4400), ConnectFailure::Over(LiveError::Closed(CloseCode::Unreadable)));
    }

    #[test]
    fn a_close_without_a_code_of_the_hub_is_a_lost_connection() {
        for failure in [of_number(1000), of_number(1011), of_number(4999), closed(None)] {
            assert!(matches!(failure, ConnectFailure::Lost(Lost::Broken(_))), "{failure:?}");
        }
    }

    #[test]
    fn the_silence_limit_is_bounded_for_any_announced_heartbeat() {
        assert_eq!(silence_max(20), Duration::from_secs(60));
        assert_eq!(silence_max(0), Duration::from_secs(3));
        assert_eq!(silence_max(u64::MAX), Duration::from_secs(3 * HEARTBEAT_SECONDS_MAX));
    }
}
