//! One frame on its way to many readers: its bytes are made once.

use bytes::Bytes;
use parlour_core::{audience::Audience, event::Event, live::ServerFrame};

/// A frame as one reader gets it. Cheap to copy: all readers share the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedFrame {
    /// What it is called: for an event the name of what happened, otherwise its type.
    pub name: &'static str,
    /// The offset of an event in the log; absent for what is of the moment.
    pub offset: Option<u64>,
    /// The frame as JSON, a `ServerFrame`.
    pub json: Bytes,
}

/// A frame in a feed, with those who may get it.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) audience: Audience,
    pub(crate) encoded: EncodedFrame,
    /// What those outside the audience get instead.
    outside: Option<Bytes>,
}

impl AsRef<Frame> for Frame {
    fn as_ref(&self) -> &Frame {
        self
    }
}

impl Frame {
    /// The frame of an event.
    pub(crate) fn event(event: Event, audience: Audience) -> Self {
        let outside = event.change.seen_from_outside().map(|change| {
            let event = Event { change, ..event.clone() };
            to_json(&ServerFrame::Event(Box::new(event)))
        });
        let (name, offset) = (event.change.name(), Some(event.position.offset()));
        let json = to_json(&ServerFrame::Event(Box::new(event)));
        Self { audience, encoded: EncodedFrame { name, offset, json }, outside }
    }

    /// The frame of something that is of the moment.
    pub(crate) fn ephemeral(frame: &ServerFrame, audience: Audience) -> Self {
        Self { audience, encoded: encoded(frame), outside: None }
    }

    /// What a reader gets who is inside the audience, or outside.
    pub(crate) fn for_reader(&self, is_inside: bool) -> Option<EncodedFrame> {
        if is_inside {
            return Some(self.encoded.clone());
        }
        self.outside.as_ref().map(|json| EncodedFrame { json: json.clone(), ..self.encoded.clone() })
    }

    /// How much room it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.encoded.json.len()
    }
}

/// A frame for one reader alone.
pub(crate) fn encoded(frame: &ServerFrame) -> EncodedFrame {
    EncodedFrame { name: frame.name(), offset: None, json: to_json(frame) }
}

fn to_json(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).expect("a frame is plain data").into()
}
