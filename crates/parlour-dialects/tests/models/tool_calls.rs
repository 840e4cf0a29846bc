//! Steps as tool calls.

use parlour_core::{Timestamp, message::Message, step::Step};
use parlour_dialects::models::{CompletedToolCall, StepDisplay, Transcript, TranscriptBuilder, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    formats::Format,
    logs::{any_log, me},
    transcript_builder::{mara, own, seen, shown},
};

fn step(id: &str, name: &str, from: i64, to: Option<i64>) -> Step {
    Step {
        id: id.into(),
        name: name.into(),
        input: Some(json!({"q": id})),
        output: to.map(|_| json!("found")),
        is_error: false,
        started_at: Timestamp::from_millis(from),
        finished_at: to.map(Timestamp::from_millis),
    }
}

fn worked(steps: Vec<Step>, body: &str) -> Message {
    Message { steps, ..own(body) }
}

fn calls(turns: &Transcript) -> Vec<CompletedToolCall> {
    let of_turn = |turn: &Turn| match turn {
        Turn::Assistant { calls, .. } => calls.clone(),
        _ => Vec::new(),
    };
    turns.list().iter().flat_map(of_turn).collect()
}

fn one_call(step: Step) -> CompletedToolCall {
    calls(&seen(&[worked(vec![step], "Done.")])).remove(0)
}

/// A question, two calls one after the other, and an answer.
fn research() -> Transcript {
    let failed = Step { is_error: true, ..step("s2", "read", 2, Some(3)) };
    seen(&[mara("Look."), worked(vec![step("s1", "grep", 1, Some(2)), failed], "Here."), mara("Thanks.")])
}

#[test]
fn sequential_steps_are_rounds_and_overlapping_steps_one_round() {
    let apart = vec![step("a", "one", 1, Some(2)), step("b", "two", 2, Some(3))];
    assert_eq!(shown(&seen(&[worked(apart, "Done.")])), ["A  +one", "A  +two", "A Done."]);
    let together = vec![step("a", "one", 1, Some(5)), step("b", "two", 2, Some(3)), step("c", "three", 4, Some(6))];
    assert_eq!(shown(&seen(&[worked(together, "Done.")])), ["A  +one +two +three", "A Done."]);
    let endless = vec![step("a", "one", 1, None), step("b", "two", 9, Some(10))];
    assert_eq!(shown(&seen(&[worked(endless, "Done.")])), ["A  +one +two", "A Done."]);
}

#[test]
fn the_result_of_an_unfinished_step_says_so() {
    let call = one_call(Step { output: Some(json!("half")), ..step("a", "run", 1, None) });
    assert!(call.is_error() && call.output().contains("never ended"), "{call:?}");
}

