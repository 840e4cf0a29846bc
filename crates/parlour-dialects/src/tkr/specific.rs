//! The fields that only messages of certain types have, beside the task of an update.

use parlour_core::Refusal;

use crate::json::{Json, wrong};

/// What such a field holds.
pub(super) enum FieldType {
    Text,
    Flag,
    Texts,
    Anything,
}

impl FieldType {
    /// The sort for the field of this standard name, if there is such a field.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "context_id" | "status" | "action" | "error_code" | "severity" => Self::Text,
            "recoverable" => Self::Flag,
            "target_agents" => Self::Texts,
            "context_data" | "result" | "error_details" => Self::Anything,
            _ => return None,
        })
    }

    /// Refuses a value of another sort; `name` is where it stood.
    pub(super) fn check(&self, name: &str, value: &Json<'_>) -> Result<(), Refusal> {
        match (self, value) {
            (Self::Text, Json::Text(_)) | (Self::Flag, Json::Bool(_)) | (Self::Anything, _) => Ok(()),
            (Self::Texts, Json::List(items)) => check_texts(name, items),
            (Self::Text, _) => Err(wrong(name, "a text", value)),
            (Self::Flag, _) => Err(wrong(name, "true or false", value)),
            (Self::Texts, _) => Err(wrong(name, "a list of texts", value)),
        }
    }
}

fn check_texts(name: &str, items: &[Json<'_>]) -> Result<(), Refusal> {
    match items.iter().position(|item| item.as_str().is_none()) {
        Some(place) => Err(wrong(&format!("{name}[{place}]"), "a text", &items[place])),
        None => Ok(()),
    }
}

/// Whether the field of this name belongs to certain types.
pub(super) fn is_specific(name: &str) -> bool {
    FieldType::of(name).is_some()
}

/// Whether this is a value for a field that belongs to certain types.
pub(super) fn is_right(name: &str, value: &Json<'_>) -> bool {
    !value.is_null() && FieldType::of(name).is_some_and(|sort| sort.check(name, value).is_ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(name: &str, value: Value) -> bool {
        is_right(name, &Json::from(value))
    }

    #[test]
    fn each_field_takes_its_own_sort_of_value() {
        assert!(check("status", json!("done")) && !check("status", json!(5)));
        assert!(check("recoverable", json!(false)) && !check("recoverable", json!("no")));
        assert!(check("target_agents", json!(["a"])) && !check("target_agents", json!(["a", 1])));
        assert!(check("result", json!([1])) && !check("result", json!(null)));
        assert!(!check("content", json!("a text")), "messages of every type have it");
    }
}
