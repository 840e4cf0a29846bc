//! JSON, read strictly in two steps, for bodies and for frames alike.

use parlour_core::{Code, Refusal};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{shape, strict_json, value_reader::ValueReader};

/// Reads bytes that are exactly one JSON value within the bounds.
pub(crate) fn read_value(bytes: &[u8]) -> Result<Value, Refusal> {
    let text = strict_json::check(bytes)?;
    serde_json::from_str(text).map_err(|error| Refusal::new(Code::MalformedJson, error.to_string()))
}

/// Reads a value as what the contract says; a refusal names the field.
pub(crate) fn read_as<T: DeserializeOwned>(value: &Value) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(ValueReader(value))
        .map_err(|error| shape::refuse(&error.path().to_string(), &error.inner().to_string()))
}
