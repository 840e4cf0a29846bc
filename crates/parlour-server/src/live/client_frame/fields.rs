//! The fields of a frame, taken one by one until none is left.

use parlour_core::{Code, Refusal};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::extract::{cut, json};

/// The fields of a frame that were not taken yet.
pub(super) struct Fields {
    left: Map<String, Value>,
    /// What was asked for so far: the fields that exist.
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn new(left: Map<String, Value>) -> Self {
        Self { left, known: Vec::new() }
    }

    /// A field that must be there.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, Refusal> {
        self.known.push(name);
        match self.left.remove(name) {
            Some(value) => json::read_as(&value).map_err(|refusal| refusal.at(name)),
            None => Err(Refusal::invalid(format!("missing field `{name}`")).at(name)),
        }
    }

    /// A field that may be left out or null.
    pub(super) fn take_optional<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, Refusal> {
        self.known.push(name);
        let value = self.left.remove(name).unwrap_or_default();
        json::read_as(&value).map_err(|refusal| refusal.at(name))
    }

    /// A field that must be there, and is the last.
    pub(super) fn take_last<T: DeserializeOwned>(mut self, name: &'static str) -> Result<T, Refusal> {
        let value = self.take(name)?;
        self.end()?;
        Ok(value)
    }

    /// All other fields as one thing.
    pub(super) fn rest<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        json::read_as(&Value::Object(self.left))
    }

    /// Refuses what was not asked for.
    pub(super) fn end(self) -> Result<(), Refusal> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let known = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let detail = format!("unknown field `{}`, expected one of {known}", cut(name));
        Err(Refusal::new(Code::UnknownField, detail).at(&cut(name)))
    }
}
