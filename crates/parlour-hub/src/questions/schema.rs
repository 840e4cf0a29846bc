//! JSON Schemas of answers.

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use parlour_core::{Code, Refusal, checkpoint::summary, limits};
use serde_json::{Map, Value};

/// How many broken rules a refusal names.
const PROBLEMS_MAX: usize = 5;
/// Characters of one broken rule in a refusal.
const PROBLEM_CHARS_MAX: usize = 200;

/// A compiled schema of answers.
///
/// A schema comes from anybody who may ask, so it is kept small (see `bounds`), refers to nothing outside of itself, and
/// its patterns run in time linear in the length of the text.
pub(crate) struct AnswerSchema(Validator);

impl AnswerSchema {
    /// Compiles a schema; refuses an unsupported one with the reason.
    pub(crate) fn compile(schema: &Value) -> Result<Self, Refusal> {
        check_bounds(schema)?;
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex().size_limit(limits::ANSWER_PATTERN_BYTES_MAX));
        options.build(schema).map(Self).map_err(|error| {
            let detail = format!("this is no JSON Schema that can be taken: {}", problem(&error));
            Refusal::invalid(detail)
        })
    }

    /// Refuses (`BadAnswer`) a value that does not fit, and names the rules that it breaks and where.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Refusal> {
        if self.0.is_valid(value) {
            return Ok(());
        }
        let problems: Vec<String> = self.0.iter_errors(value).take(PROBLEMS_MAX).map(|error| problem(&error)).collect();
        Err(Refusal::new(Code::BadAnswer, problems.join("; ")))
    }

    /// The first of these values that fits; otherwise why the first one does not.
    pub(crate) fn choose(&self, values: Vec<Value>) -> Result<Value, Refusal> {
        let mut first_problem = None;
        for value in values {
            match self.check(&value) {
                Ok(()) => return Ok(value),
                Err(refusal) => first_problem = first_problem.or(Some(refusal)),
            }
        }
        Err(first_problem.unwrap_or_else(|| Refusal::new(Code::BadAnswer, "there is no value")))
    }
}

/// One broken rule: where it is broken, what is wrong, and the rule by its name.
fn problem(error: &ValidationError<'_>) -> String {
    let path_or_answer = match error.instance_path().as_str() {
        "" => "the answer".to_owned(),
        path => path.to_owned(),
    };
    let (what, rule) = (error.masked_with("it").to_string(), error.kind().keyword());
    summary(&format!("{path_or_answer}: {what} (rule {rule:?})"), PROBLEM_CHARS_MAX)
}

/// The one version of JSON Schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Rules that are not supported.
const UNSUPPORTED: &[&str] =
    &["$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"];
/// Rules that contain one schema, or a list of them.
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
/// Rules that contain schemas by name.
const WITH_NAMED_SCHEMAS: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Refuses a schema that is too large when its references are followed, and rules that are not taken.
fn check_bounds(schema: &Value) -> Result<(), Refusal> {
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
    if let Some(rule) = UNSUPPORTED.iter().find(|rule| rules.contains_key(**rule)) {
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

#[cfg(test)]
mod tests;
