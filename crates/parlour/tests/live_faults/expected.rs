//! What a reader was to hear: worked out from the log after everything is over.

use std::{
    collections::{BTreeMap, HashMap},
    time::Instant,
};

use serde_json::{Value, json};

use crate::transcript::{place, text};

/// A log, by offset.
pub(crate) type EventLog = BTreeMap<u64, Value>;

/// What one reader was to hear.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExpectedEvents {
    /// The life of the log.
    pub(crate) epoch: String,
    /// The offset of its last event.
    pub(crate) end: u64,
    /// The events that it must have been told.
    pub(crate) must: EventLog,
    /// Further events that it may have been told: those of a time when it was let in and out.
    pub(crate) may: EventLog,
    /// Ids that must not appear in anything it hears.
    pub(crate) secrets: Vec<String>,
    /// The times when it was out of the private channel for certain.
    pub(crate) absences: Vec<Absence>,
    /// What the answers that were streamed are made of, by message.
    pub(crate) scripts: HashMap<String, AnswerScript>,
    /// Conversations that it may enter in the middle of an answer.
    pub(crate) entered_late: Vec<String>,
}

/// A stretch of the log during which the reader was out of the private channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absence {
    /// The event that put it out.
    pub(crate) after: u64,
    /// The event that let it in again, and the moment before anybody asked for that.
    pub(crate) until: Option<(u64, Instant)>,
}

/// What an answer is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerScript {
    /// All that its producer meant to stream.
    pub(crate) streamed: String,
    /// What it meant to put in its place at the end.
    pub(crate) replaced_by: Option<String>,
}

impl ExpectedEvents {
    /// The event at this offset, if the reader may hear it.
    pub(crate) fn event(&self, offset: u64) -> Option<&Value> {
        self.must.get(&offset).or_else(|| self.may.get(&offset))
    }

    /// Those that must be heard after this offset and up to that one.
    pub(crate) fn due(&self, after: u64, upto: u64) -> Vec<u64> {
        // An empty range that begins after its end would be a panic.
        if after >= upto { Vec::new() } else { self.must.range(after + 1..=upto).map(|(offset, _)| *offset).collect() }
    }
}

/// Whether the event tells a message as it is now, and not as it was.
fn tells_message(event: &Value) -> bool {
    matches!(text(event, "/name"), "messaging.posted" | "messaging.finished" | "messaging.edited" | "messaging.removed")
}

/// What of an event is the same whenever it is told: a message may have changed since.
pub(crate) fn essence(event: &Value) -> Value {
    let mut essence =
        json!({ "position": event["position"].as_str().map(place), "name": event["name"], "at": event["at"] });
    let data = &event["data"];
    essence["data"] = match tells_message(event) {
        true => json!({ "id": data["id"], "to": data["to"], "seq": data["seq"], "from": data["from"] }),
        false => data.clone(),
    };
    essence
}
