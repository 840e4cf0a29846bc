//! Fields of TKR messages without a native counterpart, stored in the metadata under the name of the dialect.
//!
//! Most are stored by their standard names. In addition, `absent` lists canonical fields that the message did not
//! have, `nulls` fields that were null, `other` contains unknown fields, `overruled` the values that did not count,
//! and `row` the rest of a row.

use std::borrow::Cow;

use parlour_core::message::Message;
use serde_json::{Map, Value};

use super::NAME;
use crate::{
    foreign_id::{NativeId, foreign_text, native_id},
    json::Object,
};

const ABSENT: &str = "absent";
const NULLS: &str = "nulls";
const OTHER: &str = "other";
const OVERRULED: &str = "overruled";

/// Collects the fields to preserve during decoding.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder {
    fields: Map<String, Value>,
    absent: Vec<Value>,
}

impl FieldRecorder {
    /// Converts an id and records its text unless the id contains it.
    ///
    /// `known` is the id that the text was encoded from, if any; it is reused if it matches.
    pub(super) fn id<I: NativeId + Clone>(&mut self, name: &str, text: Cow<'_, str>, known: Option<&I>) -> I {
        if let Some(known) = known.filter(|known| is_mapped(&text, *known)) {
            return known.clone();
        }
        let id = native_id(&text);
        self.put(name, (foreign_text(&id) != text).then_some(text));
        id
    }

    /// Like [`Self::id`], for an optional id; an empty text is none.
    pub(super) fn optional_id<I: NativeId + Clone>(
        &mut self,
        name: &str,
        text: Option<Cow<'_, str>>,
        known: Option<&I>,
    ) -> Option<I> {
        match text {
            Some(text) if text.is_empty() => {
                self.put(name, Some(text));
                None
            }
            text => text.map(|text| self.id(name, text, known)),
        }
    }

    /// Records a value if there is one.
    pub(super) fn put(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.fields.insert(name.to_owned(), value.into());
        }
    }

    pub(super) fn put_all(&mut self, fields: Object<'_>) {
        if !fields.is_empty() {
            self.fields.append(&mut fields.into_map());
        }
    }

    /// Records a flag that differs from the canonical one; none is an absent flag.
    pub(super) fn record_if_unusual(&mut self, name: &str, value: Option<bool>, canonical: Option<bool>) {
        match value {
            _ if value == canonical => {}
            None => self.record_absent(name),
            Some(_) => self.put(name, value),
        }
    }

    /// Records that a canonical field is absent.
    pub(super) fn record_absent(&mut self, name: &str) {
        self.absent.push(name.into());
    }

    /// Records unknown fields, nulls and overruled values.
    pub(super) fn record_unknown(&mut self, other: Object<'_>, nulls: Vec<Cow<'_, str>>, overruled: Object<'_>) {
        self.put(OTHER, filled(other));
        self.put(NULLS, (!nulls.is_empty()).then_some(nulls));
        self.put(OVERRULED, filled(overruled));
    }

    /// Stores the recorded fields in the message, if there are any.
    pub(super) fn store_in(mut self, message: &mut Message) {
        let absent = std::mem::take(&mut self.absent);
        self.put(ABSENT, (!absent.is_empty()).then_some(absent));
        if !self.fields.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(self.fields));
        }
    }
}

/// The preserved fields of a message. Anybody can write metadata, so an entry is used only if it matches the message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreservedFields<'a>(Option<&'a Map<String, Value>>);

impl<'a> PreservedFields<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        Self(message.metadata.get(NAME).and_then(Value::as_object))
    }

    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0?.get(name)
    }

    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    pub(super) fn flag(self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    pub(super) fn object(self, name: &str) -> Option<&'a Map<String, Value>> {
        self.get(name)?.as_object()
    }

    /// The recorded text of an id, if it gives this id.
    pub(super) fn id_text<I: NativeId + PartialEq>(self, name: &str, id: &I) -> Option<&'a str> {
        self.text(name).filter(|text| native_id::<I>(text) == *id)
    }

    pub(super) fn is_absent(self, name: &str) -> bool {
        self.get(ABSENT).and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    }

    pub(super) fn nulls(self) -> impl Iterator<Item = &'a str> {
        self.get(NULLS).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    pub(super) fn other(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.object(OTHER).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn entries(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.0.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }
}

fn filled(object: Object<'_>) -> Option<Value> {
    (!object.is_empty()).then(|| Value::Object(object.into_map()))
}

/// Whether a text gives this id, as far as this is visible without converting it.
fn is_mapped<I: NativeId>(text: &str, id: &I) -> bool {
    foreign_text(id) == text && (text == id.as_text() || !text.is_empty() && !text.starts_with(I::PREFIX))
}

#[cfg(test)]
mod tests {
    use parlour_core::id::MessageId;
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, id: &str) -> bool {
        is_mapped(text, &id.parse::<MessageId>().expect("an id"))
    }

    #[test]
    fn a_matching_id_is_recognised_without_converting_the_text() {
        assert!(check("msg_1", "msg_1"));
        assert!(check("a-1", "msg_f_a-1"));
        assert!(!check("msg_1", "msg_f_msg_1"), "a native id stays as it is");
        assert!(!check("msg_f_a", "msg_f_a"), "this text would be found in another id");
        assert!(!check("", "msg_f_"), "an empty text has a fingerprint");
    }

    proptest! {
        #[test]
        fn a_text_never_matches_another_id(text in "(msg_)?(f_)?[a-z_-]{0,4}", tail in "(f_)?(msg_)?(f_)?[a-z_-]{1,4}") {
            let id: MessageId = format!("msg_{tail}").parse().expect("an id");
            for text in [text.as_str(), foreign_text(&id), id.as_str()] {
                prop_assert!(!is_mapped(text, &id) || native_id::<MessageId>(text) == id, "{} {}", text, id);
            }
        }
    }
}
