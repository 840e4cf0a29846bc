//! Lists of providers, read.

use parlour_dialects::models::{Steps, Turn, View, anthropic, openai_chat};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    formats::Format,
    logs::{any_log, me},
};

fn request(format: Format, log: &[parlour_core::message::Message]) -> Value {
    let mut turns = View { agent: &me(), steps: Steps::AsCalls, chars_max: usize::MAX }.turns(log);
    turns.instruct("You are Coder.");
    format.encode(&turns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn openai_s_list_comes_back_as_it_was(log in any_log()) {
        let request = request(Format::Chat, &log);
        let turns = openai_chat::decode(request.clone()).expect("own list");
        prop_assert_eq!(Format::Chat.encode(&turns), request);
    }

    #[test]
    fn anthropic_s_list_comes_back_as_it_was(log in any_log()) {
        let request = request(Format::Anthropic, &log);
        let turns = anthropic::decode(request.clone()).expect("own list");
        prop_assert_eq!(Format::Anthropic.encode(&turns), request);
    }

    #[test]
    fn a_list_of_one_provider_is_taken_by_all_others(log in any_log()) {
        let of_openai = openai_chat::decode(request(Format::Chat, &log)).expect("own list");
        let of_anthropic = anthropic::decode(request(Format::Anthropic, &log)).expect("own list");
        for format in Format::ALL {
            prop_assert_eq!(format.check(&format.encode(&of_openai)), Ok(()));
            prop_assert_eq!(format.check(&format.encode(&of_anthropic)), Ok(()));
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
fn parts_that_are_texts_become_paragraphs() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let list = json!({"messages": [{"role": "user", "content": parts}]});
    for turns in [openai_chat::decode(list.clone()), anthropic::decode(list)] {
        let expected = Turn::User { name: None, text: "a\n\nb".into() };
        assert_eq!(turns.expect("a list").list(), [expected]);
    }
}

#[test]
fn a_text_after_a_call_is_said_after_its_result() {
    let blocks = json!([
        {"type": "text", "text": "First."},
        {"type": "tool_use", "id": "t", "name": "r", "input": {}},
        {"type": "text", "text": "Then."},
    ]);
    let list = json!({
        "messages": [
            {"role": "user", "content": "Go"},
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ok"}]}]},
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
fn what_cannot_be_read_is_refused() {
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
    for value in wrong {
        assert!(openai_chat::decode(value.clone()).is_err(), "{value}");
        assert!(anthropic::decode(value.clone()).is_err(), "{value}");
    }
}
