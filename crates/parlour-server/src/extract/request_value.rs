//! The serde deserialiser of request values: JSON values of bodies and frames, and texts of query parameters.
//!
//! It is stricter than the derived defaults. An array is not accepted in place of an object, and an object not in place of
//! an enum. In JSON a whole number may have a zero fraction (`5.0`), as in JSON Schema. The text of a query parameter is
//! read as the type that the target asks for: text, whole number, `true` or `false`, or the name of an enum value.

use serde::{
    Deserializer,
    de::{
        Error as _, IntoDeserializer, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, Number, Value};

/// One value of a request.
#[derive(Clone, Copy)]
pub(super) enum RequestValue<'de> {
    Json(&'de Value),
    /// The decoded text of a query parameter.
    Query(&'de str),
}

/// Above this limit neighbouring integers have the same float.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

impl<'de> RequestValue<'de> {
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Json(Value::Number(number)) => visit_number(&whole(number), visitor),
            Self::Json(_) => self.deserialize_any(visitor),
            Self::Query(text) => visitor.visit_u64(parse_whole_number(text)?),
        }
    }

    fn unexpected(self) -> Unexpected<'de> {
        match self {
            Self::Json(Value::Null) => Unexpected::Unit,
            Self::Json(Value::Bool(value)) => Unexpected::Bool(*value),
            Self::Json(Value::Number(_)) => Unexpected::Other("number"),
            Self::Json(Value::String(text)) => Unexpected::Str(text),
            Self::Json(Value::Array(_)) => Unexpected::Seq,
            Self::Json(Value::Object(_)) => Unexpected::Map,
            Self::Query(text) => Unexpected::Str(text),
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

/// Accepts digits only: `u64::from_str` would accept a sign.
fn parse_whole_number(text: &str) -> Result<u64, Error> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| Error::custom(format!("{text:?} is not a whole number")))
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(number), _, _) => visitor.visit_u64(number),
        (_, Some(number), _) => visitor.visit_i64(number),
        (_, _, Some(number)) => visitor.visit_f64(number),
        _ => Err(Error::custom("this number is out of range")),
    }
}

impl<'de> IntoDeserializer<'de, Error> for RequestValue<'de> {
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

impl<'de> Deserializer<'de> for RequestValue<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Json(Value::Null) => visitor.visit_unit(),
            Self::Json(Value::Bool(value)) => visitor.visit_bool(*value),
            Self::Json(Value::Number(number)) => visit_number(number, visitor),
            Self::Json(Value::String(text)) => visitor.visit_borrowed_str(text),
            Self::Json(Value::Array(items)) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Self::Json))),
            Self::Json(Value::Object(fields)) => {
                let fields = fields.iter().map(|(key, value)| (key.as_str(), Self::Json(value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
            Self::Query(text) => visitor.visit_borrowed_str(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Json(Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Query("true") => visitor.visit_bool(true),
            Self::Query("false") => visitor.visit_bool(false),
            Self::Query(other) => Err(Error::custom(format!("{other:?} is neither true nor false"))),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Json(Value::Object(_)) => self.deserialize_any(visitor),
            _ => Err(Error::invalid_type(self.unexpected(), &"an object")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Json(Value::String(text)) => StrDeserializer::new(text).deserialize_enum(name, variants, visitor),
            Self::Query(text) => StrDeserializer::new(text).deserialize_enum(name, variants, visitor),
            // serde would also accept an object with the variant as its key.
            Self::Json(_) => Err(Error::invalid_type(self.unexpected(), &"a text")),
        }
    }

    read_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
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
        T::deserialize(RequestValue::Json(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_array_is_not_accepted_as_an_object_at_any_level() {
        let refused = read::<PostMessage>(&json!([])).expect_err("array");
        assert!(refused.contains("expected an object"), "{refused}");
        assert!(read::<Policy>(&json!({"retention": [null, null]})).is_err());
        assert!(read::<PostMessage>(&json!("text")).is_err());
    }

    #[test]
    fn whole_numbers_may_have_a_zero_fraction() {
        let read_depth = |depth: Value| read::<Policy>(&json!({"loop_limits": {"response_depth_max": depth}}));
        assert_eq!(read_depth(json!(5.0)).expect("whole").loop_limits.response_depth_max, 5);
        for depth in [json!(5.5), json!(-1), json!(-1.0), json!(1e300), json!("5"), json!(true), json!(null)] {
            assert!(read_depth(depth.clone()).is_err(), "{depth}");
        }
    }

    #[test]
    fn values_of_free_fields_are_unchanged() {
        let content = json!({"a": [1, -2, 3.0, 4.5, "x", null, true, {"b": []}]});
        let post: PostMessage = read(&json!({"content": content})).expect("post");
        assert_eq!(post.content, Some(content));
    }

    #[test]
    fn enum_values_are_read_from_their_names_only() {
        let post: PostMessage = read(&json!({"importance": "high"})).expect("post");
        assert_eq!(post.importance, parlour_core::message::Importance::High);
        assert!(read::<PostMessage>(&json!({"importance": "huge"})).is_err());
        for other in [json!(1), json!(["high"]), json!({"high": null})] {
            assert!(read::<PostMessage>(&json!({"importance": other})).is_err(), "{other}");
        }
    }
}
