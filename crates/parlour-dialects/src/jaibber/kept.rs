//! What a Jaibber message says and the native one has no field for, kept in the metadata under the dialect's name.

use std::borrow::Cow;

use parlour_core::message::Message;
use serde_json::{Map, Value};

use super::NAME;
use crate::foreign_id::{MappedId, mapped, said};

/// Where the names stand of fields that a usual frame has and this one had not.
const ABSENT: &str = "absent";
/// Where it is kept that a message had no time.
const UNTIMED: &str = "isUntimed";
/// Where fields stand that Jaibber does not know, and those that were `null`.
const FIELDS: &str = "fields";

/// What is to be kept of a frame that is being read.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder(Map<String, Value>);

impl FieldRecorder {
    /// Keeps a value when there is one.
    pub(super) fn keep(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }

    /// Keeps the text of an id that does not give it back.
    pub(super) fn keep_id<I: MappedId>(&mut self, name: &str, text: Cow<'_, str>, id: &I) {
        self.keep(name, (said(id) != text).then_some(text));
    }

    /// Keeps what differs from the usual: the value that was there, or that none was.
    pub(super) fn keep_unusual<V: PartialEq + Into<Value>>(&mut self, name: &str, found: Option<V>, usual: Option<V>) {
        match (found, usual) {
            (found, usual) if found == usual => {}
            (Some(value), _) => self.keep(name, Some(value)),
            (None, _) => self.keep_absent(name),
        }
    }

    /// Keeps that a field was not there although it usually is.
    pub(super) fn keep_absent(&mut self, name: &str) {
        let names = self.0.entry(ABSENT).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(names) = names {
            names.push(name.into());
        }
    }

    /// Keeps that a message had no time.
    pub(super) fn keep_untimed(&mut self, is_untimed: bool) {
        self.keep(UNTIMED, is_untimed.then_some(true));
    }

    /// Keeps the fields that were not understood.
    pub(super) fn keep_rest(&mut self, rest: Map<String, Value>) {
        self.keep(FIELDS, (!rest.is_empty()).then_some(rest));
    }

    /// Puts all of it beside the message.
    pub(super) fn put_into(self, message: &mut Message) {
        if !self.0.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(self.0));
        }
    }
}

/// What was kept of a message that is being written.
///
/// Anybody can note anything beside a message of theirs. So what tells who wrote it, what it is and what led to it counts
/// only for authors whom Jaibber knows: nobody here has such an id, only imports and frames do.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreservedFields<'a> {
    open: Option<&'a Map<String, Value>>,
    trusted: Option<&'a Map<String, Value>>,
}

impl<'a> PreservedFields<'a> {
    /// What was kept of this message.
    pub(super) fn of(message: &'a Message) -> Self {
        let open = message.metadata.get(NAME).and_then(Value::as_object);
        Self { open, trusted: open.filter(|_| is_known_there(message)) }
    }

    /// A note that changes nothing about who wrote what.
    pub(super) fn open(self, name: &str) -> Option<&'a Value> {
        self.open?.get(name)
    }

    /// A note that counts only for authors whom Jaibber knows.
    pub(super) fn trusted(self, name: &str) -> Option<&'a Value> {
        self.trusted?.get(name)
    }

    /// Such a note as a text.
    pub(super) fn trusted_text(self, name: &str) -> Option<&'a str> {
        self.trusted(name)?.as_str()
    }

    /// What to write in a field that usually holds `usual`.
    pub(super) fn unusual(self, name: &str, usual: Option<&'a str>) -> Option<&'a str> {
        self.trusted_text(name).or_else(|| usual.filter(|_| !self.is_absent(name)))
    }

    /// The same for a field that is true or false.
    pub(super) fn unusual_flag(self, name: &str, usual: Option<bool>) -> Option<bool> {
        let kept = self.trusted(name).and_then(Value::as_bool);
        kept.or_else(|| usual.filter(|_| !self.is_absent(name)))
    }

    /// Whether a field was not there although it usually is.
    pub(super) fn is_absent(self, name: &str) -> bool {
        let names = self.trusted(ABSENT).and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|absent| absent == name))
    }

    /// Whether the message had no time: the one that it has is that of reading.
    pub(super) fn is_untimed(self) -> bool {
        self.trusted(UNTIMED).and_then(Value::as_bool) == Some(true)
    }

    /// The text of an id: the one that was kept, when it is this id's, else as the id says it.
    pub(super) fn id<I: MappedId + PartialEq>(self, name: &str, id: &'a I) -> &'a str {
        let kept = self.open(name).and_then(Value::as_str).filter(|text| mapped::<I>(text) == *id);
        kept.unwrap_or_else(|| said(id))
    }

    /// The text of an id that has to say something: an empty one would be refused.
    pub(super) fn filled_id<I: MappedId + PartialEq>(self, name: &str, id: &'a I) -> &'a str {
        Some(self.id(name, id)).filter(|text| !text.is_empty()).unwrap_or_else(|| id.text())
    }

    /// Fields that Jaibber does not know, and those that were `null`; `is_known` tells the names that it knows.
    pub(super) fn rest(self, is_known: impl Fn(&str) -> bool) -> Map<String, Value> {
        let fields = self.open(FIELDS).and_then(Value::as_object).into_iter().flatten();
        let is_free = |name: &str, value: &Value| name != crate::extras::KEY && (value.is_null() || !is_known(name));
        fields.filter(|(name, value)| is_free(name, value)).map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

fn is_known_there(message: &Message) -> bool {
    let id = message.from.id.as_deref().and_then(|id| id.strip_prefix(NAME));
    id.is_some_and(|rest| rest.starts_with(':'))
}
