//! One connection: subscribes, hands over what comes, and ends with the reason.

use std::time::Duration;

use parlour_core::{
    limits,
    live::{ClientFrame, CloseCode, Hello, Refused, ServerFrame},
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
    dial::{self, Dial, Undone, receive, send},
    item::{LiveError, Lost},
    resume::{Resume, Taken},
};

/// The reference of the subscription.
const FOLLOW: &str = "follow";
/// The reference of frames whose answer does not matter.
const ASIDE: &str = "aside";
/// A hub that promises fewer signs of life than this is held to this.
const HEARTBEAT_SECONDS_MAX: u64 = 300;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// For this reason.
    Undone(Undone),
    /// To be opened again at once.
    Again,
    /// Nobody reads any more.
    Unheard,
}

/// Where items go; a full queue stops the reading.
pub(super) type Items = mpsc::Sender<Result<LiveItem, LiveError>>;

/// Opens a connection and reads it to its end. `opened` is set when it was open.
pub(super) async fn run(
    dial: &impl Dial,
    resume: &mut Resume,
    items: &Items,
    presence: &mut watch::Receiver<Option<PresenceUpdate>>,
    opened: &mut Option<Instant>,
) -> End {
    let socket = match dial.dial().await {
        Ok(socket) => socket,
        Err(undone) => return End::Undone(undone),
    };
    *opened = Some(Instant::now());
    let silence_max = silence_max(limits::LIVE_HEARTBEAT_SECONDS as u64);
    let mut connection = Connection { socket, resume, items, presence, silence_max };
    match connection.read_to_end().await {
        Err(end) => end,
        Ok(never) => match never {},
    }
}

/// The hub gives signs of life; when several in a row are missing, it is gone.
fn silence_max(heartbeat_seconds: u64) -> Duration {
    let heartbeat = heartbeat_seconds.clamp(1, HEARTBEAT_SECONDS_MAX);
    Duration::from_secs(heartbeat * limits::LIVE_MISSED_HEARTBEATS_MAX as u64)
}

struct Connection<'a, S> {
    socket: WebSocketStream<S>,
    resume: &'a mut Resume,
    items: &'a Items,
    presence: &'a mut watch::Receiver<Option<PresenceUpdate>>,
    silence_max: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    async fn read_to_end(&mut self) -> Result<std::convert::Infallible, End> {
        self.say(&self.resume.subscription(), FOLLOW).await?;
        self.presence.mark_changed();
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                message = timeout_at(heard + self.silence_max, receive(&mut self.socket)) => {
                    self.take(message.map_err(|_| self.silent())??).await?;
                    // Counted from here: waiting for a slow reader is no silence of the hub.
                    heard = Instant::now();
                }
                Ok(()) = self.presence.changed() => self.say_presence().await?,
            }
        }
    }

    async fn say(&mut self, frame: &ClientFrame, reference: &str) -> Result<(), End> {
        Ok(send(&mut self.socket, dial::write(frame, reference)).await?)
    }

    /// Says what was last wished; nothing as long as nothing was.
    async fn say_presence(&mut self) -> Result<(), End> {
        let request = self.presence.borrow_and_update().clone();
        match request {
            Some(request) => self.say(&ClientFrame::Presence(request), ASIDE).await,
            None => Ok(()),
        }
    }

    fn silent(&self) -> End {
        Undone::Lost(Lost::Silent(self.silence_max.as_secs())).into()
    }

    async fn take(&mut self, message: Message) -> Result<(), End> {
        match message {
            Message::Text(text) => match dial::read(&text) {
                Ok(dial::Read::Known(frame)) => self.take_frame(*frame).await,
                Ok(dial::Read::Unknown(json)) => {
                    let taken = self.resume.take_other(json);
                    self.hand(taken).await
                }
                Err(error) => Err(Undone::Lost(Lost::Unreadable(error)).into()),
            },
            Message::Close(frame) => Err(closed(frame.as_ref()).into()),
            Message::Binary(_) => Err(Undone::Lost(Lost::Unreadable("it is no text".into())).into()),
            // Signs of life; the library answers pings by itself.
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(()),
        }
    }

    async fn take_frame(&mut self, frame: ServerFrame) -> Result<(), End> {
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
                self.hand(taken).await
            }
        }
    }

    async fn hand(&mut self, taken: Taken) -> Result<(), End> {
        match taken {
            Taken::Hand(item) => self.items.send(Ok(item)).await.map_err(|_| End::Unheard),
            Taken::Skip => Ok(()),
            Taken::Again => Err(End::Again),
            Taken::OtherLife => Err(Undone::Lost(Lost::OtherLife).into()),
        }
    }
}

fn not_followed(refused: Refused) -> Undone {
    if refused.retryable { Undone::Lost(Lost::Busy(refused.detail)) } else { Undone::Over(refused.into()) }
}

/// A close without a code of ours is an accident on the way.
fn closed(frame: Option<&CloseFrame>) -> Undone {
    let code = frame.and_then(|frame| CloseCode::from_number(frame.code.into()));
    match code {
        Some(code) if code.may_resume() => Undone::Lost(Lost::Closed(code)),
        Some(CloseCode::SignedOut) => Undone::Over(LiveError::SignedOut(CloseCode::SignedOut.text().to_owned())),
        Some(CloseCode::AccessEnded) => Undone::Over(LiveError::AccessEnded),
        Some(code) => Undone::Over(LiveError::Closed(code)),
        None => Undone::Lost(Lost::Broken(frame.map_or_else(|| "closed".to_owned(), ToString::to_string))),
    }
}

impl From<Undone> for End {
    fn from(undone: Undone) -> Self {
        Self::Undone(undone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_number(number: u16) -> Undone {
        closed(Some(&CloseFrame { code: number.into(), reason: "because".into() }))
    }

    #[test]
    fn every_close_code_is_treated_as_it_says() {
        for code in CloseCode::ALL {
            let is_lost = matches!(of_number(code.number()), Undone::Lost(Lost::Closed(same)) if same == *code);
            assert_eq!(is_lost, code.may_resume(), "{code:?}");
        }
        assert!(matches!(of_number(4401), Undone::Over(LiveError::SignedOut(_))));
        assert_eq!(of_number(4403), Undone::Over(LiveError::AccessEnded));
        assert_eq!(of_number(4400), Undone::Over(LiveError::Closed(CloseCode::Unreadable)));
    }

    #[test]
    fn a_close_of_somebody_else_is_an_accident() {
        for undone in [of_number(1000), of_number(1011), of_number(4999), closed(None)] {
            assert!(matches!(undone, Undone::Lost(Lost::Broken(_))), "{undone:?}");
        }
    }

    #[test]
    fn silence_is_bounded_whatever_a_hub_says() {
        assert_eq!(silence_max(20), Duration::from_secs(60));
        assert_eq!(silence_max(0), Duration::from_secs(3));
        assert_eq!(silence_max(u64::MAX), Duration::from_secs(3 * HEARTBEAT_SECONDS_MAX));
    }
}