#[test]
fn the_result_is_a_text() {
    let output = |output: Option<Value>| one_call(Step { output, ..step("a", "run", 1, Some(2)) }).output().to_owned();
    assert_eq!(output(Some(json!(" ok \n"))), "ok");
    assert_eq!(output(Some(json!({"n": 1}))), r#"{"n":1}"#);
    assert_eq!(output(Some(json!("\u{1c}"))), "(no output)");
    assert_eq!(output(None), "(no output)");
    let long = output(Some(json!("x".repeat(50_000))));
    assert!(long.len() < 11_000 && long.ends_with("left out.)"), "{}", long.len());
}

#[test]
fn the_input_is_an_object() {
    let input =
        |input: Option<Value>| Value::Object(one_call(Step { input, ..step("a", "r", 1, Some(2)) }).input().clone());
    assert_eq!(input(None), json!({}));
    assert_eq!(input(Some(json!({"a": [1]}))), json!({"a": [1]}));
    assert_eq!(input(Some(json!("ls"))), json!({"input": "ls"}));
    assert_eq!(input(Some(Value::Null)), json!({"input": null}));
}

#[test]
fn invalid_tool_names_are_changed_and_stay_unique() {
    let name = |name: &str| one_call(step("a", name, 1, Some(2))).name().to_owned();
    assert_eq!(name("read_file"), "read_file");
    let (space, dot) = (name("read file"), name("read.file"));
    assert!(space.starts_with("read_file_") && dot.starts_with("read_file_") && space != dot, "{space} {dot}");
    assert!(name("7zip").starts_with("_7zip_"));
    assert_eq!(name(&"x".repeat(200)).len(), 63);
    assert_eq!(name("read file"), space);
}

#[test]
fn valid_ids_are_kept_and_all_ids_are_unique() {
    let steps = vec![step("a", "r", 1, Some(2)), step("a b", "r", 2, Some(3)), step(&"i".repeat(41), "r", 3, Some(4))];
    let calls = calls(&seen(&[worked(steps.clone(), "One."), worked(steps, "Two.")]));
    let ids: Vec<_> = calls.iter().map(CompletedToolCall::id).collect();
    assert_eq!(ids[0], "a");
    assert!(ids[1..].iter().all(|id| id.starts_with("call_") && id.len() == 29), "{ids:?}");
}

#[test]
fn openai_has_results_as_messages_of_their_own() {
    let request = Format::Chat.encode(&research());
    let call = json!({"type": "function", "id": "s1", "function": {"name": "grep", "arguments": "{\"q\":\"s1\"}"}});
    assert_eq!(request["messages"][1], json!({"role": "assistant", "tool_calls": [call]}));
    assert_eq!(request["messages"][2], json!({"role": "tool", "tool_call_id": "s1", "content": "found"}));
    assert_eq!(request["messages"][4]["content"], "Error: found");
    assert_eq!(request["messages"][5], json!({"role": "assistant", "content": "Here."}));
}

#[test]
fn responses_have_calls_and_results_as_items() {
    let request = Format::Responses.encode(&research());
    let call = json!({"type": "function_call", "call_id": "s1", "name": "grep", "arguments": "{\"q\":\"s1\"}"});
    assert_eq!(request["input"][1], call);
    assert_eq!(request["input"][2], json!({"type": "function_call_output", "call_id": "s1", "output": "found"}));
}

#[test]
fn anthropic_has_results_in_the_next_user_message_and_declares_the_tools() {
    let request = Format::Anthropic.encode(&research());
    let block = json!([{"type": "tool_use", "id": "s1", "name": "grep", "input": {"q": "s1"}}]);
    assert_eq!(request["messages"][1], json!({"role": "assistant", "content": block}));
    let block = json!([{"type": "tool_result", "tool_use_id": "s1", "content": "found"}]);
    assert_eq!(request["messages"][2], json!({"role": "user", "content": block}));
    assert_eq!(request["messages"][4]["content"][0]["is_error"], true);
    let names: Vec<_> = request["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["grep", "read"]);
    assert_eq!(request["tool_choice"], json!({"type": "none"}));
}

#[test]
fn gemini_has_results_without_ids_in_the_order_of_the_calls() {
    let request = Format::Gemini.encode(&research());
    let part = json!([{"functionCall": {"name": "grep", "args": {"q": "s1"}}}]);
    assert_eq!(request["contents"][1], json!({"role": "model", "parts": part}));
    let part = json!([{"functionResponse": {"name": "grep", "response": {"output": "found"}}}]);
    assert_eq!(request["contents"][2], json!({"role": "user", "parts": part}));
    let error = json!({"error": "found"});
    assert_eq!(request["contents"][4]["parts"][0]["functionResponse"]["response"], error);
}

#[test]
fn text_after_results_is_in_the_same_message_or_separate() {
    let turns = seen(&[mara("Look."), worked(vec![step("s1", "grep", 1, Some(2))], ""), mara("And?")]);
    let anthropic = Format::Anthropic.encode(&turns);
    assert_eq!(anthropic["messages"][2]["content"][1], json!({"type": "text", "text": "[from Mara, person]\nAnd?"}));
    let gemini = Format::Gemini.encode(&turns);
    let roles: Vec<_> = gemini["contents"].as_array().expect("list").iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["user", "model", "user", "model", "user"]);
    assert_eq!(gemini["contents"][3]["parts"], json!([{"text": "(no words)"}]));
}

#[test]
fn results_without_a_following_text_are_not_answered() {
    let work = |body: &str| seen(&[mara("Look."), worked(vec![step("s1", "grep", 1, Some(2))], body)]);
    assert!(!work("").is_answered());
    assert!(work("Here.").is_answered());
}

#[test]
fn calls_can_be_omitted() {
    let log = [mara("Look."), worked(vec![step("s1", "grep", 1, Some(2))], "Here.")];
    let without = TranscriptBuilder { agent: &me(), steps: StepDisplay::Omitted, chars_max: 1_000 }.build(&log);
    assert_eq!(shown(&without), ["U [from Mara, person]\nLook.", "A Here."]);
    assert!(!Format::Lookalike.encode(&seen(&log)).to_string().contains("grep"));
}

#[test]
fn steps_of_others_are_never_calls() {
    let log = [Message { steps: vec![step("s1", "grep", 1, Some(2))], ..mara("Look.") }];
    assert!(calls(&seen(&log)).is_empty());
}

#[test]
fn of_too_many_calls_the_newest_are_kept() {
    let steps = |from: i64| (from..from + 100).map(|at| step(&format!("s{at}"), "r", at, Some(at + 1))).collect();
    let calls = calls(&seen(&[worked(steps(0), "One."), worked(steps(100), "Two.")]));
    assert_eq!((calls.len(), calls[0].id(), calls[127].id()), (128, "s72", "s199"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_call_of_a_log_is_a_step_with_a_non_blank_result(log in any_log()) {
        let turns = seen(&log);
        let steps: usize = log.iter().map(|message| message.steps.len()).sum();
        prop_assert!(calls(&turns).len() <= steps);
        prop_assert!(calls(&turns).iter().all(|call| !call.output().trim().is_empty()));
    }
}
