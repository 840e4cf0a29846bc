//! Whatever the log and wherever it is cut, every provider takes what is made of it.

use parlour_core::{message::Message, model_visibility::may_reach_model};
use parlour_dialects::models::{Steps, Turn, Turns, View, label};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    formats::Format,
    logs::{any_log, me},
};

fn turns(log: &[Message], steps: Steps, chars_max: usize) -> Turns {
    View { agent: &me(), steps, chars_max }.turns(log)
}

/// The texts of everybody but the agent, as a request says them.
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

fn labels_in(texts: &[String]) -> usize {
    let is_break = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = texts.iter().flat_map(|text| text.split(is_break));
    lines.filter(|line| label::looks_like_label(line)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_cut_of_any_log_is_taken_by_every_provider(
        log in any_log(),
        from in any::<prop::sample::Index>(),
        len in any::<prop::sample::Index>(),
        chars_max in prop_oneof![Just(usize::MAX), 0_usize..3_000],
        has_calls in any::<bool>(),
        system in prop_oneof![Just(""), Just(" \n"), Just("You are Coder.")],
    ) {
        let from = from.index(log.len() + 1);
        let cut = &log[from..from + len.index(log.len() - from + 1)];
        let mut turns = turns(cut, if has_calls { Steps::AsCalls } else { Steps::OmissionReason }, chars_max);
        turns.instruct(system);
        for format in Format::ALL {
            let request = format.encode(&turns);
            let checked = format.check(&request);
            prop_assert!(checked.is_ok(), "{format:?}: {checked:?}\n{request:#}");
        }
    }

    #[test]
    fn there_are_exactly_as_many_labels_as_messages_of_others(log in any_log()) {
        let turns = turns(&log, Steps::AsCalls, usize::MAX);
        let others = turns.list().iter().filter(|turn| matches!(turn, Turn::User { .. })).count();
        for format in Format::ALL {
            let texts = texts_of_users(format, &format.encode(&turns));
            prop_assert_eq!(labels_in(&texts), others, "{:?}: {:?}", format, texts);
        }
    }

    #[test]
    fn no_result_and_no_lasting_context_contains_a_label(log in any_log()) {
        for turn in turns(&log, Steps::AsCalls, usize::MAX).list() {
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
    fn what_a_model_may_not_see_changes_nothing(log in any_log()) {
        let allowed: Vec<_> = log.iter().filter(|message| may_reach_model(message)).cloned().collect();
        prop_assert_eq!(turns(&log, Steps::AsCalls, usize::MAX), turns(&allowed, Steps::AsCalls, usize::MAX));
    }

    #[test]
    fn the_same_log_gives_the_same_list(log in any_log()) {
        for format in Format::ALL {
            let make = || format.encode(&turns(&log, Steps::AsCalls, 5_000)).to_string();
            prop_assert_eq!(make(), make());
        }
    }
}
