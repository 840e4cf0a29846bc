use serde_json::json;

use super::*;
use crate::id::ChannelId;

const BUDGET_MAX: u64 = limits::CONTEXT_BUDGET_TOKENS_MAX as u64;
const LIST_MAX: u64 = limits::CONTEXT_LIST_MESSAGES_MAX as u64;

/// The field that is refused.
fn refused(ask: &ContextRequest) -> Option<String> {
    ask.check().err().map(|refusal| refusal.field.expect("the field is named"))
}

#[test]
fn asking_for_nothing_special_is_fine() {
    assert_eq!(serde_json::from_value::<ContextRequest>(json!({})).expect("an ask"), ContextRequest::default());
    assert_eq!(ContextRequest::default().check(), Ok(()));
    assert_eq!(ContextRequest::default().format, ContextFormat::Pack);
}

#[test]
fn every_bound_is_kept_and_named() {
    let most = ContextRequest {
        budget: Some(BUDGET_MAX),
        model: Some("m".repeat(limits::MODEL_CHARS_MAX)),
        query: Some("é".repeat(limits::CONTEXT_QUERY_CHARS_MAX)),
        command: Some("c".repeat(limits::CONTEXT_COMMAND_CHARS_MAX)),
        together_with: vec![MessageId::from_bits(1); limits::CONTEXT_TOGETHER_MAX],
        messages_max: Some(LIST_MAX),
        told: vec![MessageId::from_bits(1); limits::CONTEXT_TOLD_MAX],
        system_notices: vec!["n".repeat(limits::SYSTEM_NOTICE_CHARS_MAX); limits::SYSTEM_NOTICES_MAX],
        ..ContextRequest::default()
    };
    assert_eq!(most.check(), Ok(()));
    let longer = |text: &Option<String>| text.as_ref().map(|text| format!("{text}x"));
    let notice = "n".repeat(limits::SYSTEM_NOTICE_CHARS_MAX + 1);
    let cases = [
        ("budget", ContextRequest { budget: Some(BUDGET_MAX + 1), ..most.clone() }),
        ("model", ContextRequest { model: longer(&most.model), ..most.clone() }),
        ("query", ContextRequest { query: longer(&most.query), ..most.clone() }),
        ("command", ContextRequest { command: longer(&most.command), ..most.clone() }),
        ("messages_max", ContextRequest { messages_max: Some(LIST_MAX + 1), ..most.clone() }),
        ("messages_max", ContextRequest { messages_max: Some(0), ..most.clone() }),
        ("together_with", {
            let more = vec![MessageId::from_bits(1); limits::CONTEXT_TOGETHER_MAX + 1];
            ContextRequest { together_with: more, ..most.clone() }
        }),
        ("told", ContextRequest { told: vec![MessageId::from_bits(1); limits::CONTEXT_TOLD_MAX + 1], ..most.clone() }),
        (
            "system_notices",
            ContextRequest { system_notices: vec![String::new(); limits::SYSTEM_NOTICES_MAX + 1], ..most.clone() },
        ),
        ("system_notices[1]", ContextRequest { system_notices: vec![String::new(), notice], ..most.clone() }),
    ];
    for (field, ask) in cases {
        assert_eq!(refused(&ask).as_deref(), Some(field));
    }
}

#[test]
fn a_budget_of_nothing_is_for_the_engine_to_refuse() {
    for budget in [0, 1] {
        assert_eq!(ContextRequest { budget: Some(budget), ..ContextRequest::default() }.check(), Ok(()));
    }
}

#[test]
fn texts_that_no_terminal_and_no_model_should_see_are_refused() {
    for (field, text) in
        [("model", " "), ("model", "a\nb"), ("command", ""), ("command", "a\u{202E}b"), ("query", "\0")]
    {
        let ask: ContextRequest = serde_json::from_value(json!({ field: text })).expect("an ask");
        assert_eq!(refused(&ask).as_deref(), Some(field), "{text:?}");
    }
    let ask =
        ContextRequest { system_notices: vec!["fine\nso far".into(), "\u{7}".into()], ..ContextRequest::default() };
    assert_eq!(refused(&ask).as_deref(), Some("system_notices[1]"));
}

#[test]
fn an_unknown_field_or_form_is_refused() {
    for body in [json!({ "tokens": 5 }), json!({ "format": "xml" }), json!({ "budget": -1 })] {
        assert!(serde_json::from_value::<ContextRequest>(body.clone()).is_err(), "{body}");
    }
}

#[test]
fn every_form_has_its_name() {
    let names = ["pack", "injection", "openai_chat", "openai_responses", "anthropic", "gemini", "last_20"];
    for name in names {
        let format: ContextFormat = serde_json::from_value(json!(name)).expect(name);
        assert_eq!(serde_json::to_value(format).expect("plain data"), json!(name));
    }
}

#[test]
fn an_ask_comes_back_as_it_was_written() {
    let ask = ContextRequest {
        format: ContextFormat::Last20,
        budget: Some(512),
        model: Some("gpt-4o".into()),
        conversation_id: Some(ChannelId::from_bits(5).into()),
        task_id: Some(TaskId::from_bits(1)),
        message_id: Some(MessageId::from_bits(2)),
        together_with: vec![MessageId::from_bits(6)],
        messages_max: Some(7),
        query: Some("the release".into()),
        run_id: Some(RunId::from_bits(3)),
        delivered_via: Some(DeliveryPath::Checkpoint),
        told: vec![MessageId::from_bits(4)],
        system_notices: vec!["It is late.".into()],
        command: Some("parlour".into()),
    };
    let json = serde_json::to_string(&ask).expect("plain data");
    assert_eq!(serde_json::from_str::<ContextRequest>(&json).expect("an ask"), ask);
}
