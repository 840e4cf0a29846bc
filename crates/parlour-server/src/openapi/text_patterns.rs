//! Patterns of text fields: no control characters, and where a text is required, at least one visible character.

use utoipa::openapi::{
    OpenApi, RefOr, Schema,
    schema::{ArrayItems, Components, Object, SchemaType, Type},
};

/// Text without control characters except tabs and line breaks.
const TEXT: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// The same with at least one visible character.
const VISIBLE: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// One line with at least one visible character and without bidirectional control characters.
const LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$";

/// The same, or empty.
const LABEL: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$";

/// Fields with the pattern `LINE`, by type and name.
const LINE_FIELDS: [(&str, &str); 14] = [
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
/// Fields with the pattern `LABEL`.
const LABEL_FIELDS: [(&str, &str); 2] = [("IssueToken", "label"), ("CreateInvite", "label")];
/// Fields with the pattern `VISIBLE`. The body of a post is not one of them: it may be empty when there is a file.
const VISIBLE_FIELDS: [(&str, &str); 8] = [
    ("UpdateMessage", "body"),
    ("StartStep", "name"),
    ("ImportedStep", "name"),
    ("Fail", "reason"),
    ("FinishRun", "failed"),
    ("CancelRun", "reason"),
    ("DeliveryReport", "why"),
    ("AnswerRequest", "text"),
];
/// Types without a pattern: problems quote invalid input, and passwords may contain anything.
const EXCLUDED_TYPES: [&str; 3] = ["Problem", "SignIn", "SetPassword"];

/// Adds a pattern to every text field of the document that has none.
pub(super) fn add_to(document: &mut OpenApi) {
    let Some(Components { schemas, .. }) = &mut document.components else { return };
    for (name, schema) in schemas.iter_mut().filter(|(name, _)| !EXCLUDED_TYPES.contains(&name.as_str())) {
        add_to_schema(schema, name, "");
    }
}

fn add_to_schema(schema: &mut RefOr<Schema>, owner: &str, field: &str) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => add_to_object(object, owner, field),
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                add_to_schema(items, owner, field);
            }
        }
        Schema::OneOf(choice) => choice.items.iter_mut().for_each(|item| add_to_schema(item, owner, field)),
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(|item| add_to_schema(item, owner, field)),
        Schema::AnyOf(choice) => choice.items.iter_mut().for_each(|item| add_to_schema(item, owner, field)),
        _ => {}
    }
}

fn add_to_object(object: &mut Object, owner: &str, field: &str) {
    if is_free_text(object) {
        object.pattern = Some(pattern_of(owner, field).to_owned());
    }
    for (name, property) in &mut object.properties {
        add_to_schema(property, owner, name);
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

fn pattern_of(owner: &str, field: &str) -> &'static str {
    if LINE_FIELDS.contains(&(owner, field)) {
        LINE
    } else if LABEL_FIELDS.contains(&(owner, field)) {
        LABEL
    } else if VISIBLE_FIELDS.contains(&(owner, field)) {
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
    fn text_fields_have_the_pattern_of_their_table() {
        assert_eq!(pattern("PostMessage/properties/body"), super::TEXT);
        assert_eq!(pattern("UpdateMessage/properties/body"), super::VISIBLE);
        assert_eq!(pattern("CreateTask/properties/title"), super::LINE);
        assert_eq!(pattern("IssueToken/properties/label"), super::LABEL);
    }

    #[test]
    fn existing_patterns_and_excluded_types_are_unchanged() {
        assert!(pattern("MessageId").as_str().is_some_and(|pattern| pattern.starts_with("^msg_")));
        assert_eq!(pattern("Problem/properties/detail"), Value::Null);
        assert_eq!(pattern("SetPassword/properties/current"), Value::Null);
    }
}
