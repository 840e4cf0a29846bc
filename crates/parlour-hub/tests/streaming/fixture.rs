use parlour_core::{
    access::Principal,
    event::Change,
    id::{ChannelId, MessageId, ProjectId},
    live::{AddChunk, Cancel, Complete, Fail, ServerFrame},
    message::Message,
    post::PostMessage,
    step::{FinishStep, StartStep, Step},
};
use parlour_hub::{
    Failure, Hub,
    live::{Reader, Session, StartPosition},
    use_cases::{FinishedStream, StreamLease},
};
use tokio_util::sync::DropGuard;

use crate::support::{TestHub, say};

/// A running hub with a project of Mara, an open channel, and the agent Coder that writes answers.
pub(crate) struct StreamFixture {
    pub(crate) test: TestHub,
    pub(crate) running: Option<DropGuard>,
    pub(crate) project: ProjectId,
    pub(crate) channel: ChannelId,
    pub(crate) mara: Principal,
    pub(crate) token: String,
    pub(crate) coder: Principal,
}

/// A reader that buffers received frames.
pub(crate) struct FrameReader {
    reader: Reader,
    waiting: std::collections::VecDeque<ServerFrame>,
    _session: Session,
}

impl StreamFixture {
    pub(crate) async fn new() -> Self {
        let (test, running) = TestHub::live().await;
        let (mara, token) = test.person_with_token("Mara").await;
        let project = test.project(&mara, "Apollo").await;
        let channel = test.channel(&mara, &project, "general").await;
        let coder = test.agent(&project, "Coder").await;
        Self { test, running: Some(running), project, channel, mara, token, coder }
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.test.hub
    }

    /// A post that starts a stream in the channel with this text.
    pub(crate) fn request(&self, body: &str) -> PostMessage {
        PostMessage { stream: true, ..say(&self.channel, body) }
    }

    /// Begins an empty answer of Coder.
    pub(crate) async fn begin(&self) -> MessageId {
        self.begin_with(self.request("")).await
    }

    pub(crate) async fn begin_with(&self, request: PostMessage) -> MessageId {
        self.hub().post_message(&self.coder, request).await.expect("begun").message.id
    }

    /// Adds a piece as Coder.
    pub(crate) async fn add(&self, id: &MessageId, text: &str) -> Result<StreamLease, Failure> {
        self.add_as(&self.coder, id, text).await
    }

    pub(crate) async fn add_as(&self, who: &Principal, id: &MessageId, text: &str) -> Result<StreamLease, Failure> {
        self.hub().add_chunk(who, id, AddChunk { start: None, text: text.into() }).await
    }

    pub(crate) async fn start_step(&self, id: &MessageId, step: &str) -> Result<Step, Failure> {
        let request = StartStep { id: step.into(), name: "search".into(), input: None };
        self.hub().start_step(&self.coder, id, request).await
    }

    pub(crate) async fn finish_step(&self, id: &MessageId, step: &str) -> Result<Step, Failure> {
        self.hub().finish_step(&self.coder, id, step, FinishStep::default()).await
    }

    pub(crate) async fn complete(&self, id: &MessageId) -> Result<FinishedStream, Failure> {
        self.hub().complete_stream(&self.coder, id, Complete::default()).await
    }

    pub(crate) async fn complete_with(&self, id: &MessageId, body: &str) -> Result<FinishedStream, Failure> {
        let request = Complete { body: Some(body.into()), ..Complete::default() };
        self.hub().complete_stream(&self.coder, id, request).await
    }

    pub(crate) async fn fail(&self, id: &MessageId, reason: &str) -> Result<FinishedStream, Failure> {
        self.hub().fail_stream(&self.coder, id, Fail { reason: reason.into(), ..Fail::default() }).await
    }

    pub(crate) async fn cancel(&self, who: &Principal, id: &MessageId) -> Result<FinishedStream, Failure> {
        self.hub().cancel_stream(who, id, Cancel::default()).await
    }

    pub(crate) async fn message(&self, id: &MessageId) -> Message {
        self.hub().message(&self.mara, id).await.expect("message")
    }

    /// Subscribes as Mara from now on.
    pub(crate) async fn subscribe(&self) -> FrameReader {
        self.subscribe_as(&self.token).await
    }

    pub(crate) async fn subscribe_as(&self, token: &str) -> FrameReader {
        let session = self.test.hub.open_session(token).await.expect("session");
        let reader = session.subscribe(&self.project, StartPosition::Now).await.expect("reader");
        let mut frames = FrameReader { reader, waiting: Default::default(), _session: session };
        assert_eq!(frames.receive_until("live").await, ["live"]);
        frames
    }

    /// Advances the clock by the default window.
    pub(crate) fn pass_window(&self) {
        self.test.clock.advance(200);
    }
}

impl FrameReader {
    pub(crate) async fn next(&mut self) -> ServerFrame {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return frame;
            }
            let frames = self.reader.next().await.expect("not ended");
            self.waiting.extend(frames.iter().map(|frame| serde_json::from_slice(&frame.json).expect("a frame")));
        }
    }

    /// The frames up to and including the first one with this name, in short.
    pub(crate) async fn receive_until(&mut self, name: &str) -> Vec<String> {
        let mut received = Vec::new();
        loop {
            let frame = self.next().await;
            let is_last = frame.name() == name;
            received.push(shorten(frame));
            if is_last {
                return received;
            }
        }
    }
}

/// A frame in short: chunks and streams with their text, ends with their state, others by their name.
fn shorten(frame: ServerFrame) -> String {
    match frame {
        ServerFrame::Chunk(chunk) => format!("{}:{}", chunk.what.start, chunk.what.text),
        ServerFrame::Stream(running) => format!("={}", running.what.text),
        ServerFrame::StepStarted(step) => format!("+{}", step.what.step.id),
        ServerFrame::StepFinished(step) => format!("-{}", step.what.step.id),
        ServerFrame::Event(event) => match &event.change {
            Change::MessageFinished(message) => format!("{:?}:{}", message.state, message.body),
            change => change.name().to_owned(),
        },
        other => other.name().to_owned(),
    }
}
