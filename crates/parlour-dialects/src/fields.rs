//! Access to the fields of a foreign object. A refusal names the field.

use parlour_core::{Refusal, Timestamp};
use serde_json::{Map, Value};

use crate::json::{self, Json};

/// The fields of an object that are not taken yet. `null` counts as absent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Takes an object; `what` names it in the refusal, for example `a TKR message`.
    pub(crate) fn of(value: Value, what: &str) -> Result<Self, Refusal> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(Refusal::invalid(format!("{what} must be an object, not {}", Json::of(&other).type_name()))),
        }
    }

    /// Returns a field without taking it; `null` counts as present.
    pub(crate) fn peek(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn take_non_null(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a string", &other)),
        }
    }

    pub(crate) fn required_text(&mut self, name: &str) -> Result<String, Refusal> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Value::Bool(boolean)) => Ok(Some(boolean)),
            Some(other) => Err(wrong_type(name, "a boolean", &other)),
        }
    }

    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| wrong_type(name, "a non-negative integer", &value)),
        }
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, Refusal> {
        match self.take_non_null(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(wrong_type(name, "an object", &other)),
        }
    }

    /// The fields that were not taken.
    pub(crate) fn rest(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Map<String, Value>> for Fields {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

pub(crate) fn missing(name: &str) -> Refusal {
    Refusal::invalid("this field is required").at(name)
}

/// The refusal of a field of the wrong type.
pub(crate) fn wrong_type(name: &str, expected: &str, found: &Value) -> Refusal {
    json::wrong_type(name, expected, &Json::of(found))
}

/// Parses an RFC 3339 time.
pub(crate) fn parse_time(name: &str, text: &str) -> Result<Timestamp, Refusal> {
    text.parse().map_err(|refusal: Refusal| refusal.at(name))
}
