//! The promises about answers that are streamed: joined pieces are always the beginning of the text, without hole or
//! overlap, and nothing is added after the end.

use std::collections::HashMap;

use serde_json::Value;

use crate::{expected::ExpectedEvents, transcript::text};

/// The texts of running answers as one session knows them.
pub(crate) struct StreamTexts<'expected> {
    expected: &'expected ExpectedEvents,
    known: HashMap<String, StreamState>,
}

enum StreamState {
    Open(String),
    Ended,
}

impl<'expected> StreamTexts<'expected> {
    /// Nothing is known yet.
    pub(crate) fn new(expected: &'expected ExpectedEvents) -> Self {
        Self { expected, known: HashMap::new() }
    }

    /// Follows a frame; answers what is wrong with it.
    pub(crate) fn hear(&mut self, frame: &Value) -> Option<String> {
        match (text(frame, "/type"), text(frame, "/name")) {
            ("event", "messaging.posted") if text(frame, "/data/state") == "streaming" => {
                self.grow_to(text(frame, "/data/id"), text(frame, "/data/body"))
            }
            ("event", "messaging.finished") => self.end(&frame["data"]),
            ("stream", _) => self.grow_to(text(frame, "/message_id"), text(frame, "/text")),
            ("chunk", _) => self.add(frame),
            _ => None,
        }
    }

    /// The whole text so far.
    fn grow_to(&mut self, id: &str, whole: &str) -> Option<String> {
        let known = self.known.insert(id.to_owned(), StreamState::Open(whole.to_owned()));
        match known {
            Some(StreamState::Ended) => Some(format!("{id} was told as running after its end")),
            Some(StreamState::Open(before)) if !whole.starts_with(&before) => {
                Some(format!("{id} lost text: {whole:?} after {before:?}"))
            }
            _ => self.compare(id, whole),
        }
    }

    fn add(&mut self, frame: &Value) -> Option<String> {
        let id = text(frame, "/message_id");
        let Some(StreamState::Open(so_far)) = self.known.get_mut(id) else {
            return self.complain_of_stray(frame);
        };
        let (start, chars) = (frame["start"].as_u64(), so_far.chars().count() as u64);
        if start != Some(chars) {
            if self.may_miss_pieces(frame) {
                self.known.remove(id);
                return None;
            }
            return Some(format!("a chunk of {id} starts at {start:?}, but {chars} characters are there"));
        }
        so_far.push_str(text(frame, "/text"));
        let whole = so_far.clone();
        self.compare(id, &whole)
    }

    /// Only who was out of a conversation for a while may get a piece without what stands before it.
    fn may_miss_pieces(&self, frame: &Value) -> bool {
        self.expected.entered_late.iter().any(|conversation| conversation == text(frame, "/conversation_id"))
    }

    fn complain_of_stray(&self, frame: &Value) -> Option<String> {
        let id = text(frame, "/message_id");
        let is_ended = matches!(self.known.get(id), Some(StreamState::Ended));
        let is_excused = !is_ended && self.may_miss_pieces(frame);
        (!is_excused).then(|| format!("a chunk of {id} came {}", if is_ended { "after its end" } else { "alone" }))
    }

    fn end(&mut self, message: &Value) -> Option<String> {
        let (id, body) = (text(message, "/id"), text(message, "/body"));
        match self.known.insert(id.to_owned(), StreamState::Ended) {
            Some(StreamState::Ended) => Some(format!("{id} ended twice")),
            Some(StreamState::Open(so_far)) if !body.starts_with(&so_far) && !self.is_replaced(id, body) => {
                Some(format!("{id} ended as {body:?} after {so_far:?}"))
            }
            _ => None,
        }
    }

    fn is_replaced(&self, id: &str, body: &str) -> bool {
        self.expected.scripts.get(id).is_some_and(|script| script.replaced_by.as_deref() == Some(body))
    }

    /// What is there must be the beginning of what its producer means to say.
    fn compare(&self, id: &str, whole: &str) -> Option<String> {
        match self.expected.scripts.get(id) {
            None => Some(format!("{id} is streamed by nobody")),
            Some(script) if script.streamed.starts_with(whole) => None,
            Some(script) => Some(format!("{id} reads {whole:?}, but is to be {:?}", script.streamed)),
        }
    }
}
