//! How a foreign form says things in its own way, kept so that it says them that way again.
//!
//! A dialect writes a message in its usual form. What a form that was read says otherwise (another spelling, a field that
//! means nothing natively, a field left out) is kept in the message's metadata under the dialect's name, and laid over
//! the usual form when the message is written again.

use parlour_core::{Refusal, message::Message};
use serde_json::{Map, Value};

use crate::{
    DecodeContext, extras,
    json::{Json, Object},
};

/// Where the names of fields are kept that the usual form has and this one had not.
pub(crate) const ABSENT: &str = "absent";

/// How a dialect reads and completes its forms.
pub(crate) struct Grammar {
    /// Its name, under which metadata keeps its own words.
    pub(crate) dialect: &'static str,
    /// The fields that are always said as usual, so that nobody puts other words into a message by its metadata.
    pub(crate) usual_only: &'static [&'static str],
    /// What a form without extras means.
    pub(crate) read: fn(&Object<'_>, &DecodeContext) -> Result<Message, Refusal>,
    /// Puts extras into a form; answers whether there was a place for them.
    pub(crate) put: for<'a> fn(&mut Object<'a>, Object<'a>) -> bool,
}

impl Grammar {
    /// What a form says otherwise than the usual one of its message, to be kept there; none when it says nothing so.
    pub(crate) fn own(&self, form: &Object<'_>, usual: &Object<'_>) -> Option<Value> {
        let (mut own, mut absent) = (Map::new(), Vec::new());
        // Both stand in the order of their names, so they are gone through side by side.
        let mut usual = usual.iter().peekable();
        for (name, value) in form.iter() {
            while let Some((before, _)) = usual.next_if(|(usual, _)| *usual != name && *usual < name) {
                absent.push(Value::from(before));
            }
            let said = usual.next_if(|(usual, _)| *usual == name);
            if said.is_none_or(|(_, said)| said != value) && !self.usual_only.contains(&name) {
                own.insert(name.to_owned(), value.clone().into_value());
            }
        }
        absent.extend(usual.map(|(name, _)| Value::from(name)));
        if !absent.is_empty() {
            own.insert(ABSENT.to_owned(), absent.into());
        }
        (!own.is_empty()).then_some(Value::Object(own))
    }

    /// Keeps in a message what its form says in its own way.
    pub(crate) fn keep(&self, message: &mut Message, own: Option<Value>) {
        if let Some(own) = own {
            message.metadata.insert(self.dialect.to_owned(), own);
        }
    }

    /// The form of a message: the usual one with the dialect's own words laid over it, and with what it cannot say.
    ///
    /// `usual` is told the own words, where it may look for what need not be said twice. Words that would not be understood
    /// are left out: anybody may have put them there.
    pub(crate) fn write<'a>(
        &self,
        message: &'a Message,
        usual: impl Fn(Option<&Object<'a>>) -> Object<'a>,
    ) -> Object<'a> {
        let own = message.metadata.get(self.dialect).and_then(Value::as_object).map(Object::of);
        let said = own.and_then(|own| self.completed(message, self.overlaid(usual(Some(&own)), own)));
        let said = said.or_else(|| self.completed(message, usual(None)));
        said.expect("a usual form is understood and has a place for extras: the laws of the dialects")
    }

    fn overlaid<'a>(&self, mut form: Object<'a>, mut own: Object<'a>) -> Object<'a> {
        let absent = own.take(ABSENT);
        let is_free = |name: &str| !self.usual_only.contains(&name) && name != extras::KEY;
        for (name, value) in own.into_iter().filter(|(name, _)| is_free(name)) {
            form.set(name, value);
        }
        let absent = absent.as_ref().and_then(Json::as_list).unwrap_or_default();
        for name in absent.iter().filter_map(Json::as_str).filter(|name| is_free(name)) {
            form.take(name);
        }
        form
    }

    /// Adds what a reader would not understand; none when the form cannot be read, or has no place for that.
    fn completed<'a>(&self, message: &'a Message, mut form: Object<'a>) -> Option<Object<'a>> {
        // A time that the message does not have, so that a form without one keeps the message's.
        let scene = DecodeContext::history(message.created_at.plus_millis(1));
        let understood = (self.read)(&form, &scene).ok()?;
        let is_whole = match extras::unsaid(message, &understood) {
            None => true,
            Some(extras) => (self.put)(&mut form, extras),
        };
        is_whole.then_some(form)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GRAMMAR: Grammar = Grammar {
        dialect: "x",
        usual_only: &["body"],
        read: |_, scene| Ok(crate::Item::signal("x", Value::Null, scene.now).message),
        put: |_, _| false,
    };

    fn object(value: Value) -> Object<'static> {
        Object::read(value.into(), "a form").expect("an object")
    }

    fn own(form: Value) -> Option<Value> {
        GRAMMAR.own(&object(form), &object(json!({"a": 1, "b": 2, "c": 3})))
    }

    #[test]
    fn only_what_differs_is_kept() {
        assert_eq!(own(json!({"a": 1, "b": 2, "c": 3, "body": "said"})), None);
        assert_eq!(own(json!({"a": 1, "b": "2", "d": null})), Some(json!({"b": "2", "d": null, "absent": ["c"]})));
        assert_eq!(own(json!({"b": 2})), Some(json!({"absent": ["a", "c"]})));
    }

    #[test]
    fn own_words_are_laid_over_the_usual_ones_but_not_over_all() {
        let usual = object(json!({"a": 1, "body": "said"}));
        let own = json!({"a": 2, "b": 3, "body": "forged", "parlour": {}, "absent": ["body", "c", 5]});
        assert_eq!(
            Value::Object(GRAMMAR.overlaid(usual, object(own)).into_map()),
            json!({"a": 2, "b": 3, "body": "said"})
        );
    }
}
