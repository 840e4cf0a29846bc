use super::*;
use proptest::prelude::*;

use crate::engines::models::{ModelSettings, Secret, settings::Interface};

#[test]
fn a_message_becomes_one_line() {
    assert_eq!(line("a\r\n  b\u{1b}[31m\tc\u{202e}d\u{2028}e", None), "a b [31m c d e");
}

#[test]
fn a_long_message_is_cut() {
    let cut = line(&"ä".repeat(10_000), None);
    assert_eq!(cut.chars().count(), WORDS_CHARS_MAX);
    assert!(cut.ends_with('…'));
}

#[test]
fn a_key_is_hidden_in_whole_and_in_part() {
    let key = Secret::new("abcdef-0123456789");
    let said = "Incorrect key: abcdef-0123456789. Or \"abcdef-01*****789\", or 'abcdef-0', sk-proj-1, AIzaX, x***y!";
    assert_eq!(line(said, Some(&key)), "Incorrect key: (hidden). Or (hidden) or (hidden) (hidden) (hidden) (hidden)");
}

#[test]
fn the_names_of_models_are_no_keys() {
    let said = "model claude-sonnet-4-5-20250929 not found, try gpt-5-mini-2026-01-01";
    assert_eq!(line(said, Some(&Secret::new("qrstuv123456"))), said);
}

#[test]
fn a_text_keeps_its_lines_and_loses_control_characters() {
    assert_eq!(text("a\n\tb\0\u{1b}c\u{85}"), "a\n\tbc");
}

proptest! {
    #[test]
    fn no_shown_message_contains_the_key(before in "\\PC{0,20}", after in "\\PC{0,20}", key in "[A-Za-z0-9_-]{8,40}") {
        let said = format!("{before}{key}{after}");
        prop_assert!(!line(&said, Some(&Secret::new(&key))).contains(&key));
    }
}
fn asked(interface: Interface, key: Option<&str>) -> CheckedSettings {
    let key = key.map(Secret::new);
    let base_url = "http://127.0.0.1:11434".into();
    CheckedSettings::of(ModelSettings { base_url, key, ..ModelSettings::new(interface, "small") }).expect("settings")
}

fn describe(failure: &ModelFailure) -> String {
    failure.describe(&asked(Interface::OpenAi, Some("abcdef-123")))
}

fn refused(status: u16, message: &str) -> ModelFailure {
    ModelFailure::Refused(ProviderError { status: Some(status), message: message.into(), ..ProviderError::default() })
}

#[test]
fn the_error_of_an_invalid_key_does_not_contain_the_key() {
    let text = describe(&refused(401, "Incorrect API key provided: abcdef-123"));
    assert_eq!(text, "the provider refused the key (401): Incorrect API key provided: (hidden)");
    let missing = refused(401, "").describe(&asked(Interface::OpenAi, None));
    assert_eq!(missing, "the provider requires a key, and none is set (401)");
}

