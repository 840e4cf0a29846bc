//! One WebSocket after its handshake: sign-in, request frames, subscribed frames, heartbeats and the close.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use parlour_core::{
    Code, Refusal,
    attribution::Surface,
    id::ProjectId,
    limits,
    live::{ClientFrame, CloseCode, CommandDone, CommandRefused, Hello, ServerFrame},
    position::Position,
};
use parlour_hub::{
    Failure, Hub, RateExceeded,
    live::{EncodedFrame, FrameFilter, Reader, Session, StartPosition},
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{
    client_frame::{self, ParsedFrame},
    requests::{self, RequestOutcome, RunningRequest, cost_of, refused},
    session::{Heartbeat, SessionGuard, Subscriptions, sleep},
    ws_transport::{CloseReason, FrameTransport, Received},
};
use crate::rate_limits::RequestMeter;

/// A subscription to one project, starting after a position or with the next event.
pub(crate) struct SubscribeRequest {
    pub(crate) project_id: ProjectId,
    pub(crate) after: Option<Position>,
    pub(crate) frame_filter: FrameFilter,
}

impl SubscribeRequest {
    /// Opens the subscription in a live session.
    pub(crate) async fn begin(self, session: &Session) -> Result<Reader, Failure> {
        let start = self.after.map_or(StartPosition::Now, StartPosition::After);
        Ok(session.subscribe(&self.project_id, start).await?.with_interest(self.frame_filter))
    }
}

/// Whether the client of a new WebSocket is signed in already.
pub(crate) enum SocketAuth {
    /// The upgrade request carried a credential.
    SignedIn(Box<(Session, Option<Reader>)>),
    /// The first frame must be `sign_in`; the subscription is opened afterwards.
    Pending(RequestMeter, Option<SubscribeRequest>),
}

/// A WebSocket that is about to be served.
pub(crate) struct WebSocketTask {
    pub(crate) hub: Arc<Hub>,
    pub(crate) stop: CancellationToken,
    pub(crate) auth: SocketAuth,
}

impl WebSocketTask {
    /// Serves the WebSocket over this connection until it is closed.
    pub(crate) async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut transport = FrameTransport::new(stream, Arc::clone(self.hub.clock())).await;
        let close_reason = self.run_session(&mut transport).await;
        transport.close(close_reason).await;
    }

    async fn run_session<S: AsyncRead + AsyncWrite + Unpin>(self, transport: &mut FrameTransport<S>) -> CloseReason {
        let Self { hub, stop, auth } = self;
        let (session, reader, first) = match auth {
            SocketAuth::SignedIn(known) => (known.0, known.1, Vec::new()),
            // Boxed: few sockets sign in by a frame, and every task would reserve memory for this future.
            SocketAuth::Pending(meter, subscribe) => {
                match Box::pin(sign_in_and_subscribe(&hub, transport, &stop, meter, subscribe)).await {
                    Ok(signed_in) => signed_in,
                    Err(close_reason) => return close_reason,
                }
            }
        };
        WebSocketSession::new(hub, transport, session, stop).run(first, reader).await
    }
}

/// Waits for the sign-in, opens the requested subscription, and returns the frames that report both.
async fn sign_in_and_subscribe<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    transport: &mut FrameTransport<S>,
    stop: &CancellationToken,
    meter: RequestMeter,
    subscribe: Option<SubscribeRequest>,
) -> Result<(Session, Option<Reader>, Vec<ServerFrame>), CloseReason> {
    let (session, reference) = sign_in(hub, transport, stop, &meter).await?;
    let mut first = vec![ServerFrame::Ok(CommandDone { reference, data: Value::Null })];
    let Some(subscribe) = subscribe else { return Ok((session, None, first)) };
    let started = tokio::select! {
        biased;
        () = stop.cancelled() => return Err(CloseCode::Restart.into()),
        started = subscribe.begin(&session) => started,
    };
    let reader = started.map_err(|failure| first.push(refused(None, &failure))).ok();
    Ok((session, reader, first))
}

