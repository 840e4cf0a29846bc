//! A JSON value with borrowed texts and names.
//!
//! Converting a line takes microseconds, most of which would be spent on copying texts. Here the texts of a line
//! borrow from the line, and those of a message from the message.

mod object;

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{CowStrDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, Number, Value};

pub(crate) use self::object::{Object, wrong_type};

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
    /// Borrows from a value.
    pub(crate) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(boolean) => Self::Bool(*boolean),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Object(map) => Self::Object(Object::of(map)),
        }
    }

    /// Converts to an owned value.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(boolean) => Value::Bool(boolean),
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
        if let Self::Bool(boolean) = self { Some(*boolean) } else { None }
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

    /// The type of the value, for error texts.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(boolean) => Self::Bool(boolean),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(map) => Self::Object(Object::from(map)),
        }
    }
}

impl From<bool> for Json<'_> {
    fn from(boolean: bool) -> Self {
        Self::Bool(boolean)
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
            Self::Bool(boolean) => out.serialize_bool(*boolean),
            Self::Number(number) => number.serialize(out),
            Self::Text(text) => out.serialize_str(text),
            Self::List(items) => out.collect_seq(items),
            Self::Object(object) => object.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

/// The capacity for the fields of an object.
const USUAL_FIELDS: usize = 16;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(boolean))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(FieldName(name)) = map.next_key()? {
            if fields.is_empty() {
                fields.reserve(USUAL_FIELDS);
            }
            fields.push((name, map.next_value()?));
        }
        Ok(Json::Object(Object::from_unsorted(fields)))
    }
}

/// A field name, borrowed if possible.
struct FieldName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for FieldName<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_str(FieldNameVisitor)
    }
}

struct FieldNameVisitor;

impl<'de> Visitor<'de> for FieldNameVisitor {
    type Value = FieldName<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a field")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<FieldName<'de>, E> {
        Ok(FieldName(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<FieldName<'de>, E> {
        Ok(FieldName(Cow::Owned(text.to_owned())))
    }
}

impl<'de> IntoDeserializer<'de, Error> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(boolean) => visitor.visit_bool(boolean),
            Self::Number(number) => number.deserialize_any(visitor),
            Self::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Self::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Self::List(items) => {
                let mut items = SeqDeserializer::new(items.into_iter());
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Self::Object(object) => {
                let mut fields = MapDeserializer::new(object.into_iter());
                let read = visitor.visit_map(&mut fields)?;
                fields.end().map(|()| read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// All enums in messages are names.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Text(text) => CowStrDeserializer::new(text).deserialize_enum(name, variants, visitor),
            other => other.into_value().deserialize_enum(name, variants, visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::message::Message;
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
    fn the_last_value_of_a_duplicate_name_counts() {
        let json: Json<'_> = serde_json::from_str(r#"{"b":1,"a":2,"b":3,"a":4,"b":5}"#).expect("JSON");
        assert_eq!(json.into_value(), json!({"a": 4, "b": 5}));
    }

    proptest! {
        #[test]
        fn it_parses_converts_and_serialises_like_a_serde_value(value in any_value()) {
            let line = value.to_string();
            let json: Json<'_> = serde_json::from_str(&line).expect("JSON");
            prop_assert_eq!(&serde_json::to_string(&json).expect("text"), &line);
            prop_assert_eq!(&json, &Json::from(value.clone()));
            prop_assert_eq!(&json, &Json::of(&value));
            prop_assert_eq!(json.into_value(), value);
        }

        #[test]
        fn it_refuses_what_serde_json_refuses(text in "[\\[\\]{}\",:0-9a\\\\ ]{0,12}") {
            let expected = serde_json::from_str::<Value>(&text).is_ok();
            prop_assert_eq!(serde_json::from_str::<Json<'_>>(&text).is_ok(), expected);
        }
    }

    fn message() -> Value {
        json!({
            "id": "msg_1", "project_id": "prj_1", "type": "channel", "to": "chn_1", "seq": 3,
            "from": {"type": "agent", "id": "agt_1", "name": "Coder"}, "kind": "assistant", "body": "a\nb",
            "content": {"x": [1, 2.5, null]}, "mentions": ["per_1"], "artifacts": [], "importance": "high",
            "blocking": false, "cause": {"depth": 1, "chain": ["coder"], "message_id": "msg_0"},
            "context": {"project_id": "prj_1", "task_id": "tsk_1"}, "state": "complete",
            "steps": [{"id": "s", "name": "n", "input": 1, "started_at": "1970-01-01T00:00:00.000Z"}],
            "metadata": {"k": "v"}, "created_at": "1970-01-01T00:00:00.000Z", "thread_id": null,
        })
    }

    #[test]
    fn a_message_deserialises_like_from_a_serde_value() {
        let line = message().to_string();
        let json: Json<'_> = serde_json::from_str(&line).expect("JSON");
        let expected: Message = serde_json::from_value(message()).expect("a message");
        assert_eq!(Message::deserialize(json).expect("a message"), expected);
    }

    #[test]
    fn deserialisation_errors_equal_those_of_serde_json() {
        for (name, value) in [("kind", json!("boss")), ("kind", json!(5)), ("seq", json!("x")), ("id", json!("x"))] {
            let mut wrong = message();
            wrong[name] = value;
            let expected = serde_json::from_value::<Message>(wrong.clone()).expect_err("refused").to_string();
            assert_eq!(Message::deserialize(Json::from(wrong)).expect_err("refused").to_string(), expected, "{name}");
        }
        let mut wrong = message();
        wrong["context"] = json!({});
        assert_eq!(
            Message::deserialize(Json::from(wrong)).expect_err("refused").to_string(),
            "missing field `project_id`"
        );
    }
}
