use serde_json::json;

use super::*;

fn compile(schema: &Value) -> AnswerSchema {
    AnswerSchema::compile(schema).expect("a schema")
}

fn refused(schema: &Value) -> Refusal {
    AnswerSchema::compile(schema).err().expect("refused")
}

#[test]
fn a_broken_rule_is_named_with_its_path() {
    let schema = compile(&json!({"type": "object", "properties": {"days": {"type": "integer", "maximum": 9}}}));
    assert!(schema.check(&json!({"days": 3})).is_ok());
    let refusal = schema.check(&json!({"days": 12})).expect_err("too many");
    assert_eq!(refusal.code, Code::BadAnswer);
    assert_eq!(refusal.detail, "/days: it is greater than the maximum of 9 (rule \"maximum\")");
    let refusal = schema.check(&json!(7)).expect_err("no object");
    assert_eq!(refusal.detail, "the answer: it is not of type \"object\" (rule \"type\")");
}

#[test]
fn at_most_five_broken_rules_are_named_each_on_one_line() {
    let names: Vec<String> = (0..20).map(|number| format!("{}{number}", "long ".repeat(60))).collect();
    let schema = compile(&json!({"type": "object", "required": names}));
    let detail = schema.check(&json!({})).expect_err("all are missing").detail;
    assert_eq!(detail.matches("rule \"required\"").count() + detail.matches('…').count(), 5, "{detail}");
    assert!(detail.len() < 5 * 4 * PROBLEM_CHARS_MAX && !detail.contains('\n'));
}

#[test]
fn the_first_valid_value_is_chosen() {
    let schema = compile(&json!({"type": "string", "minLength": 2}));
    assert_eq!(schema.choose(vec![json!(42), json!("42")]).expect("fits"), json!("42"));
    let refusal = schema.choose(vec![json!(4), json!("4")]).expect_err("neither fits");
    assert!(refusal.detail.contains("not of type"), "{refusal}");
}

#[test]
fn formats_are_validated() {
    let schema = compile(&json!({"type": "string", "format": "date"}));
    assert!(schema.check(&json!("2026-11-16")).is_ok() && schema.check(&json!("tomorrow")).is_err());
}

#[test]
fn references_within_the_schema_are_followed() {
    let schema = compile(&json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"size": {"enum": ["small", "large"]}},
        "properties": {"cup": {"$ref": "#/$defs/size"}},
    }));
    assert!(schema.check(&json!({"cup": "small"})).is_ok());
    assert!(schema.check(&json!({"cup": "huge"})).is_err());
}

#[test]
fn external_references_are_refused() {
    for reference in ["http://127.0.0.1/schema", "file:///etc/passwd", "other.json", "#/nowhere", "#name"] {
        assert_eq!(refused(&json!({"$ref": reference})).code, Code::WrongShape, "{reference}");
    }
    assert_eq!(refused(&json!({"$schema": "http://127.0.0.1/meta"})).code, Code::WrongShape);
    assert_eq!(refused(&json!({"$id": "http://127.0.0.1/", "properties": {}})).code, Code::WrongShape);
}

#[test]
fn a_property_may_have_the_name_of_a_rule() {
    let schema = compile(&json!({"properties": {"$ref": {"type": "string"}, "$id": {"const": {"$ref": "no schema"}}}}));
    assert!(schema.check(&json!({"$ref": "x"})).is_ok() && schema.check(&json!({"$ref": 1})).is_err());
}

#[test]
fn schemas_that_could_grow_without_bounds_are_refused() {
    let doubling = |depth: usize| {
        let mut defs = serde_json::Map::new();
        for level in 0..depth {
            let next = format!("#/$defs/a{}", level + 1);
            defs.insert(format!("a{level}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}));
        }
        defs.insert(format!("a{depth}"), json!({"type": "string"}));
        json!({"$defs": defs, "$ref": "#/$defs/a0"})
    };
    assert!(AnswerSchema::compile(&doubling(3)).is_ok());
    assert_eq!(refused(&doubling(60)).code, Code::OutOfBounds);
    assert_eq!(refused(&json!({"$ref": "#"})).code, Code::OutOfBounds);
    assert_eq!(refused(&json!({"items": {"$ref": "#"}})).code, Code::OutOfBounds);
    let nested = (0..100).fold(json!({}), |inner, _| json!({"not": inner}));
    assert_eq!(refused(&nested).code, Code::OutOfBounds);
    assert_eq!(refused(&json!({"allOf": [{}], "unevaluatedProperties": false})).code, Code::WrongShape);
}

#[test]
fn the_deepest_accepted_schema_needs_little_stack() {
    let deepest = (0..parlour_core::limits::ANSWER_SCHEMA_DEPTH_MAX)
        .fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner]}));
    let answer = (0..100).fold(json!("x"), |inner, _| json!([inner]));
    let on_small_stack = std::thread::Builder::new().stack_size(1024 * 1024);
    let checked = on_small_stack.spawn(move || compile(&deepest).check(&answer).is_err()).expect("a thread");
    assert!(checked.join().expect("no overflow"));
}

#[test]
fn patterns_do_not_backtrack() {
    let schema = compile(&json!({"type": "string", "pattern": "^(a+)+$"}));
    assert!(schema.check(&json!(format!("{}!", "a".repeat(16_000)))).is_err());
    assert_eq!(refused(&json!({"pattern": "(?=a)b"})).code, Code::WrongShape, "looking ahead is no rule for a line");
    assert_eq!(refused(&json!({"pattern": "((a{100}){100}){100}"})).code, Code::WrongShape);
}

#[test]
fn invalid_schemas_are_refused_with_a_readable_text() {
    for schema in [json!("text"), json!(7), json!({"type": "whole number"}), json!({"required": "name"})] {
        let refusal = refused(&schema);
        assert_eq!(refusal.code, Code::WrongShape);
        assert!(refusal.detail.starts_with("this is no JSON Schema"), "{refusal}");
    }
}
