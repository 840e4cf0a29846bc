//! A socket whose client is signed in.

use std::sync::Arc;

use bytes::Bytes;
use parlour_core::{
    limits,
    live::{ClientFrame, CloseCode, Done, Hello, Refused, ServerFrame},
};
use parlour_hub::{
    Hub, RateExceeded,
    live::{EncodedFrame, Reader, Session},
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{
    beats::Beats,
    farewell::Farewell,
    listener::{Listener, Said},
    open_session::OpenSession,
    requests::{self, Outcome, Request, cost_of},
    socket::to_text,
    subscriptions::Subscriptions,
    wire::{Heard, Wire},
};

/// A socket whose client is signed in.
pub(super) struct Conversation<'a, S> {
    hub: Arc<Hub>,
    wire: &'a mut Wire<S>,
    open: OpenSession,
    subscriptions: Subscriptions,
    listener: Listener,
    beats: Beats,
    /// Frames in a row that came faster than the rates allow.
    overspent: usize,
    /// Heartbeats since the client's last sign of life.
    unanswered: usize,
    /// The one request under way; the next frame is read after it. So requests are done in order, and a client that
    /// sends faster than they are done is held back by its own connection.
    request: Option<Request>,
}

/// What happens next.
enum Moment {
    Heard(Heard),
    Told(Vec<EncodedFrame>),
    Answered(Outcome),
    Beat,
}

impl<'a, S: AsyncRead + AsyncWrite + Unpin> Conversation<'a, S> {
    pub(super) fn new(hub: Arc<Hub>, wire: &'a mut Wire<S>, session: Session, stop: CancellationToken) -> Self {
        let beats = Beats::new(hub.clock());
        Self {
            hub,
            wire,
            open: OpenSession::new(session, stop),
            subscriptions: Subscriptions::default(),
            listener: Listener::default(),
            beats,
            overspent: 0,
            unanswered: 0,
            request: None,
        }
    }

    /// Greets the client, says what else is to be said first, and goes on until there is a reason to close.
    pub(super) async fn run(mut self, first: Vec<ServerFrame>, reader: Option<Reader>) -> Farewell {
        let hello = ServerFrame::Hello(Hello {
            member_id: self.open.session.caller().member.clone(),
            heartbeat_seconds: limits::LIVE_HEARTBEAT_SECONDS as u64,
        });
        let texts: Vec<_> = [hello].iter().chain(&first).map(to_text).collect();
        reader.into_iter().for_each(|reader| self.subscriptions.add(reader));
        let mut outcome = self.say(texts).await;
        loop {
            if let Err(farewell) = outcome {
                return farewell;
            }
            outcome = match self.wait().await {
                Ok(moment) => self.go_on(moment).await,
                Err(farewell) => Err(farewell),
            };
        }
    }

    /// Client and beats come before what is told: a busy project must not keep them waiting for ever.
    async fn wait(&mut self) -> Result<Moment, Farewell> {
        tokio::select! {
            biased;
            code = self.open.over() => Err(code.into()),
            () = self.beats.next() => Ok(Moment::Beat),
            outcome = finish(&mut self.request), if self.request.is_some() => Ok(Moment::Answered(outcome)),
            heard = self.wire.read(), if self.request.is_none() => Ok(Moment::Heard(heard?)),
            told = self.subscriptions.next() => Ok(Moment::Told(told?)),
        }
    }

    async fn go_on(&mut self, moment: Moment) -> Result<(), Farewell> {
        match moment {
            Moment::Told(told) => self.say(told.into_iter().map(|frame| frame.json)).await,
            Moment::Heard(heard) => self.listen(heard).await,
            Moment::Answered(Outcome { text, reader }) => {
                self.request = None;
                reader.into_iter().for_each(|reader| self.subscriptions.add(*reader));
                self.say([text]).await
            }
            Moment::Beat => self.beat().await,
        }
    }

    /// Writes texts, unless the session ends first: a write that is blocked must not outlive it.
    async fn say(&mut self, texts: impl IntoIterator<Item = Bytes>) -> Result<(), Farewell> {
        tokio::select! {
            biased;
            code = self.open.over() => Err(code.into()),
            written = self.wire.write(texts) => written,
        }
    }

    async fn listen(&mut self, heard: Heard) -> Result<(), Farewell> {
        self.unanswered = 0;
        match self.listener.understand(heard) {
            Said::Frame(reference, frame) => match self.hub.charge(self.open.session.caller(), cost_of(&frame)) {
                Ok(_) => self.answer(reference, frame).await,
                Err(exceeded) => self.hold_back(reference, exceeded).await,
            },
            Said::Unreadable(answer) => {
                self.say([to_text(&answer)]).await?;
                self.listener.check()
            }
            Said::Nothing => Ok(()),
        }
    }

    /// Refuses a frame that came too soon, and gives up on a client that does not listen to that.
    async fn hold_back(&mut self, reference: Option<String>, exceeded: RateExceeded) -> Result<(), Farewell> {
        self.overspent += 1;
        self.say([to_text(&ServerFrame::Refused(Refused::new(reference, &exceeded.into())))]).await?;
        if self.overspent < limits::LIVE_RATE_REFUSALS_MAX { Ok(()) } else { Err(CloseCode::TooMany.into()) }
    }

    /// Answers at once what needs nothing of the hub, and begins the rest.
    async fn answer(&mut self, reference: Option<String>, frame: ClientFrame) -> Result<(), Farewell> {
        self.overspent = 0;
        match frame {
            ClientFrame::Ping {} => {}
            ClientFrame::Unsubscribe { project_id } => self.subscriptions.remove(&project_id),
            frame => {
                self.request = Some(requests::begin(&self.hub, &self.open.session, reference, frame));
                return Ok(());
            }
        }
        self.say([to_text(&ServerFrame::Ok(Done { reference, data: Value::Null }))]).await
    }

    async fn beat(&mut self) -> Result<(), Farewell> {
        if self.unanswered >= limits::LIVE_MISSED_HEARTBEATS_MAX {
            return Err(CloseCode::Silent.into());
        }
        self.unanswered += 1;
        let moved = self.subscriptions.moved();
        self.say(moved.iter().map(to_text).collect::<Vec<_>>()).await?;
        tokio::select! {
            biased;
            code = self.open.over() => Err(code.into()),
            asked = self.wire.ping() => asked,
        }
    }
}

async fn finish(request: &mut Option<Request>) -> Outcome {
    match request {
        Some(request) => request.await,
        None => std::future::pending().await,
    }
}
