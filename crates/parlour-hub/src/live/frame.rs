//! One frame on its way to many readers: its bytes are made once.

use bytes::Bytes;
use parlour_core::{audience::Audience, event::Event, live::ServerFrame};

/// A frame as one reader gets it. Cheap to copy: all readers share the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
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
    pub(crate) told: Told,
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
    pub(crate) fn of_event(event: Event, audience: Audience) -> Self {
        let outside = event.change.seen_from_outside().map(|change| {
            let event = Event { change, ..event.clone() };
            to_json(&ServerFrame::Event(Box::new(event)))
        });
        let (name, offset) = (event.change.name(), Some(event.position.offset()));
        let json = to_json(&ServerFrame::Event(Box::new(event)));
        Self { audience, told: Told { name, offset, json }, outside }
    }

    /// The frame of something that is of the moment.
    pub(crate) fn of_moment(frame: &ServerFrame, audience: Audience) -> Self {
        Self { audience, told: told(frame), outside: None }
    }

    /// What a reader gets who is inside the audience, or outside.
    pub(crate) fn seen(&self, is_inside: bool) -> Option<Told> {
        if is_inside {
            return Some(self.told.clone());
        }
        self.outside.as_ref().map(|json| Told { json: json.clone(), ..self.told.clone() })
    }

    /// How much room it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.told.json.len()
    }
}

/// A frame for one reader alone.
pub(crate) fn told(frame: &ServerFrame) -> Told {
    Told { name: frame.name(), offset: None, json: to_json(frame) }
}

fn to_json(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).expect("a frame is plain data").into()
}
