//! Fields of Jaibber messages without a native counterpart, stored in the metadata under the name of the dialect.

use std::borrow::Cow;

use parlour_core::message::Message;
use serde_json::{Map, Value};

use super::NAME;
use crate::foreign_id::{NativeId, foreign_text, native_id};

/// The key of the list of canonical fields that a form does not have.
const ABSENT: &str = "absent";
/// The key of the flag that a message had no time.
const UNTIMED: &str = "isUntimed";
/// The key of unknown fields and fields that were `null`.
const FIELDS: &str = "fields";

/// Collects the fields to preserve during decoding.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder(Map<String, Value>);

impl FieldRecorder {
    /// Records a value if there is one.
    pub(super) fn record(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }

    /// Records the text of an id unless the id contains it.
    pub(super) fn record_id<I: NativeId>(&mut self, name: &str, text: Cow<'_, str>, id: &I) {
        self.record(name, (foreign_text(id) != text).then_some(text));
    }

    /// Records a value that differs from the canonical one, or its absence.
    pub(super) fn record_unusual<V: PartialEq + Into<Value>>(
        &mut self,
        name: &str,
        found: Option<V>,
        canonical: Option<V>,
    ) {
        match (found, canonical) {
            (found, canonical) if found == canonical => {}
            (Some(value), _) => self.record(name, Some(value)),
            (None, _) => self.record_absent(name),
        }
    }

    /// Records that a canonical field is absent.
    pub(super) fn record_absent(&mut self, name: &str) {
        let names = self.0.entry(ABSENT).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(names) = names {
            names.push(name.into());
        }
    }

    pub(super) fn record_untimed(&mut self, is_untimed: bool) {
        self.record(UNTIMED, is_untimed.then_some(true));
    }

    /// Records the fields that were not decoded.
    pub(super) fn record_rest(&mut self, rest: Map<String, Value>) {
        self.record(FIELDS, (!rest.is_empty()).then_some(rest));
    }

    /// Stores the recorded fields in the message, if there are any.
    pub(super) fn store_in(self, message: &mut Message) {
        if !self.0.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(self.0));
        }
    }
}

/// The preserved fields of a message that is encoded.
///
/// Anybody can write the metadata of an own message. Fields about the author, the type and the cause are therefore
/// used only for authors with a Jaibber id, which no member has.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreservedFields<'a> {
    untrusted: Option<&'a Map<String, Value>>,
    trusted: Option<&'a Map<String, Value>>,
}

impl<'a> PreservedFields<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        let untrusted = message.metadata.get(NAME).and_then(Value::as_object);
        Self { untrusted, trusted: untrusted.filter(|_| has_jaibber_author(message)) }
    }

    /// A field that does not affect author, type or cause.
    pub(super) fn untrusted(self, name: &str) -> Option<&'a Value> {
        self.untrusted?.get(name)
    }

    /// A field that is used only for authors with a Jaibber id.
    pub(super) fn trusted(self, name: &str) -> Option<&'a Value> {
        self.trusted?.get(name)
    }

    pub(super) fn trusted_text(self, name: &str) -> Option<&'a str> {
        self.trusted(name)?.as_str()
    }

    /// The recorded value, or the canonical one unless it was absent.
    pub(super) fn recorded_or(self, name: &str, canonical: Option<&'a str>) -> Option<&'a str> {
        self.trusted_text(name).or_else(|| canonical.filter(|_| !self.is_absent(name)))
    }

    pub(super) fn recorded_flag_or(self, name: &str, canonical: Option<bool>) -> Option<bool> {
        let preserved = self.trusted(name).and_then(Value::as_bool);
        preserved.or_else(|| canonical.filter(|_| !self.is_absent(name)))
    }

    pub(super) fn is_absent(self, name: &str) -> bool {
        let names = self.trusted(ABSENT).and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|absent| absent == name))
    }

    /// Whether the message had no time, so that its time is that of decoding.
    pub(super) fn is_untimed(self) -> bool {
        self.trusted(UNTIMED).and_then(Value::as_bool) == Some(true)
    }

    /// The text of an id: the recorded one if it gives this id, else that of the id.
    pub(super) fn id<I: NativeId + PartialEq>(self, name: &str, id: &'a I) -> &'a str {
        let preserved = self.untrusted(name).and_then(Value::as_str).filter(|text| native_id::<I>(text) == *id);
        preserved.unwrap_or_else(|| foreign_text(id))
    }

    /// Like [`Self::id`], but never empty: an empty id would be refused.
    pub(super) fn filled_id<I: NativeId + PartialEq>(self, name: &str, id: &'a I) -> &'a str {
        Some(self.id(name, id)).filter(|text| !text.is_empty()).unwrap_or_else(|| id.as_text())
    }

    /// Unknown fields, and fields that were `null`.
    pub(super) fn rest(self, is_known: impl Fn(&str) -> bool) -> Map<String, Value> {
        let fields = self.untrusted(FIELDS).and_then(Value::as_object).into_iter().flatten();
        let is_free = |name: &str, value: &Value| name != crate::extras::KEY && (value.is_null() || !is_known(name));
        fields.filter(|(name, value)| is_free(name, value)).map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

fn has_jaibber_author(message: &Message) -> bool {
    let id = message.from.id.as_deref().and_then(|id| id.strip_prefix(NAME));
    id.is_some_and(|rest| rest.starts_with(':'))
}
