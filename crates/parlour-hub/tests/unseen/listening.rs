//! Live readers, and what they hear.

use std::{collections::BTreeMap, time::Duration};

use parlour_core::{event::Change, live::ServerFrame, position::Position};
use parlour_hub::live::{Reader, Session, StartPosition};
use serde_json::Value;
use tokio::time::timeout;

use crate::{reads::settled, story_hub::StoryHub};

/// How long a reader waits for a beat before the test fails; it hears one at once unless something is broken.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was heard, in order, for each thing that has an order of its own.
pub(crate) type ReceivedEvents = BTreeMap<String, Vec<Value>>;

/// A reader who writes down everything.
pub(crate) struct Listener {
    _session: Session,
    reader: Reader,
    heard: ReceivedEvents,
    /// Which beat it has heard as an event, as a piece of the answer and as typing.
    beats: [u64; 3],
}

impl Listener {
    pub(crate) async fn new(story_hub: &StoryHub, token: &str, start: StartPosition) -> Self {
        let session = story_hub.hub.open_session(token).await.expect("session");
        let reader = session.subscribe(&story_hub.project, start).await.expect("reader");
        Self { _session: session, reader, heard: ReceivedEvents::new(), beats: [0; 3] }
    }

    /// Listens from now on.
    pub(crate) async fn live(story_hub: &StoryHub, token: &str) -> Self {
        let mut listener = Self::new(story_hub, token, StartPosition::Now).await;
        // It takes its place among what happens only when it listens for the first time.
        for one in listener.reader.next().await.expect("not ended") {
            listener.note(story_hub, &one.json);
        }
        listener
    }

    /// Listens until everything before this beat was told.
    pub(crate) async fn listen(&mut self, story_hub: &StoryHub) {
        while self.beats.iter().any(|beat| *beat < story_hub.pulse.count) {
            let told = timeout(PATIENCE, self.reader.next()).await;
            let told =
                told.unwrap_or_else(|_| unreachable!("beat {} is not heard: {:?}", story_hub.pulse.count, self.beats));
            for one in told.expect("not ended") {
                self.note(story_hub, &one.json);
            }
        }
    }

    /// Listens until everything in the log was told; what is of the moment is not waited for.
    pub(crate) async fn catch_up(&mut self, end: &Position) {
        while self.reader.position().offset() < end.offset() {
            let told = timeout(PATIENCE, self.reader.next()).await.expect("the log is told").expect("not ended");
            for one in told {
                let frame: Value = serde_json::from_slice(&one.json).expect("a frame");
                if frame["type"] == "event" {
                    self.heard.entry("event".into()).or_default().push(settled(frame));
                }
            }
        }
    }

    fn note(&mut self, story_hub: &StoryHub, json: &[u8]) {
        let frame: ServerFrame = serde_json::from_slice(json).expect("a frame");
        self.note_beat(story_hub, &frame);
        let key = match &frame {
            ServerFrame::Stream(one) => format!("answer {}", one.what.message_id),
            ServerFrame::Chunk(one) => format!("answer {}", one.what.message_id),
            ServerFrame::StepStarted(one) | ServerFrame::StepFinished(one) => format!("answer {}", one.what.message_id),
            ServerFrame::Typing(one) => format!("typing {}", one.what.conversation_id),
            other => other.name().to_owned(),
        };
        let frame = settled(serde_json::from_slice(json).expect("a frame"));
        let key = if frame["type"] == "event" { "event".to_owned() } else { key };
        self.heard.entry(key).or_default().push(frame);
    }

    fn note_beat(&mut self, story_hub: &StoryHub, frame: &ServerFrame) {
        match frame {
            ServerFrame::Event(event) => {
                if let Change::MessagePosted(message) = &event.change
                    && message.to == story_hub.pulse.channel.clone().into()
                    && message.state != parlour_core::message::State::Streaming
                {
                    self.beats[0] += 1;
                }
            }
            ServerFrame::Chunk(one) if one.what.message_id == story_hub.pulse.answer => self.beats[1] += 1,
            ServerFrame::Typing(one) if one.what.conversation_id == story_hub.pulse.channel.clone().into() => {
                self.beats[2] += 1;
            }
            _ => {}
        }
    }

    pub(crate) fn heard(&self) -> &ReceivedEvents {
        &self.heard
    }
}
