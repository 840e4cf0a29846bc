//! What a tool answers: something for programs, and the same in words for a model.

use parlour_core::{Candidates, Refusal};
use parlour_hub::Failure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::http_error::HttpError;

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The answer as an object.
    pub(super) value: Map<String, Value>,
    /// The same in words. It holds all that is needed to go on: some clients show a model nothing else.
    pub(super) text: String,
}

impl Outcome {
    /// An answer; `value` is an object.
    pub(super) fn new(value: Value, text: impl Into<String>) -> Self {
        let Value::Object(value) = value else { unreachable!("tools answer objects") };
        Self { value, text: text.into() }
    }
}

/// The result of a tool as the protocol has it.
pub(super) fn result(outcome: Result<Outcome, Failure>) -> CallToolResult {
    match outcome {
        Ok(Outcome { value, text }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(Value::Object(value));
            result
        }
        Err(failure) => refused(&HttpError::from(failure)),
    }
}

/// An error of a tool, which the model can read: the stable code, what was wrong, and what to do.
fn refused(http_error: &HttpError) -> CallToolResult {
    if let Some(fault) = http_error.fault() {
        tracing::error!(cause = fault.chain(), "a tool met a fault");
    }
    let code = http_error.code();
    let refusal = http_error.refusal();
    let detail = refusal.map_or("the hub met a fault; its log has the cause", |refusal| refusal.detail.as_str());
    let error = json!({
        "code": code.as_str(), "title": code.title(), "detail": detail, "retryable": code.is_retryable(),
        "what_to_do": code.remedy(),
        "field": refusal.and_then(|refusal| refusal.field.as_deref()),
        "candidates": refusal.map(|refusal| refusal.candidates.as_slice()).filter(|known| !known.is_empty()),
        "retry_after": refusal.and_then(Refusal::retry_after_seconds),
    });
    let mut result = CallToolResult::error(vec![ContentBlock::text(in_words(http_error, detail))]);
    result.structured_content = Some(json!({"error": without_nulls(error)}));
    result
}

fn in_words(http_error: &HttpError, detail: &str) -> String {
    let code = http_error.code();
    let mut text = format!("{}: {} — {detail}", code.as_str(), code.title());
    let Some(refusal) = http_error.refusal() else { return format!("{text}. {}", code.remedy()) };
    if let Some(field) = &refusal.field {
        text += &format!(" ({field})");
    }
    text += &candidates_in_words(refusal);
    if let Some(seconds) = refusal.retry_after_seconds() {
        text += &format!(" Try again in {seconds} s.");
    }
    format!("{text}\n{}", code.remedy())
}

/// What the candidates are, with their names: a guess is only what is spelled like what was asked.
fn candidates_in_words(refusal: &Refusal) -> String {
    let names = refusal.candidates.join(", ");
    match refusal.code.candidates() {
        _ if refusal.candidates.is_empty() => String::new(),
        Candidates::Guesses => format!(". Did you mean: {names}?"),
        Candidates::Choices => format!(". Possible: {names}."),
        Candidates::Concerned => format!(". Concerned: {names}."),
        Candidates::Told => ".".to_owned(),
    }
}

/// The same object without fields that say nothing.
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
    fn a_refusal_says_what_was_wrong_and_what_to_do() {
        let refusal = Refusal::new(Code::NotFound, "there is no channel genral").at("channel_id");
        let result = result(Err(refusal.proposing(vec!["general".to_owned()]).into()));
        assert_eq!(result.is_error, Some(true));
        let text = text_of(&result);
        assert!(text.starts_with("PARLOUR-N01: There is no such thing here — there is no channel genral (channel_id)"));
        assert!(text.contains("Did you mean: general?") && text.ends_with(Code::NotFound.remedy()), "{text}");
        let error = &result.structured_content.expect("structured")["error"];
        assert_eq!((&error["code"], &error["candidates"][0]), (&json!("PARLOUR-N01"), &json!("general")));
        assert_eq!(error.get("retry_after"), None);
    }

    #[test]
    fn only_what_is_spelled_alike_is_taken_for_what_was_meant() {
        let words = |code: Code, detail: &str, candidates: &[&str]| {
            let candidates = candidates.iter().map(ToString::to_string).collect();
            text_of(&result(Err(Refusal::new(code, detail).proposing(candidates).into()))).to_owned()
        };
        for (code, told) in [
            (Code::UnknownMention, "no. Did you mean: a, b?"),
            (Code::NotFound, "no. Did you mean: a, b?"),
            (Code::AmbiguousMention, "no. Possible: a, b."),
            (Code::BadAnswer, "no. Possible: a, b."),
            (Code::WrongShape, "no. Possible: a, b."),
            (Code::OutOfBounds, "no. Possible: a, b."),
            (Code::WideMention, "no. Concerned: a, b."),
        ] {
            let text = words(code, "no", &["a", "b"]);
            assert!(text.contains(told) && text.contains("Did you mean") == told.contains("Did you mean"), "{text}");
        }
        let small = words(Code::BudgetTooSmall, "9 tokens are too few here: 60 are needed at least", &["60"]);
        assert_eq!(small.matches("60").count(), 1, "{small}");
    }

    #[test]
    fn a_fault_tells_nothing_of_its_cause() {
        let result = result(Err(Fault::new("append", "disk /secret is full").into()));
        let all = serde_json::to_string(&result).expect("json");
        assert!(all.contains("PARLOUR-S03") && !all.contains("secret"), "{all}");
    }

    #[test]
    fn an_answer_has_both_of_its_forms() {
        let result = result(Ok(Outcome::new(json!({"a": 1}), "one")));
        assert_eq!((text_of(&result), result.is_error), ("one", Some(false)));
        assert_eq!(result.structured_content, Some(json!({"a": 1})));
    }
}
