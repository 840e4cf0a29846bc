//! JSON as dialects read and write it: like a value of `serde_json`, but texts and names are borrowed where they can be.
//!
//! A line of a dialect is read, turned and written within microseconds, and most of that would be spent on copies of its
//! texts. Here the texts of a line are parts of the line, and those of a message parts of the message.

mod object;
mod reading;
mod typed;

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

pub(crate) use object::{Object, wrong};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
}

impl<'a> Json<'a> {
    /// Looks at a value that stands elsewhere.
    pub(crate) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is_so) => Self::Bool(*is_so),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Object(map) => Self::Object(Object::of(map)),
        }
    }

    /// The same, on its own.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is_so) => Value::Bool(is_so),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(object) => Value::Object(object.into_map()),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(is_so) = self { Some(*is_so) } else { None }
    }

    pub(crate) fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.as_u64() } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(crate) fn as_list(&self) -> Option<&[Json<'a>]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// What sort of value it is, in words.
    pub(crate) fn sort(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is_so) => Self::Bool(is_so),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(map) => Self::Object(Object::from(map)),
        }
    }
}

impl From<bool> for Json<'_> {
    fn from(is_so: bool) -> Self {
        Self::Bool(is_so)
    }
}

impl From<u64> for Json<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Json<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Json<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<Object<'a>> for Json<'a> {
    fn from(object: Object<'a>) -> Self {
        Self::Object(object)
    }
}

impl<'a> From<Vec<Json<'a>>> for Json<'a> {
    fn from(items: Vec<Json<'a>>) -> Self {
        Self::List(items)
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => out.serialize_unit(),
            Self::Bool(is_so) => out.serialize_bool(*is_so),
            Self::Number(number) => number.serialize(out),
            Self::Text(text) => out.serialize_str(text),
            Self::List(items) => out.collect_seq(items),
            Self::Object(object) => object.serialize(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map(".{0,6}", inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn texts_without_escapes_are_parts_of_the_line() {
        let line = r#"{"plain":"text","odd":"a\nb"}"#;
        let json: Json<'_> = serde_json::from_str(line).expect("JSON");
        let object = json.as_object().expect("an object");
        assert!(matches!(object.get("plain"), Some(Json::Text(Cow::Borrowed("text")))));
        assert_eq!(object.get("odd").and_then(Json::as_str), Some("a\nb"));
    }

    #[test]
    fn of_a_name_that_stands_twice_the_last_value_counts() {
        let json: Json<'_> = serde_json::from_str(r#"{"b":1,"a":2,"b":3,"a":4,"b":5}"#).expect("JSON");
        assert_eq!(json.into_value(), json!({"a": 4, "b": 5}));
    }

    proptest! {
        #[test]
        fn it_is_read_turned_and_written_as_the_usual_value_is(value in any_value()) {
            let line = value.to_string();
            let json: Json<'_> = serde_json::from_str(&line).expect("JSON");
            prop_assert_eq!(&serde_json::to_string(&json).expect("text"), &line);
            prop_assert_eq!(&json, &Json::from(value.clone()));
            prop_assert_eq!(&json, &Json::of(&value));
            prop_assert_eq!(json.into_value(), value);
        }

        #[test]
        fn what_the_usual_parser_refuses_is_refused(text in "[\\[\\]{}\",:0-9a\\\\ ]{0,12}") {
            let usual = serde_json::from_str::<Value>(&text).is_ok();
            prop_assert_eq!(serde_json::from_str::<Json<'_>>(&text).is_ok(), usual);
        }
    }
}
