//! Reading the fields of a foreign object: each is taken out once, and what is wrong is said with its name.

use parlour_core::{Refusal, Timestamp};
use serde_json::{Map, Value};

/// The fields of an object that were not read yet. `null` counts as absent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Takes an object; `what` names it in the refusal of anything else, for example `a TKR message`.
    pub(crate) fn of(value: Value, what: &str) -> Result<Self, Refusal> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(Refusal::invalid(format!("{what} is an object; this is {}", sort_of(&other)))),
        }
    }

    /// Looks at a field without taking it out; here `null` is there.
    pub(crate) fn peek(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn any(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    pub(crate) fn required_text(&mut self, name: &str) -> Result<String, Refusal> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::Bool(is_so)) => Ok(Some(is_so)),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>, Refusal> {
        match self.any(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| wrong(name, "a whole number from 0", &value)),
        }
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, Refusal> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(wrong(name, "an object", &other)),
        }
    }

    /// What was not read.
    pub(crate) fn rest(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Map<String, Value>> for Fields {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

/// A required field is not there.
pub(crate) fn missing(name: &str) -> Refusal {
    Refusal::invalid("this field is required").at(name)
}

/// A field holds something of another sort.
pub(crate) fn wrong(name: &str, wanted: &str, found: &Value) -> Refusal {
    Refusal::invalid(format!("this must be {wanted}, and it is {}", sort_of(found))).at(name)
}

/// A time as RFC 3339.
pub(crate) fn time(name: &str, text: &str) -> Result<Timestamp, Refusal> {
    text.parse().map_err(|refusal: Refusal| refusal.at(name))
}

pub(crate) fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