/// The filter of a subscription: durable events only, or ephemeral frames too.
pub(crate) fn frame_filter(events_only: bool) -> FrameFilter {
    if events_only { FrameFilter::Events } else { FrameFilter::Everything }
}

/// The JSON text of a frame.
pub(super) fn to_json(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).expect("a frame is plain data").into()
}

/// A WebSocket whose client is signed in.
struct WebSocketSession<'a, S> {
    hub: Arc<Hub>,
    transport: &'a mut FrameTransport<S>,
    guard: SessionGuard,
    subscriptions: Subscriptions,
    frame_reader: FrameReader,
    heartbeat: Heartbeat,
    /// Consecutive frames that were refused because a rate was exceeded.
    rate_refusals: usize,
    /// Heartbeats since the client last sent anything.
    missed_heartbeats: usize,
    /// The running request. The next frame is read when it has finished, so requests are executed in order and a client
    /// that sends faster is slowed down by TCP.
    request: Option<RunningRequest>,
}

enum SessionEvent {
    Received(Received),
    Frames(Vec<EncodedFrame>),
    RequestDone(RequestOutcome),
    Heartbeat,
}

impl<'a, S: AsyncRead + AsyncWrite + Unpin> WebSocketSession<'a, S> {
    fn new(hub: Arc<Hub>, transport: &'a mut FrameTransport<S>, session: Session, stop: CancellationToken) -> Self {
        let heartbeat = Heartbeat::new(hub.clock());
        Self {
            hub,
            transport,
            guard: SessionGuard::new(session, stop),
            subscriptions: Subscriptions::default(),
            frame_reader: FrameReader::default(),
            heartbeat,
            rate_refusals: 0,
            missed_heartbeats: 0,
            request: None,
        }
    }

    /// Sends `hello` and the first frames, then serves the client until there is a reason to close.
    async fn run(mut self, first: Vec<ServerFrame>, reader: Option<Reader>) -> CloseReason {
        let hello = ServerFrame::Hello(Hello {
            member_id: self.guard.session.caller().member.clone(),
            heartbeat_seconds: limits::LIVE_HEARTBEAT_SECONDS as u64,
        });
        let texts: Vec<_> = [hello].iter().chain(&first).map(to_json).collect();
        reader.into_iter().for_each(|reader| self.subscriptions.add(reader));
        let mut outcome = self.send(texts).await;
        loop {
            if let Err(close_reason) = outcome {
                return close_reason;
            }
            outcome = match self.next_event().await {
                Ok(event) => self.handle(event).await,
                Err(close_reason) => Err(close_reason),
            };
        }
    }

    /// Waits for the next event. Heartbeats and the client come before subscribed frames: a busy project must not starve them.
    async fn next_event(&mut self) -> Result<SessionEvent, CloseReason> {
        tokio::select! {
            biased;
            code = self.guard.ended() => Err(code.into()),
            () = self.heartbeat.next() => Ok(SessionEvent::Heartbeat),
            outcome = finish_request(&mut self.request), if self.request.is_some() => Ok(SessionEvent::RequestDone(outcome)),
            received = self.transport.read(), if self.request.is_none() => Ok(SessionEvent::Received(received?)),
            frames = self.subscriptions.next() => Ok(SessionEvent::Frames(frames?)),
        }
    }

    async fn handle(&mut self, event: SessionEvent) -> Result<(), CloseReason> {
        match event {
            SessionEvent::Frames(frames) => self.send(frames.into_iter().map(|frame| frame.json)).await,
            SessionEvent::Received(received) => self.receive(received).await,
            SessionEvent::RequestDone(RequestOutcome { text, reader }) => {
                self.request = None;
                reader.into_iter().for_each(|reader| self.subscriptions.add(*reader));
                self.send([text]).await
            }
            SessionEvent::Heartbeat => self.send_heartbeat().await,
        }
    }

