//! The fields of a JSON object.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::Json;
use crate::fields::missing;

/// The fields of an object, sorted by name and unique. Decoding takes fields out, so that the unknown ones remain.
/// Typed getters treat `null` as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

/// Up to this number of fields, linear search is faster: most names differ in length.
const LINEAR_SEARCH_MAX: usize = 32;

impl<'a> Object<'a> {
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    /// Borrows from a map.
    pub(crate) fn of(map: &'a Map<String, Value>) -> Self {
        Self(map.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), Json::of(value))).collect())
    }

    /// Builds an object from unsorted fields; the last of equal names counts.
    pub(crate) fn from_unsorted(mut fields: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        if !fields.is_sorted_by(|one, next| one.0 < next.0) {
            fields.sort_by(|one, other| one.0.cmp(&other.0));
            // The sort is stable and `dedup_by` keeps the first, so the last value is swapped into it.
            fields.dedup_by(|later, preserved| {
                let is_same = later.0 == preserved.0;
                if is_same {
                    std::mem::swap(later, preserved);
                }
                is_same
            });
        }
        Self(fields)
    }

    /// Takes an object; `what` names it in the refusal, for example `a TKR message`.
    pub(crate) fn read(json: Json<'a>, what: &str) -> Result<Self, Refusal> {
        match json {
            Json::Object(object) => Ok(object),
            other => Err(Refusal::invalid(format!("{what} must be an object, not {}", other.type_name()))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Returns a field; `null` counts as present.
    pub(crate) fn get(&self, name: &str) -> Option<&Json<'a>> {
        self.position(name).map(|index| &self.0[index].1)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Json<'a>> {
        self.position(name).map(|index| &mut self.0[index].1)
    }

    pub(crate) fn str(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::as_str)
    }

    /// Sets or replaces a field.
    pub(crate) fn set(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Json<'a>>) {
        let (name, value) = (name.into(), value.into());
        // Most fields are set in order of their names.
        if self.0.last().is_none_or(|(last, _)| *last < name) {
            self.0.push((name, value));
            return;
        }
        match self.0.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (name, value)),
        }
    }

    /// Appends a field whose name is greater than all others, without comparing.
    pub(crate) fn push(&mut self, name: &'static str, value: impl Into<Json<'a>>) {
        debug_assert!(self.0.last().is_none_or(|(last, _)| last.as_ref() < name), "{name} is out of order");
        self.0.push((Cow::Borrowed(name), value.into()));
    }

    /// Like [`Self::push`], if there is a value.
    pub(crate) fn push_some(&mut self, name: &'static str, value: Option<impl Into<Json<'a>>>) {
        if let Some(value) = value {
            self.push(name, value);
        }
    }

    /// Like [`Self::set`], if there is a value.
    pub(crate) fn set_some(&mut self, name: impl Into<Cow<'a, str>>, value: Option<impl Into<Json<'a>>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Removes a field; `null` counts as present.
    pub(crate) fn take(&mut self, name: &str) -> Option<Json<'a>> {
        self.position(name).map(|index| self.0.remove(index).1)
    }

    pub(crate) fn take_non_null(&mut self, name: &str) -> Option<Json<'a>> {
        self.take(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a string", &other)),
        }
    }

    pub(crate) fn required_text(&mut self, name: &str) -> Result<Cow<'a, str>, Refusal> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Json::Bool(boolean)) => Ok(Some(boolean)),
            Some(other) => Err(wrong_type(name, "a boolean", &other)),
        }
    }

    /// Takes a list of texts; a refusal names the index of the wrong item.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<Cow<'a, str>>>, Refusal> {
        let Some(value) = self.take_non_null(name) else { return Ok(None) };
        let Json::List(items) = value else { return Err(wrong_type(name, "an array of strings", &value)) };
        let text = |(index, item)| match item {
            Json::Text(text) => Ok(text),
            other => Err(wrong_type(&format!("{name}[{index}]"), "a string", &other)),
        };
        items.into_iter().enumerate().map(text).collect::<Result<_, _>>().map(Some)
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Object<'a>>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Json::Object(object)) => Ok(Some(object)),
            Some(other) => Err(wrong_type(name, "an object", &other)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&str, &Json<'a>) -> bool) {
        self.0.retain(|(name, value)| is_kept(name, value));
    }

    /// Converts to an owned map.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0.into_iter().map(|(name, value)| (name.into_owned(), value.into_value())).collect()
    }

    fn position(&self, name: &str) -> Option<usize> {
        if self.0.len() <= LINEAR_SEARCH_MAX {
            return self.0.iter().position(|(known, _)| known == name);
        }
        self.0.binary_search_by(|(known, _)| known.as_ref().cmp(name)).ok()
    }
}

