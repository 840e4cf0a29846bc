//! Properties over arbitrary logs and cuts: every provider accepts the encoded list.

use parlour_core::{message::Message, model_visibility::may_reach_model};
use parlour_dialects::models::{StepDisplay, Transcript, TranscriptBuilder, Turn, label};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    formats::Format,
    logs::{any_log, me},
};

fn turns(log: &[Message], steps: StepDisplay, chars_max: usize) -> Transcript {
    TranscriptBuilder { agent: &me(), steps, chars_max }.build(log)
}

/// The texts of all users in a request.
fn texts_of_users(format: Format, request: &Value) -> Vec<String> {
    let list = request[format.list()].as_array().expect("a list");
    let users = list.iter().filter(|entry| entry["role"] == "user");
    let mut texts = Vec::new();
    for user in users {
        match &user["content"] {
            Value::String(text) => texts.push(text.clone()),
            blocks => {
                let parts = blocks.as_array().or(user["parts"].as_array()).cloned().unwrap_or_default();
                texts.extend(parts.iter().filter_map(|part| part["text"].as_str().map(str::to_owned)));
            }
        }
    }
    texts
}

/// All texts with the system role in a request.
fn system_texts(format: Format, request: &Value) -> String {
    let list = request[format.list()].as_array().expect("a list");
    let in_list = list.iter().filter(|entry| matches!(entry["role"].as_str(), Some("system" | "developer")));
    let fields = ["system", "instructions", "systemInstruction"].map(|field| &request[field]);
    fields.into_iter().chain(in_list).map(Value::to_string).collect()
}

/// Part of every text and name that a member wrote.
const MARKER: &str = "QUILL";

fn marked(mut message: Message) -> Message {
    let mark = |text: &mut String| text.insert_str(0, MARKER);
    mark(&mut message.body);
    mark(&mut message.from.name);
    message.attachments.iter_mut().for_each(|file| mark(&mut file.filename));
    message.steps.iter_mut().for_each(|step| mark(&mut step.name));
    message
}

fn labels_in(texts: &[String]) -> usize {
    let is_break = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = texts.iter().flat_map(|text| text.split(is_break));
    lines.filter(|line| label::looks_like_label(line)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_part_of_any_log_is_valid_for_every_provider(
        log in any_log(),
        from in any::<prop::sample::Index>(),
        len in any::<prop::sample::Index>(),
        chars_max in prop_oneof![Just(usize::MAX), 0_usize..3_000],
        has_calls in any::<bool>(),
        system in prop_oneof![Just(""), Just(" \n"), Just("You are Coder.")],
    ) {
        let from = from.index(log.len() + 1);
        let cut = &log[from..from + len.index(log.len() - from + 1)];
        let mut turns = turns(cut, if has_calls { StepDisplay::AsToolCalls } else { StepDisplay::Omitted }, chars_max);
        turns.instruct(system);
        for format in Format::ALL {
            let request = format.encode(&turns);
            let checked = format.check(&request);
            prop_assert!(checked.is_ok(), "{format:?}: {checked:?}\n{request:#}");
        }
    }

    #[test]
    fn there_are_exactly_as_many_labels_as_messages_of_others(log in any_log()) {
        let turns = turns(&log, StepDisplay::AsToolCalls, usize::MAX);
        let others = turns.list().iter().filter(|turn| matches!(turn, Turn::User { .. })).count();
        for format in Format::ALL {
            let texts = texts_of_users(format, &format.encode(&turns));
            prop_assert_eq!(labels_in(&texts), others, "{:?}: {:?}", format, texts);
        }
    }

    #[test]
    fn no_result_and_no_system_text_contains_a_label(log in any_log()) {
        for turn in turns(&log, StepDisplay::AsToolCalls, usize::MAX).list() {
            match turn {
                Turn::System(text) => prop_assert_eq!(labels_in(std::slice::from_ref(text)), 0),
                Turn::Assistant { calls, .. } => {
                    prop_assert!(calls.iter().all(|call| labels_in(&[call.output().to_owned()]) == 0));
                }
                Turn::User { .. } => {}
            }
        }
    }

    #[test]
    fn nothing_that_a_member_wrote_has_the_system_role(log in any_log(), is_asked in any::<bool>()) {
        let log: Vec<Message> = log.into_iter().map(marked).collect();
        let mut turns = turns(&log, StepDisplay::AsToolCalls, usize::MAX);
        turns.instruct("Fixed words.");
        if is_asked {
            turns.ask(MARKER);
        }
        turns.prepend_context(MARKER);
        for format in Format::ALL {
            let request = format.encode(&turns);
            let system = system_texts(format, &request);
            prop_assert!(system.contains("Fixed words.") && !system.contains(MARKER), "{:?}: {}", format, system);
            prop_assert!(request.to_string().contains(MARKER), "{:?}: {}", format, request);
            prop_assert_eq!(format.check(&request), Ok(()));
        }
    }

    #[test]
    fn hidden_messages_change_nothing(log in any_log()) {
        let allowed: Vec<_> = log.iter().filter(|message| may_reach_model(message)).cloned().collect();
        prop_assert_eq!(turns(&log, StepDisplay::AsToolCalls, usize::MAX), turns(&allowed, StepDisplay::AsToolCalls, usize::MAX));
    }

    #[test]
    fn the_same_log_gives_the_same_list(log in any_log()) {
        for format in Format::ALL {
            let make = || format.encode(&turns(&log, StepDisplay::AsToolCalls, 5_000)).to_string();
            prop_assert_eq!(make(), make());
        }
    }
}
