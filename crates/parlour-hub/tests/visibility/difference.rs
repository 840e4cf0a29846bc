use serde_json::Value;

/// The path of the first difference of two answers, with both values; `None` if they are equal.
pub(crate) fn difference(one: &Value, other: &Value) -> Option<String> {
    let none = Value::Null;
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => fields.keys().chain(others.keys()).find_map(|key| {
            let found = difference(fields.get(key).unwrap_or(&none), others.get(key).unwrap_or(&none))?;
            Some(format!(".{key}{found}"))
        }),
        (Value::Array(items), Value::Array(others)) => (0..items.len().max(others.len())).find_map(|index| {
            let found = difference(items.get(index).unwrap_or(&none), others.get(index).unwrap_or(&none))?;
            Some(format!("[{index}]{found}"))
        }),
        _ => (one != other).then(|| format!(": {one} where nothing is hidden: {other}")),
    }
}

#[test]
fn the_first_difference_is_reported_with_its_path() {
    use serde_json::json;
    let one = json!({"items": [{"id": 1}, {"id": 2}]});
    assert_eq!(difference(&one, &one), None);
    let other = json!({"items": [{"id": 1}, {"id": 3}]});
    assert_eq!(difference(&one, &other).as_deref(), Some(".items[1].id: 2 where nothing is hidden: 3"));
    assert!(difference(&one, &json!({"items": [{"id": 1}]})).is_some_and(|found| found.starts_with(".items[1]")));
    assert!(difference(&one, &json!({})).is_some());
}
