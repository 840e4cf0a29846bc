//! How a foreign form says things in its own way, kept so that it says them that way again.
//!
//! A dialect writes a message in its usual form. What a form that was read says otherwise (another spelling, a field that
//! means nothing natively, a field left out) is kept in the message's metadata under the dialect's name, and laid over
//! the usual form when the message is written again.

use serde_json::{Map, Value};

use crate::{Item, Scene, extras};
use parlour_core::Refusal;

/// Where the names of fields are kept that the usual form has and this one had not.
pub(crate) const ABSENT: &str = "absent";

/// What a form says otherwise than the usual one; empty when nothing.
pub(crate) fn differing(form: Map<String, Value>, usual: &Map<String, Value>) -> Map<String, Value> {
    let is_absent = |name: &&String| !form.contains_key(name.as_str());
    let absent: Vec<Value> = usual.keys().filter(is_absent).map(|name| Value::from(name.as_str())).collect();
    let mut kept: Map<String, Value> =
        form.into_iter().filter(|(name, value)| usual.get(name) != Some(value)).collect();
    if !absent.is_empty() {
        kept.insert(ABSENT.to_owned(), Value::Array(absent));
    }
    kept
}

/// How a dialect reads and completes its forms.
pub(crate) struct Grammar {
    /// Its name, under which metadata keeps its own words.
    pub(crate) dialect: &'static str,
    /// The fields that are always said as usual, so that nobody puts other words into a message by its metadata.
    pub(crate) usual_only: &'static [&'static str],
    /// Its `decode`.
    pub(crate) read: fn(Value, &Scene) -> Result<Item, Refusal>,
    /// Puts extras into a form; answers whether there was a place for them.
    pub(crate) put: fn(&mut Value, Map<String, Value>) -> bool,
}

impl Grammar {
    /// The form of an item: the usual one with the dialect's own words laid over it, and with what it cannot say.
    ///
    /// `usual` is told the own words, where it may look for what need not be said twice. Words that would not be understood
    /// are left out: anybody may have put them there.
    pub(crate) fn write(
        &self,
        item: &Item,
        usual: impl Fn(Option<&Map<String, Value>>) -> Map<String, Value>,
    ) -> Value {
        let own = item.message.metadata.get(self.dialect).and_then(Value::as_object);
        own.and_then(|own| self.write_own(item, usual(Some(own)), own)).unwrap_or_else(|| {
            let put = |form: &mut Value, extras| {
                (self.put)(form, extras);
            };
            extras::complete(item, Value::Object(usual(None)), self.read, put)
        })
    }

    fn write_own(&self, item: &Item, mut form: Map<String, Value>, own: &Map<String, Value>) -> Option<Value> {
        let is_free = |name: &str| !self.usual_only.contains(&name) && name != extras::KEY;
        for (name, value) in own.iter().filter(|(name, _)| name.as_str() != ABSENT && is_free(name)) {
            form.insert(name.clone(), value.clone());
        }
        let absent = own.get(ABSENT).and_then(Value::as_array);
        for name in absent.into_iter().flatten().filter_map(Value::as_str).filter(|name| is_free(name)) {
            form.remove(name);
        }
        let mut form = Value::Object(form);
        // A time that the message does not have, so that a form without one keeps the message's.
        let scene = Scene::history(item.message.created_at.plus_millis(1));
        let understood = (self.read)(form.clone(), &scene).ok().filter(|understood| understood.frame == item.frame)?;
        let is_whole = match extras::missing(&item.message, &understood.message) {
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

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn only_what_differs_is_kept() {
        let usual = map(&json!({"a": 1, "b": 2, "c": 3}));
        assert_eq!(differing(usual.clone(), &usual), Map::new());
        let kept = differing(map(&json!({"a": 1, "b": "2", "d": null})), &usual);
        assert_eq!(Value::Object(kept), json!({"b": "2", "d": null, "absent": ["c"]}));
    }
}