    /// Writes frames unless the session ends first: a blocked write must not outlive the session.
    async fn send(&mut self, texts: impl IntoIterator<Item = Bytes>) -> Result<(), CloseReason> {
        tokio::select! {
            biased;
            code = self.guard.ended() => Err(code.into()),
            written = self.transport.write(texts) => written,
        }
    }

    async fn receive(&mut self, received: Received) -> Result<(), CloseReason> {
        self.missed_heartbeats = 0;
        match self.frame_reader.parse(received) {
            ClientInput::Frame(reference, frame) => match self.hub.charge(self.guard.session.caller(), cost_of(&frame))
            {
                Ok(_) => self.start_request(reference, frame).await,
                Err(exceeded) => self.refuse_rate(reference, exceeded).await,
            },
            ClientInput::Unreadable(refused) => {
                self.send([to_json(&refused)]).await?;
                self.frame_reader.check()
            }
            ClientInput::KeepAlive => Ok(()),
        }
    }

    /// Refuses a frame above the rate limit, and closes the socket after too many in a row.
    async fn refuse_rate(&mut self, reference: Option<String>, exceeded: RateExceeded) -> Result<(), CloseReason> {
        self.rate_refusals += 1;
        self.send([to_json(&ServerFrame::Refused(CommandRefused::new(reference, &exceeded.into())))]).await?;
        if self.rate_refusals < limits::LIVE_RATE_REFUSALS_MAX { Ok(()) } else { Err(CloseCode::TooMany.into()) }
    }

    /// Answers `ping` and `unsubscribe` at once and starts a request for every other frame.
    async fn start_request(&mut self, reference: Option<String>, frame: ClientFrame) -> Result<(), CloseReason> {
        self.rate_refusals = 0;
        match frame {
            ClientFrame::Ping {} => {}
            ClientFrame::Unsubscribe { project_id } => self.subscriptions.remove(&project_id),
            frame => {
                self.request = Some(requests::start(&self.hub, &self.guard.session, reference, frame));
                return Ok(());
            }
        }
        self.send([to_json(&ServerFrame::Ok(CommandDone { reference, data: Value::Null }))]).await
    }

    async fn send_heartbeat(&mut self) -> Result<(), CloseReason> {
        if self.missed_heartbeats >= limits::LIVE_MISSED_HEARTBEATS_MAX {
            return Err(CloseCode::Silent.into());
        }
        self.missed_heartbeats += 1;
        let moved = self.subscriptions.moved();
        self.send(moved.iter().map(to_json).collect::<Vec<_>>()).await?;
        tokio::select! {
            biased;
            code = self.guard.ended() => Err(code.into()),
            pinged = self.transport.ping() => pinged,
        }
    }
}

async fn finish_request(request: &mut Option<RunningRequest>) -> RequestOutcome {
    match request {
        Some(request) => request.await,
        None => std::future::pending().await,
    }
}

/// The time a client has to sign in.
const SIGN_IN_TIME_MAX: Duration = Duration::from_secs(limits::LIVE_SIGN_IN_SECONDS_MAX as u64);

/// Waits until the client has signed in; returns its session and the reference of its frame.
async fn sign_in<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    transport: &mut FrameTransport<S>,
    stop: &CancellationToken,
    meter: &RequestMeter,
) -> Result<(Session, Option<String>), CloseReason> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(CloseCode::Restart.into()),
        signed_in = read_sign_in(hub, transport, meter) => signed_in,
        () = sleep(hub.clock(), SIGN_IN_TIME_MAX) => Err(CloseCode::SignedOut.into()),
    }
}

