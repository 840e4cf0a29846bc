//! The output of a tool: a JSON object for programs, and the same content as text for a model.

use parlour_core::{CandidateMeaning, Refusal};
use parlour_hub::Failure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::message_format::quoted_names;
use crate::http_error::HttpError;

/// The output of a successful tool call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolOutput {
    pub(super) value: Map<String, Value>,
    /// Contains everything that a model needs to continue: some clients show it nothing else.
    pub(super) text: String,
}

impl ToolOutput {
    /// Panics unless `value` is an object.
    pub(super) fn new(value: Value, text: impl Into<String>) -> Self {
        let Value::Object(value) = value else { unreachable!("tools return objects") };
        Self { value, text: text.into() }
    }
}

/// Converts the output or the failure of a tool into a result of the protocol.
pub(super) fn into_result(output: Result<ToolOutput, Failure>) -> CallToolResult {
    match output {
        Ok(ToolOutput { value, text }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(Value::Object(value));
            result
        }
        Err(failure) => error_result(&HttpError::from(failure)),
    }
}

/// An error result with the code, the cause and the remedy.
fn error_result(http_error: &HttpError) -> CallToolResult {
    if let Some(fault) = http_error.fault() {
        tracing::error!(cause = fault.chain(), "a tool call failed");
    }
    let code = http_error.code();
    let refusal = http_error.refusal();
    let detail =
        refusal.map_or("internal error; the log of the hub contains the cause", |refusal| refusal.detail.as_str());
    let error = json!({
        "code": code.as_str(), "title": code.title(), "detail": detail, "retryable": code.is_retryable(),
        "what_to_do": code.remedy(),
        "field": refusal.and_then(|refusal| refusal.field.as_deref()),
        "candidates": refusal.map(|refusal| refusal.candidates.as_slice()).filter(|candidates| !candidates.is_empty()),
        "retry_after": refusal.and_then(Refusal::retry_after_seconds),
    });
    let mut result = CallToolResult::error(vec![ContentBlock::text(error_text(http_error, detail))]);
    result.structured_content = Some(json!({"error": without_nulls(error)}));
    result
}

fn error_text(http_error: &HttpError, detail: &str) -> String {
    let code = http_error.code();
    let mut text = format!("{}: {} — {detail}", code.as_str(), code.title());
    let Some(refusal) = http_error.refusal() else { return format!("{text}. {}", code.remedy()) };
    if let Some(field) = &refusal.field {
        text += &format!(" ({field})");
    }
    text += &candidates_text(refusal);
    if let Some(seconds) = refusal.retry_after_seconds() {
        text += &format!(" Try again in {seconds} s.");
    }
    format!("{text}\n{}", code.remedy())
}

/// Lists the candidates of a refusal. Only similarly spelled names are presented as guesses.
fn candidates_text(refusal: &Refusal) -> String {
    let names = quoted_names(refusal.candidates.iter().map(String::as_str));
    match refusal.code.candidates() {
        _ if refusal.candidates.is_empty() => String::new(),
        CandidateMeaning::Guesses => format!(". Did you mean: {names}?"),
        CandidateMeaning::Choices => format!(". Possible: {names}."),
        CandidateMeaning::Concerned => format!(". Concerned: {names}."),
        CandidateMeaning::InDetail => ".".to_owned(),
    }
}

/// Removes the fields that are null from an object.
pub(super) fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

#[cfg(test)]
mod tests {
    use parlour_core::Code;
    use parlour_hub::Fault;

    use super::*;

    fn text_of(result: &CallToolResult) -> &str {
        &result.content[0].as_text().expect("a text").text
    }

    #[test]
    fn a_refusal_contains_code_detail_candidates_and_remedy() {
        let refusal = Refusal::new(Code::NotFound, "there is no channel genral").at("channel_id");
        let result = into_result(Err(refusal.proposing(vec!["general".to_owned()]).into()));
        assert_eq!(result.is_error, Some(true));
        let text = text_of(&result);
        assert!(text.starts_with("PARLOUR-N01: Not found — there is no channel genral (channel_id)"));
        assert!(text.contains("Did you mean: \"general\"?") && text.ends_with(Code::NotFound.remedy()), "{text}");
        let error = &result.structured_content.expect("structured")["error"];
        assert_eq!((&error["code"], &error["candidates"][0]), (&json!("PARLOUR-N01"), &json!("general")));
        assert_eq!(error.get("retry_after"), None);
    }

    #[test]
    fn only_similar_names_are_presented_as_guesses() {
        let text = |code: Code, detail: &str, candidates: &[&str]| {
            let candidates = candidates.iter().map(ToString::to_string).collect();
            text_of(&into_result(Err(Refusal::new(code, detail).proposing(candidates).into()))).to_owned()
        };
        for (code, expected) in [
            (Code::UnknownMention, r#"no. Did you mean: "a", "b"?"#),
            (Code::NotFound, r#"no. Did you mean: "a", "b"?"#),
            (Code::AmbiguousMention, r#"no. Possible: "a", "b"."#),
            (Code::BadAnswer, r#"no. Possible: "a", "b"."#),
            (Code::WrongShape, r#"no. Possible: "a", "b"."#),
            (Code::OutOfBounds, r#"no. Possible: "a", "b"."#),
            (Code::WideMention, r#"no. Concerned: "a", "b"."#),
        ] {
            let text = text(code, "no", &["a", "b"]);
            assert!(
                text.contains(expected) && text.contains("Did you mean") == expected.contains("Did you mean"),
                "{text}"
            );
        }
        let small = text(Code::BudgetTooSmall, "9 tokens are too few here: 60 are needed at least", &["60"]);
        assert_eq!(small.matches("60").count(), 1, "{small}");
    }

    #[test]
    fn a_fault_does_not_reveal_its_cause() {
        let result = into_result(Err(Fault::new("append", "disk /secret is full").into()));
        let all = serde_json::to_string(&result).expect("json");
        assert!(all.contains("PARLOUR-S03") && !all.contains("secret"), "{all}");
    }

    #[test]
    fn a_result_contains_the_output_as_text_and_as_object() {
        let result = into_result(Ok(ToolOutput::new(json!({"a": 1}), "one")));
        assert_eq!((text_of(&result), result.is_error), ("one", Some(false)));
        assert_eq!(result.structured_content, Some(json!({"a": 1})));
    }
}
