//! What a schema may be made of. Without this a few kilobytes could ask for more steps than anybody can wait for: a
//! reference doubles what stands behind it, and rules about what other rules have left over look at it all again.

use parlour_core::{Refusal, limits};
use serde_json::{Map, Value};

/// The one version of JSON Schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Rules that are not taken.
const UNTAKEN: &[&str] =
    &["$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"];
/// Rules that hold one schema, or a list of them.
const WITH_SCHEMAS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
];
/// Rules that hold schemas by name.
const WITH_NAMED_SCHEMAS: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Refuses a schema that is too large when its references are followed, and rules that are not taken.
pub(super) fn check(schema: &Value) -> Result<(), Refusal> {
    // The rest is looked at step by step and without recursion: it may refer to itself.
    let mut open = vec![(schema, 0)];
    let mut steps = 0;
    while let Some((part, depth)) = open.pop() {
        steps += 1;
        if steps > limits::ANSWER_SCHEMA_PARTS_MAX || depth > limits::ANSWER_SCHEMA_DEPTH_MAX {
            let (parts, deep) = (limits::ANSWER_SCHEMA_PARTS_MAX, limits::ANSWER_SCHEMA_DEPTH_MAX);
            let detail = format!(
                "the schema has more than {parts} parts or is more than {deep} deep when its references are followed; \
                 it may not refer to itself"
            );
            return Err(Refusal::out_of_bounds(detail));
        }
        let Value::Object(rules) = part else { continue };
        check_rules(rules)?;
        let below = children(rules).chain(target(schema, rules)?);
        open.extend(below.map(|child| (child, depth + 1)));
    }
    Ok(())
}

fn check_rules(rules: &Map<String, Value>) -> Result<(), Refusal> {
    if let Some(rule) = UNTAKEN.iter().find(|rule| rules.contains_key(**rule)) {
        return Err(Refusal::invalid(format!("the rule {rule:?} is not taken in the schema of an answer")));
    }
    match rules.get("$schema") {
        None => Ok(()),
        Some(Value::String(dialect)) if dialect.trim_end_matches('#') == DIALECT => Ok(()),
        Some(_) => Err(Refusal::invalid(format!("the schema of an answer is written in {DIALECT}"))),
    }
}

fn children(rules: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let held = WITH_SCHEMAS.iter().filter_map(|rule| rules.get(*rule)).flat_map(|held| match held {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    });
    let named = WITH_NAMED_SCHEMAS.iter().filter_map(|rule| rules.get(*rule)?.as_object()).flat_map(Map::values);
    held.chain(named)
}

/// What a reference refers to.
fn target<'a>(schema: &'a Value, rules: &Map<String, Value>) -> Result<Option<&'a Value>, Refusal> {
    let Some(reference) = rules.get("$ref") else { return Ok(None) };
    let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
    let found = pointer.filter(|pointer| !pointer.contains('%')).and_then(|pointer| schema.pointer(pointer));
    match found {
        Some(found) => Ok(Some(found)),
        None => Err(Refusal::invalid("a \"$ref\" names a part of the same schema, such as \"#/$defs/name\"")),
    }
}