async fn read_sign_in<S: AsyncRead + AsyncWrite + Unpin>(
    hub: &Arc<Hub>,
    transport: &mut FrameTransport<S>,
    meter: &RequestMeter,
) -> Result<(Session, Option<String>), CloseReason> {
    let mut frame_reader = FrameReader::default();
    loop {
        let received = transport.read().await?;
        match frame_reader.parse(received) {
            ClientInput::Frame(reference, ClientFrame::SignIn { token }) => {
                match meter.open_session(hub, (&token).into(), Surface::Live).await {
                    Ok(session) => return Ok((session, reference)),
                    Err(failure) => {
                        transport.write([to_json(&refused(reference, &failure))]).await?;
                        // A refusal such as `Full` may pass; a rejected token stays rejected.
                        if failure.refusal().is_some_and(|refusal| refusal.code == Code::Unauthenticated) {
                            return Err(CloseCode::SignedOut.into());
                        }
                    }
                }
            }
            ClientInput::Frame(reference, _) => {
                let refusal = Refusal::new(Code::Unauthenticated, "send a frame of type sign_in first");
                transport.write([to_json(&ServerFrame::Refused(CommandRefused::new(reference, &refusal)))]).await?;
            }
            ClientInput::Unreadable(answer) => transport.write([to_json(&answer)]).await?,
            ClientInput::KeepAlive => {}
        }
        frame_reader.check()?;
    }
}

/// Parses the frames of one client and counts consecutive unreadable ones.
#[derive(Debug, Default)]
struct FrameReader {
    bad_frames: usize,
}

/// One parsed input of the client.
#[derive(Debug, PartialEq, Eq)]
enum ClientInput {
    /// A frame, with the client's reference.
    Frame(Option<String>, ClientFrame),
    /// An unreadable frame, and the refusal to send.
    Unreadable(ServerFrame),
    /// A ping or pong.
    KeepAlive,
}

impl FrameReader {
    fn parse(&mut self, received: Received) -> ClientInput {
        let read = match received {
            Received::KeepAlive => return ClientInput::KeepAlive,
            Received::Text(text) => client_frame::read(text.as_str()),
            Received::Binary => {
                let refusal = Refusal::new(Code::MalformedJson, "binary frames are not supported; send JSON as text");
                ParsedFrame { reference: None, frame: Err(refusal) }
            }
        };
        match read.frame {
            Ok(frame) => {
                self.bad_frames = 0;
                ClientInput::Frame(read.reference, frame)
            }
            Err(refusal) => {
                self.bad_frames += 1;
                ClientInput::Unreadable(ServerFrame::Refused(CommandRefused::new(read.reference, &refusal)))
            }
        }
    }

    /// Returns a close reason after too many unreadable frames in a row.
    fn check(&self) -> Result<(), CloseReason> {
        if self.bad_frames < limits::LIVE_BAD_FRAMES_MAX { Ok(()) } else { Err(CloseCode::Unreadable.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closes_after(frame_reader: &mut FrameReader, text: &'static str) -> bool {
        frame_reader.parse(Received::Text(text.into()));
        frame_reader.check().is_err()
    }

    #[test]
    fn too_many_unreadable_frames_in_a_row_close_the_socket() {
        let mut frame_reader = FrameReader::default();
        for _ in 1..limits::LIVE_BAD_FRAMES_MAX {
            assert!(!closes_after(&mut frame_reader, "?"));
        }
        assert!(closes_after(&mut frame_reader, "?"));
    }

    #[test]
    fn one_readable_frame_resets_the_count() {
        let mut frame_reader = FrameReader::default();
        for _ in 0..3 {
            for _ in 1..limits::LIVE_BAD_FRAMES_MAX {
                assert!(!closes_after(&mut frame_reader, "?"));
            }
            assert!(!closes_after(&mut frame_reader, r#"{"type":"ping"}"#));
        }
    }

    #[test]
    fn a_ping_is_not_a_frame() {
        let mut frame_reader = FrameReader::default();
        assert_eq!(frame_reader.parse(Received::KeepAlive), ClientInput::KeepAlive);
        assert!(matches!(frame_reader.parse(Received::Binary), ClientInput::Unreadable(_)));
    }
}
