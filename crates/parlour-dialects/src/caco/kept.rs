//! What of a Caco event has no field in a native message. It is kept in the metadata, under the name of the dialect.

use parlour_core::message::Message;
use serde_json::{Map, Value};

use super::NAME;
use crate::json::Object;

/// What is kept while an event is read.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder<'a> {
    /// The type, when it is not the usual one for such a message.
    pub(super) event_type: Option<&'static str>,
    /// What stands around the event on a socket.
    pub(super) socket: Object<'a>,
    /// Fields of the event.
    pub(super) event: Object<'a>,
    /// Fields of its data.
    pub(super) data: Object<'a>,
    /// Fields of each call of a tool that a message asks for.
    pub(super) requests: Vec<Object<'a>>,
    /// What stood before the text of an event that does not name its source.
    pub(super) prefix: Option<String>,
    /// Usual fields that it does not have.
    pub(super) absent: Vec<&'static str>,
    /// Fields that stood under their other names.
    pub(super) named: Vec<&'static str>,
}

/// What was kept of an event; all that is malformed counts as nothing, because anybody may have written it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PreservedFields<'a> {
    fields: Option<&'a Map<String, Value>>,
    is_prefix_ignored: bool,
}

impl FieldRecorder<'_> {
    /// Notes what was kept in the message; a message of which all was understood gets no note.
    pub(super) fn note_in(self, message: &mut Message) {
        let mut note = Map::new();
        put(&mut note, "type", self.event_type.map(Value::from));
        put(&mut note, "prefix", self.prefix.map(Value::String));
        put(&mut note, "socket", filled(self.socket));
        put(&mut note, "event", filled(self.event));
        put(&mut note, "data", filled(self.data));
        let has_requests = self.requests.iter().any(|rest| !rest.is_empty());
        put(&mut note, "requests", has_requests.then(|| self.requests.into_iter().map(Object::into_map).collect()));
        put(&mut note, "absent", (!self.absent.is_empty()).then(|| self.absent.into()));
        put(&mut note, "named", (!self.named.is_empty()).then(|| self.named.into()));
        if !note.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(note));
        }
    }
}

impl<'a> PreservedFields<'a> {
    /// What was kept in this message.
    pub(super) fn of(message: &'a Message) -> Self {
        let fields = message.metadata.get(NAME).and_then(Value::as_object);
        Self { fields, is_prefix_ignored: false }
    }

    /// The same, but the source is written as a field.
    pub(super) fn without_prefix(self) -> Self {
        Self { is_prefix_ignored: true, ..self }
    }

    pub(super) fn is_empty(self) -> bool {
        self.fields.is_none()
    }

    pub(super) fn event_type(self) -> Option<&'a str> {
        self.get("type")?.as_str()
    }

    pub(super) fn prefix(self) -> Option<&'a str> {
        self.get("prefix").filter(|_| !self.is_prefix_ignored)?.as_str()
    }

    pub(super) fn socket(self) -> Option<&'a Map<String, Value>> {
        self.get("socket")?.as_object()
    }

    pub(super) fn event(self) -> Option<&'a Map<String, Value>> {
        self.get("event")?.as_object()
    }

    pub(super) fn data(self) -> Option<&'a Map<String, Value>> {
        self.get("data")?.as_object()
    }

    pub(super) fn request(self, place: usize) -> Option<&'a Map<String, Value>> {
        self.get("requests")?.get(place)?.as_object()
    }

    /// Whether the event had no such field.
    pub(super) fn lacks(self, name: &str) -> bool {
        self.lists("absent", name)
    }

    /// Whether the event had a field under this other name.
    pub(super) fn names(self, name: &str) -> bool {
        self.lists("named", name)
    }

    fn lists(self, list: &str, name: &str) -> bool {
        self.get(list).and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.fields?.get(name)
    }
}

fn put(note: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        note.insert(name.to_owned(), value);
    }
}

fn filled(object: Object<'_>) -> Option<Value> {
    (!object.is_empty()).then(|| Value::Object(object.into_map()))
}
