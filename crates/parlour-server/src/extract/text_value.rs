//! A text of a query, read as whatever the parameter is: a text, a number, a choice, a yes or no.

use std::fmt;

use serde::{
    Deserializer,
    de::{self, IntoDeserializer, Visitor, value::StringDeserializer},
    forward_to_deserialize_any,
};

/// The reader of one value.
pub(super) struct TextValue(pub(super) String);

/// Why a value was not taken, in words for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextError(pub(super) String);

impl fmt::Display for TextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}

impl de::Error for TextError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self(text.to_string())
    }
}

impl IntoDeserializer<'_, TextError> for TextValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl TextValue {
    /// Digits only: the reader of the language would take a sign before them too.
    fn whole_number(&self) -> Result<u64, TextError> {
        let digits = Some(&self.0).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| TextError(format!("{:?} is no whole number", self.0)))
    }
}

impl<'de> Deserializer<'de> for TextValue {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    /// Two words and no others: whatever else might mean yes was not meant by everybody.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.0.as_str() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => Err(TextError(format!("{other:?} is neither true nor false"))),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_u64(self.whole_number()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        let text: StringDeserializer<TextError> = self.0.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
