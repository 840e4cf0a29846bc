//! What the hub takes as a text, said of every text field in one place: no control characters, and where a text has
//! to say something, at least one visible sign.

use utoipa::openapi::{
    OpenApi, RefOr, Schema,
    schema::{ArrayItems, Components, Object, SchemaType, Type},
};

/// Any text without control characters; tabs and line breaks may stand in it.
const TEXT: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// The same with something to see.
const VISIBLE: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// The same on one line, without signs that turn the direction of reading.
const LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$";

/// The same, or nothing at all.
const LABEL: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$";

/// Texts that are a single visible line, by type and field.
const LINES: [(&str, &str); 14] = [
    ("CapabilityText", ""),
    ("CreateTask", "title"),
    ("UpdateTask", "title"),
    ("IssueToken", "issuer"),
    ("IssueToken", "subject"),
    ("Engine", "model"),
    ("Usage", "model"),
    ("AnswerOption", "id"),
    ("AnswerOption", "label"),
    ("StartRun", "label"),
    ("ForeignAuthor", "name"),
    ("ContextRequest", "model"),
    ("ContextRequest", "command"),
    ("AgentContext", "model"),
];
/// Texts that are a single line or empty.
const LABELS: [(&str, &str); 2] = [("IssueToken", "label"), ("CreateInvite", "label")];
/// Bodies that must say something; a post may instead carry a file.
const SPEAKING: [(&str, &str); 8] = [
    ("UpdateMessage", "body"),
    ("StartStep", "name"),
    ("ImportedStep", "name"),
    ("Fail", "reason"),
    ("FinishRun", "failed"),
    ("CancelRun", "reason"),
    ("DeliveryReport", "why"),
    ("AnswerRequest", "text"),
];
/// Problems may quote what was wrong, and a password is whatever its owner has typed.
const EXCEPT: [&str; 3] = ["Problem", "SignIn", "SetPassword"];

/// Adds the rule to every text of the document that has no narrower one.
pub(super) fn describe(document: &mut OpenApi) {
    let Some(Components { schemas, .. }) = &mut document.components else { return };
    for (name, schema) in schemas.iter_mut().filter(|(name, _)| !EXCEPT.contains(&name.as_str())) {
        describe_schema(schema, name, "");
    }
}

fn describe_schema(schema: &mut RefOr<Schema>, owner: &str, field: &str) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => describe_object(object, owner, field),
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                describe_schema(items, owner, field);
            }
        }
        Schema::OneOf(choice) => choice.items.iter_mut().for_each(|item| describe_schema(item, owner, field)),
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(|item| describe_schema(item, owner, field)),
        Schema::AnyOf(choice) => choice.items.iter_mut().for_each(|item| describe_schema(item, owner, field)),
        _ => {}
    }
}

fn describe_object(object: &mut Object, owner: &str, field: &str) {
    if is_free_text(object) {
        object.pattern = Some(rule(owner, field).to_owned());
    }
    for (name, property) in &mut object.properties {
        describe_schema(property, owner, name);
    }
}

fn is_free_text(object: &Object) -> bool {
    let is_text = match &object.schema_type {
        SchemaType::Type(only) => *only == Type::String,
        SchemaType::Array(several) => several.contains(&Type::String),
        SchemaType::AnyValue => false,
    };
    is_text && object.pattern.is_none() && object.format.is_none() && object.enum_values.is_none()
}

fn rule(owner: &str, field: &str) -> &'static str {
    if LINES.contains(&(owner, field)) {
        LINE
    } else if LABELS.contains(&(owner, field)) {
        LABEL
    } else if SPEAKING.contains(&(owner, field)) {
        VISIBLE
    } else {
        TEXT
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    fn pattern(path: &str) -> Value {
        let document = serde_json::to_value(crate::openapi()).expect("json");
        document.pointer(&format!("/components/schemas/{path}/pattern")).cloned().unwrap_or_default()
    }

    #[test]
    fn texts_say_that_they_hold_no_control_characters() {
        assert_eq!(pattern("PostMessage/properties/body"), super::TEXT);
        assert_eq!(pattern("UpdateMessage/properties/body"), super::VISIBLE);
        assert_eq!(pattern("CreateTask/properties/title"), super::LINE);
        assert_eq!(pattern("IssueToken/properties/label"), super::LABEL);
    }

    #[test]
    fn narrower_rules_and_problems_stay() {
        assert!(pattern("MessageId").as_str().is_some_and(|pattern| pattern.starts_with("^msg_")));
        assert_eq!(pattern("Problem/properties/detail"), Value::Null);
        assert_eq!(pattern("SetPassword/properties/current"), Value::Null);
    }
}
