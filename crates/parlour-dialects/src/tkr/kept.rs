//! What of a message has no field natively. It is kept in the metadata, under the name of the dialect.
//!
//! Most of it stands there by its standard name. RelatedLookups that: `absent` names fields that we would write and the message
//! did not have, `nulls` those that hold null, `other` holds fields that the format does not have, `overruled` what was
//! said in a spelling that does not count, and `row` the rest of a row of the store.

use std::borrow::Cow;

use parlour_core::message::Message;
use serde_json::{Map, Value};

use super::NAME;
use crate::{
    foreign_id::{MappedId, mapped, said},
    json::Object,
};

const ABSENT: &str = "absent";
const NULLS: &str = "nulls";
const OTHER: &str = "other";
const OVERRULED: &str = "overruled";

/// What is kept while a message is read.
#[derive(Debug, Default)]
pub(super) struct FieldRecorder {
    fields: Map<String, Value>,
    absent: Vec<Value>,
}

impl FieldRecorder {
    /// The native id for a foreign one, whose text is kept when the id does not give it back.
    ///
    /// `known` is the id that the text was written for, if it was: it need not be made again where it is the same.
    pub(super) fn id<I: MappedId + Clone>(&mut self, name: &str, text: Cow<'_, str>, known: Option<&I>) -> I {
        if let Some(known) = known.filter(|known| is_mapped(&text, *known)) {
            return known.clone();
        }
        let id = mapped(&text);
        self.put(name, (said(&id) != text).then_some(text));
        id
    }

    /// The same for an id that may be missing; an empty text names nothing.
    pub(super) fn optional_id<I: MappedId + Clone>(
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

    /// Keeps a value, if there is one.
    pub(super) fn put(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.fields.insert(name.to_owned(), value.into());
        }
    }

    /// Keeps fields by their names.
    pub(super) fn put_all(&mut self, fields: Object<'_>) {
        if !fields.is_empty() {
            self.fields.append(&mut fields.into_map());
        }
    }

    /// Keeps how a field is said when that is not the usual way; none is a field that is not there.
    pub(super) fn unusual(&mut self, name: &str, said: Option<bool>, usual: Option<bool>) {
        match said {
            _ if said == usual => {}
            None => self.lack(name),
            Some(_) => self.put(name, said),
        }
    }

    /// Keeps that a field is not there which we would write.
    pub(super) fn lack(&mut self, name: &str) {
        self.absent.push(name.into());
    }

    /// Keeps what the format has no place for.
    pub(super) fn strange(&mut self, other: Object<'_>, nulls: Vec<Cow<'_, str>>, overruled: Object<'_>) {
        self.put(OTHER, filled(other));
        self.put(NULLS, (!nulls.is_empty()).then_some(nulls));
        self.put(OVERRULED, filled(overruled));
    }

    /// Notes it all in the message; a message of which all was understood gets no note.
    pub(super) fn note_in(mut self, message: &mut Message) {
        let absent = std::mem::take(&mut self.absent);
        self.put(ABSENT, (!absent.is_empty()).then_some(absent));
        if !self.fields.is_empty() {
            message.metadata.insert(NAME.to_owned(), Value::Object(self.fields));
        }
    }
}

/// What was kept. Anybody may have written it, so each entry counts only where it says the same as the message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreservedFields<'a>(Option<&'a Map<String, Value>>);

impl<'a> PreservedFields<'a> {
    /// What was kept in this message.
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

    /// The text of an id, when it is that of this one.
    pub(super) fn id_text<I: MappedId + PartialEq>(self, name: &str, id: &I) -> Option<&'a str> {
        self.text(name).filter(|text| mapped::<I>(text) == *id)
    }

    /// Whether the message did not have this field.
    pub(super) fn lacks(self, name: &str) -> bool {
        self.get(ABSENT).and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    }

    pub(super) fn nulls(self) -> impl Iterator<Item = &'a str> {
        self.get(NULLS).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    pub(super) fn other(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.object(OTHER).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// All entries by their names.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.0.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }
}

fn filled(object: Object<'_>) -> Option<Value> {
    (!object.is_empty()).then(|| Value::Object(object.into_map()))
}

/// Whether a text gives this id, as far as that is seen without making one: the text is a native id, or found again in one.
fn is_mapped<I: MappedId>(text: &str, id: &I) -> bool {
    said(id) == text && (text == id.text() || !text.is_empty() && !text.starts_with(I::PREFIX))
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
    fn an_id_that_a_text_gives_is_known_without_making_it() {
        assert!(check("msg_1", "msg_1"));
        assert!(check("a-1", "msg_f_a-1"));
        assert!(!check("msg_1", "msg_f_msg_1"), "a native id stays as it is");
        assert!(!check("msg_f_a", "msg_f_a"), "this text would be found in another id");
        assert!(!check("", "msg_f_"), "an empty text has a fingerprint");
    }

    proptest! {
        #[test]
        fn no_text_is_taken_for_that_of_another_id(text in "(msg_)?(f_)?[a-z_-]{0,4}", tail in "(f_)?(msg_)?(f_)?[a-z_-]{1,4}") {
            let id: MessageId = format!("msg_{tail}").parse().expect("an id");
            for text in [text.as_str(), said(&id), id.as_str()] {
                prop_assert!(!is_mapped(text, &id) || mapped::<MessageId>(text) == id, "{} {}", text, id);
            }
        }
    }
}
