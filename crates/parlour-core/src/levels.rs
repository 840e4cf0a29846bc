//! How deep a JSON value goes.

use serde_json::Value;

/// The levels of lists and objects in a value. The recursion is as deep as the value, and its parser bounds that.
pub fn levels_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels_of).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels_of).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_objects_are_levels_and_what_they_hold_is_not() {
        for (value, levels) in
            [(json!("text"), 0), (json!([]), 1), (json!({"a": 1}), 1), (json!({"a": [{}, 2], "b": []}), 3)]
        {
            assert_eq!(levels_of(&value), levels, "{value}");
        }
    }
}
