//! How a foreign form says things in its own way, kept so that it says them that way again.
//!
//! A dialect writes a message in its usual form. What a form that was read says otherwise (another spelling, a field that
//! means nothing natively, a field left out) is kept in the message's metadata under the dialect's name, and laid over
//! the usual form when the message is written again.

use parlour_core::{Refusal, message::Message};
use serde_json::{Map, Value};

use crate::{Scene, extras};

/// Where the names of fields are kept that the usual form has and this one had not.
pub(crate) const ABSENT: &str = "absent";

/// The fields of a usual form.
pub(crate) type Usual = Vec<(&'static str, Value)>;

/// How a dialect reads and completes its forms.
pub(crate) struct Grammar {
    /// Its name, under which metadata keeps its own words.
    pub(crate) dialect: &'static str,
    /// The fields that are always said as usual, so that nobody puts other words into a message by its metadata.
    pub(crate) usual_only: &'static [&'static str],
    /// What a form without extras means.
    pub(crate) read: fn(&Map<String, Value>, &Scene) -> Result<Message, Refusal>,
    /// Puts extras into a form; answers whether there was a place for them.
    pub(crate) put: fn(&mut Map<String, Value>, Map<String, Value>) -> bool,
}

impl Grammar {
    /// Keeps in a message what its form says otherwise than the usual one.
    pub(crate) fn keep(&self, message: &mut Message, form: &Map<String, Value>, usual: &Usual) {
        let own = self.differing(form, usual);
        if !own.is_empty() {
            message.metadata.insert(self.dialect.to_owned(), Value::Object(own));
        }
    }

    fn differing(&self, form: &Map<String, Value>, usual: &Usual) -> Map<String, Value> {
        let said = |name: &str| usual.iter().find(|(usual, _)| *usual == name).map(|(_, value)| value);
        let is_own =
            |(name, value): &(&String, &Value)| !self.usual_only.contains(&name.as_str()) && said(name) != Some(*value);
        let own = form.iter().filter(is_own).map(|(name, value)| (name.clone(), value.clone()));
        let mut own: Map<String, Value> = own.collect();
        let is_absent = |name: &&str| !form.contains_key(*name);
        let mut absent: Vec<&str> = usual.iter().map(|(name, _)| *name).filter(is_absent).collect();
        if !absent.is_empty() {
            absent.sort_unstable();
            own.insert(ABSENT.to_owned(), absent.into());
        }
        own
    }

    /// The form of a message: the usual one with the dialect's own words laid over it, and with what it cannot say.
    ///
    /// `usual` is told the own words, where it may look for what need not be said twice. Words that would not be understood
    /// are left out: anybody may have put them there.
    pub(crate) fn write(&self, message: &Message, usual: impl Fn(Option<&Map<String, Value>>) -> Usual) -> Value {
        let form = |own| usual(own).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let own = message.metadata.get(self.dialect).and_then(Value::as_object);
        let said = own.and_then(|own| self.completed(message, self.overlaid(form(Some(own)), own)));
        let said = said.or_else(|| self.completed(message, form(None)));
        Value::Object(said.expect("a usual form is understood and has a place for extras: the laws of the dialects"))
    }

    fn overlaid(&self, mut form: Map<String, Value>, own: &Map<String, Value>) -> Map<String, Value> {
        let is_free = |name: &str| !self.usual_only.contains(&name) && name != extras::KEY;
        for (name, value) in own.iter().filter(|(name, _)| name.as_str() != ABSENT && is_free(name)) {
            form.insert(name.clone(), value.clone());
        }
        let absent = own.get(ABSENT).and_then(Value::as_array);
        for name in absent.into_iter().flatten().filter_map(Value::as_str).filter(|name| is_free(name)) {
            form.remove(name);
        }
        form
    }

    /// Adds what a reader would not understand; none when the form cannot be read, or has no place for that.
    fn completed(&self, message: &Message, mut form: Map<String, Value>) -> Option<Map<String, Value>> {
        // A time that the message does not have, so that a form without one keeps the message's.
        let scene = Scene::history(message.created_at.plus_millis(1));
        let understood = (self.read)(&form, &scene).ok()?;
        let is_whole = match extras::missing(message, &understood) {
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

    fn differing(form: &Value) -> Value {
        let usual = vec![("a", json!(1)), ("b", json!(2)), ("c", json!(3))];
        Value::Object(GRAMMAR.differing(form.as_object().expect("an object"), &usual))
    }

    #[test]
    fn only_what_differs_is_kept() {
        assert_eq!(differing(&json!({"a": 1, "b": 2, "c": 3, "body": "said"})), json!({}));
        assert_eq!(differing(&json!({"a": 1, "b": "2", "d": null})), json!({"b": "2", "d": null, "absent": ["c"]}));
    }

    #[test]
    fn own_words_are_laid_over_the_usual_ones_but_not_over_all() {
        let usual = Map::from_iter([("a".to_owned(), json!(1)), ("body".to_owned(), json!("said"))]);
        let own = json!({"a": 2, "b": 3, "body": "forged", "parlour": {}, "absent": ["body", "c", 5]});
        let form = GRAMMAR.overlaid(usual, own.as_object().expect("an object"));
        assert_eq!(Value::Object(form), json!({"a": 2, "b": 3, "body": "said"}));
    }
}
