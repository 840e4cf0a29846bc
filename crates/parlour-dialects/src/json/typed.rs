//! From JSON to the types of the domain, without a text in between.

use std::borrow::Cow;

use serde::{
    Deserializer,
    de::{
        IntoDeserializer, Visitor,
        value::{CowStrDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::Error;

use super::Json;

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
            Self::Bool(is_so) => visitor.visit_bool(is_so),
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

    /// All enums of the domain that stand in messages are names.
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
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

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
    fn a_message_is_the_same_as_read_from_the_usual_value() {
        let line = message().to_string();
        let json: Json<'_> = serde_json::from_str(&line).expect("JSON");
        let usual: Message = serde_json::from_value(message()).expect("a message");
        assert_eq!(Message::deserialize(json).expect("a message"), usual);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_the_usual_words() {
        for (name, value) in [("kind", json!("boss")), ("kind", json!(5)), ("seq", json!("x")), ("id", json!("x"))] {
            let mut wrong = message();
            wrong[name] = value;
            let usual = serde_json::from_value::<Message>(wrong.clone()).expect_err("refused").to_string();
            assert_eq!(Message::deserialize(Json::from(wrong)).expect_err("refused").to_string(), usual, "{name}");
        }
        let mut wrong = message();
        wrong["context"] = json!({});
        assert_eq!(
            Message::deserialize(Json::from(wrong)).expect_err("refused").to_string(),
            "missing field `project_id`"
        );
    }
}
