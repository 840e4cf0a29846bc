//! One walk through a source: which of its rows are messages, and each of them once.

use std::collections::HashMap;

use parlour_core::{
    Refusal, Timestamp,
    message::{Message, State},
};
use parlour_dialects::{Frame, Item};

use super::{
    source::{Row, Rows},
    takeover::{bits_of, fingerprint},
    told::Told,
};
use crate::failure::Failure;

/// The time of messages that carry none, until they get one. No message was written then.
pub(super) fn timeless() -> Timestamp {
    Timestamp::from_millis(1)
}

/// A walk. What it keeps of each message are two numbers.
pub(super) struct Walker<'a> {
    rows: Box<dyn Rows + 'a>,
    seen: HashMap<u128, u64>,
}

/// What a row is.
#[derive(Debug)]
pub(super) enum Met {
    Message(Box<MetMessage>),
    /// A frame that is no message.
    Frame(Frame),
    /// An answer that was begun; its end, if there is one, is a row of its own.
    Begun,
    /// The same message once more.
    Double,
    /// What cannot be read.
    Problem(String, Refusal),
}

/// A message with its place.
#[derive(Debug)]
pub(super) struct MetMessage {
    pub(super) place: String,
    /// What tells its conversation from others.
    pub(super) key: String,
    /// What its system calls its conversation.
    pub(super) conversation: Option<String>,
    pub(super) message: Message,
    /// Whether it carries its time; otherwise it gets one here.
    pub(super) has_time: bool,
    /// What other rows have told of its steps, if they have.
    pub(super) told: Option<Told>,
    /// Set when another message has the same id: two systems give the same one twice.
    pub(super) twin: Option<u64>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(rows: Box<dyn Rows + 'a>) -> Self {
        Self { rows, seen: HashMap::new() }
    }

    /// The next row; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Met>, Failure> {
        let Some(row) = self.rows.next()? else { return Ok(None) };
        let Row { place, conversation, is_placed, item, told } = row;
        Ok(Some(match item {
            Err(refusal) => Met::Problem(place, refusal),
            Ok(Item { frame: Frame::Message, message }) if message.state == State::Streaming => {
                // An answer without its end says nothing that could be kept.
                drop(message);
                Met::Begun
            }
            Ok(Item { frame: Frame::Message, message }) => {
                let key = conversation.clone().filter(|_| is_placed).unwrap_or_else(|| message.to.to_string());
                match self.note(&key, &message) {
                    Noted::Double => Met::Double,
                    Noted::New(twin) => {
                        let has_time = message.created_at != timeless();
                        let met = MetMessage { place, key, conversation, message, has_time, told, twin };
                        Met::Message(Box::new(met))
                    }
                }
            }
            Ok(Item { frame, .. }) => Met::Frame(frame),
        }))
    }

    fn note(&mut self, key: &str, message: &Message) -> Noted {
        let print = fingerprint(message);
        let first = bits_of(&[key, message.id.as_str()]);
        match self.seen.get(&first) {
            None => {
                self.seen.insert(first, print);
                Noted::New(None)
            }
            Some(known) if *known == print => Noted::Double,
            Some(_) => match self.seen.insert(bits_of(&[key, message.id.as_str(), &print.to_string()]), print) {
                None => Noted::New(Some(print)),
                Some(_) => Noted::Double,
            },
        }
    }
}

enum Noted {
    New(Option<u64>),
    Double,
}