#[test]
fn every_provider_error_names_its_cause() {
    for (status, message, words) in [
        (404, "model not found", "has no model small"),
        (400, "maximum context length", "too long for the model small"),
        (402, "", "no credit left"),
        (429, "", "too many requests"),
        (529, "", "overloaded"),
        (500, "oops", "an internal error (500): oops"),
        (307, "", "another URL, which is not followed"),
        (422, "bad", "refused the request (422): bad"),
    ] {
        let text = describe(&refused(status, message));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn the_error_contains_the_requested_wait() {
    let slow = ProviderError { status: Some(429), wait_ms: Some(90_000), ..ProviderError::default() };
    assert!(describe(&ModelFailure::Refused(slow)).ends_with("; it requests a wait of 90 s"));
}

#[test]
fn a_cut_answer_names_its_limit_where_it_is_known() {
    let cut = ModelFailure::Ended(FinishReason::Length);
    assert_eq!(describe(&cut), "the answer is cut at the token limit of the provider");
    let known = cut.describe(&asked(Interface::Anthropic, None));
    assert_eq!(known, "the answer is cut at its limit of 8192 tokens");
}

#[test]
fn every_other_failure_has_its_text() {
    let minute = Duration::from_secs(60);
    for (failure, words) in [
        (ModelFailure::Stopped, "the answer was stopped"),
        (ModelFailure::Unreachable, "the provider at 127.0.0.1:11434 cannot be reached"),
        (ModelFailure::HungUp, "the provider at 127.0.0.1:11434 closed the connection without an answer"),
        (
            ModelFailure::Untrusted(TlsFailure::OtherName),
            "no secure connection to the provider at 127.0.0.1:11434: its",
        ),
        (ModelFailure::Slow(WaitPhase::FirstByte, minute), "sent nothing for 60 s"),
        (
            ModelFailure::Slow(WaitPhase::Piece, minute),
            "the answer is cut: the provider at 127.0.0.1:11434 sent nothing",
        ),
        (ModelFailure::Slow(WaitPhase::Whole, minute), "longer than the limit of 60 s"),
        (ModelFailure::NoStream("text/html".into()), "answered with text/html instead"),
        (ModelFailure::Packed("gzip".into()), "a compressed answer (gzip)"),
        (SseError::TooLong.into(), "an event is too large"),
        (SseError::NotUtf8.into(), "is not UTF-8"),
        (NotJson.into(), "is not JSON"),
        (ModelFailure::Cut, "the answer is cut: the connection"),
        (ModelFailure::Endless, "is too large"),
        (ModelFailure::Ended(FinishReason::Full), "too long for the model small"),
        (ModelFailure::Ended(FinishReason::Filtered("SAFETY".into())), "stopped the answer (SAFETY)"),
        (ModelFailure::Ended(FinishReason::Refused), "the model refused to answer"),
        (ModelFailure::Ended(FinishReason::Other("abort".into())), "ended the answer early (abort)"),
        (ModelFailure::Declined("I cannot\nhelp".into()), "refused to answer: I cannot help"),
        (ModelFailure::Empty, "returned an empty answer"),
    ] {
        let text = describe(&failure);
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_failure_after_shown_text_states_that_the_answer_is_cut() {
    let midway = |failure| describe(&ModelFailure::Midway(Box::new(failure)));
    assert_eq!(midway(refused(529, "")), "the answer is cut: the provider is overloaded (529)");
    assert_eq!(midway(ModelFailure::Cut), describe(&ModelFailure::Cut));
    assert_eq!(midway(ModelFailure::Stopped), "the answer was stopped");
}

fn kind(status: u16, body: &str) -> ProviderErrorKind {
    ProviderError { status: Some(status), ..parse_error(body.as_bytes()) }.kind()
}

#[test]
fn common_errors_are_classified() {
    let message = |text: &str| format!(r#"{{"error":{{"message":"{text}"}}}}"#);
    for (status, text, expected) in [
        (401, "no", ProviderErrorKind::Key),
        (403, "no", ProviderErrorKind::Key),
        (400, "API key not valid. Please pass a valid API key.", ProviderErrorKind::Key),
        (404, "no such model", ProviderErrorKind::Model),
        (400, "This model's maximum context length is 8192 tokens", ProviderErrorKind::Length),
        (400, "prompt is too long: 210000 tokens", ProviderErrorKind::Length),
        (413, "big", ProviderErrorKind::Length),
        (429, "slow down", ProviderErrorKind::Rate),
        (400, "Your credit balance is too low", ProviderErrorKind::Quota),
        (402, "pay", ProviderErrorKind::Quota),
        (503, "busy", ProviderErrorKind::Load),
        (529, "busy", ProviderErrorKind::Load),
        (500, "oops", ProviderErrorKind::Fault),
        (302, "", ProviderErrorKind::Redirect),
        (400, "bad field", ProviderErrorKind::Request),
    ] {
        assert_eq!(kind(status, &message(text)), expected, "{status} {text}");
    }
}

#[test]
fn missing_credit_is_not_a_rate_limit() {
    let body = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert_eq!(kind(429, body), ProviderErrorKind::Quota);
    let gemini =
        r#"{"error":{"code":429,"message":"Check your plan and billing details","status":"RESOURCE_EXHAUSTED"}}"#;
    assert_eq!(kind(429, gemini), ProviderErrorKind::Rate);
}

#[test]
fn only_transient_errors_are_retried() {
    for (status, is_transient) in [
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (502, true),
        (529, true),
        (400, false),
        (401, false),
        (404, false),
    ] {
        assert_eq!(
            ProviderError { status: Some(status), ..ProviderError::default() }.is_transient(),
            is_transient,
            "{status}"
        );
    }
}

#[test]
fn the_message_is_found_in_every_error_format() {
    for body in [
        r#"{"error":{"message":"why","type":"t"}}"#,
        r#"{"type":"error","error":{"type":"t","message":"why"}}"#,
        r#"[{"error":{"code":400,"message":"why","status":"T"}}]"#,
        r#"{"object":"error","message":"why","code":400}"#,
        r#"{"error":"why"}"#,
        r#"{"detail":"why"}"#,
    ] {
        assert_eq!(parse_error(body.as_bytes()).message, "why", "{body}");
    }
    assert_eq!(parse_error(b"<html>"), ProviderError::default());
}

#[test]
fn an_error_event_is_classified_by_its_type_or_code() {
    let overloaded = parse_error(br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    assert_eq!((overloaded.kind(), overloaded.is_transient()), (ProviderErrorKind::Load, true));
    let number = parse_error(br#"{"error":{"code":401,"message":"User not found."}}"#);
    assert_eq!(number.kind(), ProviderErrorKind::Key);
    assert_eq!(parse_error(br#"{"error":{"message":"?"}}"#).kind(), ProviderErrorKind::Fault);
}

#[test]
fn the_wait_time_in_the_details_is_parsed() {
    let body = |delay: &str| format!(r#"{{"error":{{"details":[{{"x":1}},{{"retryDelay":"{delay}"}}]}}}}"#);
    assert_eq!(parse_error(body("1.5s").as_bytes()).wait_ms, Some(1_500));
    for bad in ["soon", "-1s", "NaNs", "1e99s"] {
        assert_eq!(parse_error(body(bad).as_bytes()).wait_ms, None, "{bad}");
    }
}
