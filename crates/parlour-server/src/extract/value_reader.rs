//! A stricter serde deserialiser of JSON values.
//!
//! Derived implementations also accept an array in place of an object, and an object in place of an enum; both are refused
//! here. A whole number may be written as `5.0`, as in JSON Schema.

use serde::{
    Deserializer,
    de::{
        Error as _, IntoDeserializer, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, Number, Value};

/// Deserialises one value.
#[derive(Clone, Copy)]
pub(super) struct ValueReader<'de>(pub(super) &'de Value);

/// Above this limit neighbouring integers have the same float.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

impl<'de> ValueReader<'de> {
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Number(number) => visit_number(&whole(number), visitor),
            _ => self.deserialize_any(visitor),
        }
    }
}

/// The number as an integer when its fraction is zero.
fn whole(number: &Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT_MAX => {
            if float < 0.0 {
                Number::from(float as i64)
            } else {
                Number::from(float as u64)
            }
        }
        _ => number.clone(),
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(number), _, _) => visitor.visit_u64(number),
        (_, Some(number), _) => visitor.visit_i64(number),
        (_, _, Some(number)) => visitor.visit_f64(number),
        _ => Err(Error::custom("this number is out of range")),
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Other("number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl<'de> IntoDeserializer<'de, Error> for ValueReader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! read_integers {
    ($($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor)
        })+
    };
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(ValueReader))),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| (key.as_str(), ValueReader(value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.0.is_object() {
            self.deserialize_any(visitor)
        } else {
            Err(Error::invalid_type(unexpected(self.0), &"an object"))
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        // serde would also accept an object with the variant as its key.
        if self.0.is_string() {
            self.0.deserialize_enum(name, variants, visitor)
        } else {
            Err(Error::invalid_type(unexpected(self.0), &"a text"))
        }
    }

    read_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
        ignored_any
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{policy::Policy, post::PostMessage};
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
        T::deserialize(ValueReader(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_array_is_no_object_at_any_level() {
        let refused = read::<PostMessage>(&json!([])).expect_err("array");
        assert!(refused.contains("expected an object"), "{refused}");
        assert!(read::<Policy>(&json!({"retention": [null, null]})).is_err());
        assert!(read::<PostMessage>(&json!("text")).is_err());
    }

    #[test]
    fn whole_numbers_may_be_written_with_a_point() {
        let read_depth = |depth: Value| read::<Policy>(&json!({"loop_limits": {"response_depth_max": depth}}));
        assert_eq!(read_depth(json!(5.0)).expect("whole").loop_limits.response_depth_max, 5);
        for depth in [json!(5.5), json!(-1), json!(-1.0), json!(1e300), json!("5"), json!(true), json!(null)] {
            assert!(read_depth(depth.clone()).is_err(), "{depth}");
        }
    }

    #[test]
    fn free_values_stay_as_they_are() {
        let content = json!({"a": [1, -2, 3.0, 4.5, "x", null, true, {"b": []}]});
        let post: PostMessage = read(&json!({"content": content})).expect("post");
        assert_eq!(post.content, Some(content));
    }

    #[test]
    fn choices_are_read_by_name() {
        let post: PostMessage = read(&json!({"importance": "high"})).expect("post");
        assert_eq!(post.importance, parlour_core::message::Importance::High);
        assert!(read::<PostMessage>(&json!({"importance": "huge"})).is_err());
        for other in [json!(1), json!(["high"]), json!({"high": null})] {
            assert!(read::<PostMessage>(&json!({"importance": other})).is_err(), "{other}");
        }
    }
}
