//! Decoding of provider requests.

use parlour_core::message::Message;
use parlour_dialects::models::{
    CompletedToolCall, StepDisplay, TranscriptBuilder, Turn, anthropic, gemini, openai_chat, openai_responses,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    formats::Format,
    logs::{any_log, me},
};

fn request(format: Format, log: &[Message]) -> Value {
    let mut turns =
        TranscriptBuilder { agent: &me(), steps: StepDisplay::AsToolCalls, chars_max: usize::MAX }.build(log);
    turns.instruct("You are Coder.");
    format.encode(&turns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_list_survives_a_round_trip(log in any_log()) {
        for format in Format::ALL {
            let request = request(format, &log);
            let turns = format.decode(request.clone());
            prop_assert!(turns.is_ok(), "{:?}: {:?}", format, turns);
            prop_assert_eq!(format.encode(&turns.expect("checked above")), request);
        }
    }

    #[test]
    fn a_list_of_one_provider_is_valid_for_all_others(log in any_log()) {
        for from in Format::ALL {
            let turns = from.decode(request(from, &log)).expect("own list");
            for to in Format::ALL {
                prop_assert_eq!(to.check(&to.encode(&turns)), Ok(()), "{:?} to {:?}", from, to);
            }
        }
    }
}

#[test]
fn the_first_system_text_of_openai_is_the_instructions() {
    let message = |role: &str, text: &str| json!({"role": role, "content": text});
    let list = json!({"messages": [message("system", "a"), message("system", "b"), message("user", "c")]});
    let turns = openai_chat::decode(list.clone()).expect("a list");
    assert_eq!((turns.instructions(), &turns.list()[0]), ("a", &Turn::System("b".into())));
    assert_eq!(Format::Chat.encode(&turns), list);
}

#[test]
fn text_parts_become_paragraphs() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let list = json!({"messages": [{"role": "user", "content": parts}]});
    for turns in [openai_chat::decode(list.clone()), anthropic::decode(list)] {
        let expected = Turn::User { name: None, text: "a\n\nb".into() };
        assert_eq!(turns.expect("a list").list(), [expected]);
    }
}

#[test]
fn a_text_after_a_call_follows_its_result() {
    let blocks = json!([
        {"type": "text", "text": "First."},
        {"type": "tool_use", "id": "t", "name": "r", "input": {}},
        {"type": "text", "text": "Then."},
    ]);
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ok"}]});
    let list = json!({
        "messages": [
            {"role": "user", "content": "Go"},
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": [result]},
        ],
        "tools": [{"name": "r", "description": "", "input_schema": {"type": "object"}}],
    });
    let turns = anthropic::decode(list).expect("a list");
    let [_, Turn::Assistant { text, calls }, Turn::Assistant { text: then, .. }] = turns.list() else {
        unreachable!("{turns:?}")
    };
    assert_eq!((text.as_str(), calls[0].output(), then.as_str()), ("First.", "ok", "Then."));
}

#[test]
fn invalid_requests_are_refused() {
    let with = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
    let image = json!([{"type": "image_url", "image_url": {"url": "data:"}}]);
    let mut wrong =
        vec![Value::Null, json!([]), json!(7), json!({}), json!({"messages": 1}), json!({"messages": [null]})];
    wrong.extend([
        with(image),
        with(Value::Null),
        with(json!(5)),
        json!({"messages": [{"role": "wizard", "content": "a"}]}),
    ]);
    for format in Format::ALL {
        for value in &wrong {
            let text = value.to_string().replace("\"messages\"", &format!("\"{}\"", format.list()));
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert!(format.decode(value.clone()).is_err(), "{format:?}: {value}");
        }
    }
}

#[test]
fn calls_of_responses_belong_to_the_preceding_text_until_a_result() {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "r", "arguments": "{}"});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": id});
    let text = json!({"type": "message", "role": "assistant", "content": "Wait."});
    let input = json!([text, call("a"), call("b"), output("b"), output("a"), call("c"), output("c")]);
    let turns = openai_responses::decode(json!({"instructions": "Be brief.", "input": input})).expect("a list");
    let rounds: Vec<Vec<&str>> = turns.list().iter().map(outputs).collect();
    assert_eq!((turns.instructions(), rounds), ("Be brief.", vec![vec!["a", "b"], vec!["c"]]));
}

fn outputs(turn: &Turn) -> Vec<&str> {
    match turn {
        Turn::Assistant { calls, .. } => calls.iter().map(CompletedToolCall::output).collect(),
        Turn::System(_) | Turn::User { .. } => Vec::new(),
    }
}

#[test]
fn results_of_gemini_match_their_calls_in_any_form() {
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
    let result = |name: &str, response: Value| json!({"functionResponse": {"name": name, "response": response}});
    let results =
        [result("a", json!({"output": "1"})), result("b", json!({"error": "2"})), result("c", json!({"n": 3}))];
    let contents = json!([
        {"role": "user", "parts": [{"text": "Go"}, {"text": "on"}]},
        {"role": "model", "parts": [call("a"), call("b"), call("c"), {"text": "Then."}]},
        {"role": "user", "parts": results},
    ]);
    let turns = gemini::decode(json!({ "contents": contents })).expect("a list");
    assert_eq!(turns.list()[0], Turn::User { name: None, text: "Go\n\non".into() });
    assert_eq!(outputs(&turns.list()[1]), ["1", "2", "{\"n\":3}"]);
    assert!(matches!(&turns.list()[2], Turn::Assistant { text, calls } if text == "Then." && calls.is_empty()));
}
