//! Valid requests that are corrupted: the checks refuse every corruption.

use parlour_core::message::Message;
use parlour_dialects::models::{StepDisplay, TranscriptBuilder};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::{
    formats::Format,
    logs::{any_log, me},
};

fn requests(log: &[Message]) -> Vec<(Format, Value)> {
    let mut turns =
        TranscriptBuilder { agent: &me(), steps: StepDisplay::AsToolCalls, chars_max: usize::MAX }.build(log);
    turns.instruct("You are Coder.");
    Format::ALL.into_iter().map(|format| (format, format.encode(&turns))).collect()
}

/// The fields with arbitrary values: arguments, results and schemas of calls.
const FREE_FIELDS: [&str; 5] = ["input", "args", "response", "arguments", "input_schema"];

/// The JSON pointers of all values that match, except inside arguments and results of calls.
fn pointers(value: &Value, matches: &dyn Fn(&str, &Value) -> bool) -> Vec<String> {
    fn walk(value: &Value, path: &str, key: &str, matches: &dyn Fn(&str, &Value) -> bool, found: &mut Vec<String>) {
        if matches(key, value) {
            found.push(path.to_owned());
        }
        match value {
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, item)| walk(item, &format!("{path}/{n}"), "", matches, found));
            }
            Value::Object(map) => {
                // The list of items has the same name as the input of a call.
                let inner = map.iter().filter(|(key, inner)| !FREE_FIELDS.contains(&key.as_str()) || inner.is_array());
                inner.for_each(|(key, inner)| walk(inner, &format!("{path}/{key}"), key, matches, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", "", matches, &mut found);
    found
}

fn is_result(_: &str, value: &Value) -> bool {
    value["role"] == "tool"
        || value["type"] == "tool_result"
        || value["type"] == "function_call_output"
        || value.get("functionResponse").is_some()
}

fn is_call(_: &str, value: &Value) -> bool {
    value["type"] == "function"
        || value["type"] == "tool_use"
        || value["type"] == "function_call"
        || value.get("functionCall").is_some()
}

fn is_text(key: &str, value: &Value) -> bool {
    value.is_string() && matches!(key, "text" | "content" | "system" | "instructions" | "output")
}

/// Whether the value is the text of a result.
fn is_output(request: &Value, pointer: &str) -> bool {
    let around = pointer.rsplit_once('/').and_then(|(around, _)| request.pointer(around));
    is_result("", around.unwrap_or(&Value::Null)) && request.pointer(pointer).is_some_and(Value::is_string)
}

/// Removes an entry from its list.
fn remove_entry(request: &mut Value, pointer: &str) -> Value {
    let (list, index) = pointer.rsplit_once('/').expect("within a list");
    let list = request.pointer_mut(list).and_then(Value::as_array_mut).expect("a list");
    list.remove(index.parse::<usize>().expect("a number"))
}

fn duplicate_entry(request: &mut Value, pointer: &str) {
    let entry = request.pointer(pointer).cloned().expect("an entry");
    let (list, index) = pointer.rsplit_once('/').expect("within a list");
    let list = request.pointer_mut(list).and_then(Value::as_array_mut).expect("a list");
    list.insert(index.parse::<usize>().expect("a number"), entry);
}

/// Corrupts one matching value of every request; each request must be refused then.
fn check_corrupted(
    log: &[Message],
    which: Index,
    matches: &dyn Fn(&str, &Value) -> bool,
    corrupt: impl Fn(&mut Value, &str),
) -> Result<(), TestCaseError> {
    for (format, mut request) in requests(log) {
        let mut pointers = pointers(&request, matches);
        // The result of a call may be blank.
        pointers.retain(|pointer| !is_output(&request, pointer));
        if pointers.is_empty() {
            continue;
        }
        let pointer = &pointers[which.index(pointers.len())];
        corrupt(&mut request, pointer);
        prop_assert!(format.check(&request).is_err(), "{format:?} took {pointer}\n{request:#}");
        prop_assert!(format.decode(request).is_err(), "{format:?} read {pointer}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_call_without_its_result_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &is_result, |request, pointer| drop(remove_entry(request, pointer)))?;
    }

    #[test]
    fn a_result_without_its_call_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &is_call, |request, pointer| drop(remove_entry(request, pointer)))?;
    }

    #[test]
    fn a_duplicate_result_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &is_result, duplicate_entry)?;
    }

    #[test]
    fn a_duplicate_call_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &is_call, duplicate_entry)?;
    }

    #[test]
    fn a_blank_text_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &is_text, |request, pointer| {
            *request.pointer_mut(pointer).expect("a text") = json!(" \n\u{1f}");
        })?;
    }

    #[test]
    fn an_unknown_field_is_refused(log in any_log(), which in any::<Index>()) {
        check_corrupted(&log, which, &|_, value| value.is_object(), |request, pointer| {
            request.pointer_mut(pointer).expect("an object")["metadata_of_parlour"] = json!(true);
        })?;
    }

    #[test]
    fn repeated_and_missing_roles_are_refused(log in any_log(), which in any::<Index>(), twice in any::<bool>()) {
        for (format, mut request) in requests(&log) {
            let count = request[format.list()].as_array().map_or(0, Vec::len);
            // A compatible server is checked by OpenAI's rules, which do not require alternating roles.
            if format.alternates() && format != Format::Lookalike {
                let pointer = format!("/{}/{}", format.list(), which.index(count));
                if twice { duplicate_entry(&mut request, &pointer) } else { drop(remove_entry(&mut request, &pointer)) }
                prop_assert!(format.check(&request).is_err(), "{:?} took {}\n{:#}", format, pointer, request);
            }
        }
    }

    #[test]
    fn a_compatible_server_gets_alternating_roles(log in any_log()) {
        let (_, request) = requests(&log).remove(1);
        let roles: Vec<_> = request["messages"].as_array().expect("a list").iter().map(|it| it["role"].clone()).collect();
        prop_assert_eq!(&roles[0], "system");
        prop_assert_eq!(roles.len() % 2, 0, "the user is first and last");
        for (index, role) in roles[1..].iter().enumerate() {
            prop_assert_eq!(role, ["user", "assistant"][index % 2]);
        }
    }
}

#[test]
fn every_request_contains_texts_to_corrupt() {
    let log = vec![crate::transcript_builder::mara("Hi"), crate::transcript_builder::own("Hello.")];
    for (format, request) in requests(&log) {
        assert!(pointers(&request, &is_text).len() >= 3, "{format:?}: {request:#}");
    }
}