/// The refusal of a field of the wrong type.
pub(crate) fn wrong_type(name: &str, expected: &str, found: &Json<'_>) -> Refusal {
    Refusal::invalid(format!("this must be {expected}, not {}", found.type_name())).at(name)
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (Cow<'a, str>, Json<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Map<String, Value>> for Object<'_> {
    fn from(map: Map<String, Value>) -> Self {
        Self(map.into_iter().map(|(name, value)| (Cow::Owned(name), Json::from(value))).collect())
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object<'static> {
        Object::read(Json::from(value), "an object").expect("an object")
    }

    #[test]
    fn fields_are_taken_once_and_the_rest_remains() {
        let mut fields = object(json!({"a": "x", "b": true, "c": 3, "d": null, "e": ["y"], "f": {"g": 1}, "h": 0.5}));
        assert_eq!(fields.text("a").expect("a text").as_deref(), Some("x"));
        assert_eq!((fields.text("a"), fields.text("d")), (Ok(None), Ok(None)));
        assert_eq!((fields.boolean("b"), fields.take("c")), (Ok(Some(true)), Some(Json::from(3))));
        assert_eq!(fields.texts("e").expect("texts").map(|texts| texts.len()), Some(1));
        assert_eq!(fields.object("f").expect("an object").map(|inner| inner.len()), Some(1));
        assert_eq!(fields.required_text("zz").expect_err("missing").field.as_deref(), Some("zz"));
        assert_eq!(Value::Object(fields.into_map()), json!({"h": 0.5}));
    }

    #[test]
    fn a_field_of_another_type_is_refused_with_its_name() {
        let all = json!({"a": 1});
        for refused in [
            object(all.clone()).text("a").map(drop),
            object(all.clone()).boolean("a").map(drop),
            object(all.clone()).texts("a").map(drop),
            object(all).object("a").map(drop),
        ] {
            assert_eq!(refused.expect_err("another type").field.as_deref(), Some("a"));
        }
        let refused = object(json!({"a": ["x", 2]})).texts("a").expect_err("no text");
        assert_eq!(refused.field.as_deref(), Some("a[1]"));
        let refused = Object::read(Json::List(Vec::new()), "a row").expect_err("no object");
        assert_eq!(refused.detail, "a row must be an object, not an array");
    }

    #[test]
    fn a_field_is_found_among_few_and_among_many() {
        for count in [1, LINEAR_SEARCH_MAX, LINEAR_SEARCH_MAX + 1, 3 * LINEAR_SEARCH_MAX] {
            let names: Vec<String> = (0..count).map(|number| format!("n{number}")).collect();
            let mut fields = Object::default();
            names.iter().rev().for_each(|name| fields.set(name.as_str(), name.as_str()));
            assert!(names.iter().all(|name| fields.str(name) == Some(name)), "{count}");
            assert!(!fields.contains("n") && !fields.contains("o") && fields.len() == count);
            assert_eq!((fields.take("n0").is_some(), fields.take("n0")), (true, None));
        }
    }

    #[test]
    fn fields_that_are_written_in_order_are_found() {
        let mut fields = Object::with_capacity(2);
        fields.push("a", "1");
        fields.push_some("b", None::<&str>);
        fields.push_some("c", Some("2"));
        assert_eq!((fields.str("a"), fields.str("c"), fields.len()), (Some("1"), Some("2"), 2));
    }

    #[test]
    fn set_fields_are_sorted() {
        let mut fields = Object::with_capacity(2);
        for (name, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            fields.set(name, value);
        }
        fields.set_some("c", None::<&str>);
        assert_eq!(fields.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((fields.str("b"), fields.contains("c"), fields.is_empty()), (Some("3"), false, false));
    }
}
