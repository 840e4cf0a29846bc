//! Live readers that record their frames.

use std::{collections::BTreeMap, time::Duration};

use parlour_core::{event::Change, live::ServerFrame, position::Position};
use parlour_hub::live::{Reader, Session, StartPosition};
use serde_json::Value;
use tokio::time::timeout;

use crate::{reads::settled, story_hub::StoryHub};

/// The time after which a missing beat fails the test.
const FRAME_TIMEOUT: Duration = Duration::from_secs(10);

/// Received frames in order, grouped by objects whose frames are ordered.
pub(crate) type ReceivedEvents = BTreeMap<String, Vec<Value>>;

/// A reader that records all frames.
pub(crate) struct Listener {
    _session: Session,
    reader: Reader,
    received: ReceivedEvents,
    /// The last beat that it received as an event, as a chunk and as typing.
    beats: [u64; 3],
}

impl Listener {
    pub(crate) async fn new(story_hub: &StoryHub, token: &str, start: StartPosition) -> Self {
        let session = story_hub.hub.open_session(token).await.expect("session");
        let reader = session.subscribe(&story_hub.project, start).await.expect("reader");
        Self { _session: session, reader, received: ReceivedEvents::new(), beats: [0; 3] }
    }

    /// Subscribes from now on.
    pub(crate) async fn live(story_hub: &StoryHub, token: &str) -> Self {
        let mut listener = Self::new(story_hub, token, StartPosition::Now).await;
        // A subscription starts with the first read.
        for one in listener.reader.next().await.expect("not ended") {
            listener.note(story_hub, &one.json);
        }
        listener
    }

    /// Reads until everything before the current beat was received.
    pub(crate) async fn listen(&mut self, story_hub: &StoryHub) {
        while self.beats.iter().any(|beat| *beat < story_hub.pulse.count) {
            let frames = timeout(FRAME_TIMEOUT, self.reader.next()).await;
            let frames = frames
                .unwrap_or_else(|_| unreachable!("beat {} is not received: {:?}", story_hub.pulse.count, self.beats));
            for one in frames.expect("not ended") {
                self.note(story_hub, &one.json);
            }
        }
    }

    /// Reads until the end of the log; does not wait for ephemeral frames.
    pub(crate) async fn catch_up(&mut self, end: &Position) {
        while self.reader.position().offset() < end.offset() {
            let frames = timeout(FRAME_TIMEOUT, self.reader.next()).await.expect("the log is sent").expect("not ended");
            for one in frames {
                let frame: Value = serde_json::from_slice(&one.json).expect("a frame");
                if frame["type"] == "event" {
                    self.received.entry("event".into()).or_default().push(settled(frame));
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
        self.received.entry(key).or_default().push(frame);
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

    pub(crate) fn received(&self) -> &ReceivedEvents {
        &self.received
    }
}
