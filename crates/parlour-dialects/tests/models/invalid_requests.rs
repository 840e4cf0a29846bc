//! Good requests, spoiled: whatever is done to them, the checks notice.

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

/// What anybody may put into a request: the values of calls.
const FREE: [&str; 5] = ["input", "args", "response", "arguments", "input_schema"];

/// The places of all values in it that fit, apart from those within values of calls.
fn places(value: &Value, fits: &dyn Fn(&str, &Value) -> bool) -> Vec<String> {
    fn walk(value: &Value, path: &str, key: &str, fits: &dyn Fn(&str, &Value) -> bool, found: &mut Vec<String>) {
        if fits(key, value) {
            found.push(path.to_owned());
        }
        match value {
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, item)| walk(item, &format!("{path}/{n}"), "", fits, found));
            }
            Value::Object(map) => {
                // The list of items has the same name as the input of a call.
                let inner = map.iter().filter(|(key, inner)| !FREE.contains(&key.as_str()) || inner.is_array());
                inner.for_each(|(key, inner)| walk(inner, &format!("{path}/{key}"), key, fits, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", "", fits, &mut found);
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

/// Whether it is the text of a result.
fn is_output(request: &Value, place: &str) -> bool {
    let around = place.rsplit_once('/').and_then(|(around, _)| request.pointer(around));
    is_result("", around.unwrap_or(&Value::Null)) && request.pointer(place).is_some_and(Value::is_string)
}

/// Takes the entry at a place out of its list.
fn take_out(request: &mut Value, place: &str) -> Value {
    let (list, index) = place.rsplit_once('/').expect("within a list");
    let list = request.pointer_mut(list).and_then(Value::as_array_mut).expect("a list");
    list.remove(index.parse::<usize>().expect("a number"))
}

fn put_twice(request: &mut Value, place: &str) {
    let entry = request.pointer(place).cloned().expect("an entry");
    let (list, index) = place.rsplit_once('/').expect("within a list");
    let list = request.pointer_mut(list).and_then(Value::as_array_mut).expect("a list");
    list.insert(index.parse::<usize>().expect("a number"), entry);
}

/// Spoils one of the fitting places of every request; each must be refused then.
fn check_spoiled(
    log: &[Message],
    which: Index,
    fits: &dyn Fn(&str, &Value) -> bool,
    spoil: impl Fn(&mut Value, &str),
) -> Result<(), TestCaseError> {
    for (format, mut request) in requests(log) {
        let mut places = places(&request, fits);
        // What came out of a call may be blank.
        places.retain(|place| !is_output(&request, place));
        if places.is_empty() {
            continue;
        }
        let place = &places[which.index(places.len())];
        spoil(&mut request, place);
        prop_assert!(format.check(&request).is_err(), "{format:?} took {place}\n{request:#}");
        prop_assert!(format.decode(request).is_err(), "{format:?} read {place}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_call_without_its_result_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &is_result, |request, place| drop(take_out(request, place)))?;
    }

    #[test]
    fn a_result_without_its_call_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &is_call, |request, place| drop(take_out(request, place)))?;
    }

    #[test]
    fn a_duplicate_result_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &is_result, put_twice)?;
    }

    #[test]
    fn a_duplicate_call_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &is_call, put_twice)?;
    }

    #[test]
    fn a_blank_text_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &is_text, |request, place| {
            *request.pointer_mut(place).expect("a text") = json!(" \n\u{1f}");
        })?;
    }

    #[test]
    fn an_unknown_field_is_refused(log in any_log(), which in any::<Index>()) {
        check_spoiled(&log, which, &|_, value| value.is_object(), |request, place| {
            request.pointer_mut(place).expect("an object")["metadata_of_parlour"] = json!(true);
        })?;
    }

    #[test]
    fn repeated_and_missing_roles_are_refused(log in any_log(), which in any::<Index>(), twice in any::<bool>()) {
        for (format, mut request) in requests(&log) {
            let count = request[format.list()].as_array().map_or(0, Vec::len);
            // A lookalike is checked by OpenAI's rules, which do not ask for this.
            if format.alternates() && format != Format::Lookalike {
                let place = format!("/{}/{}", format.list(), which.index(count));
                if twice { put_twice(&mut request, &place) } else { drop(take_out(&mut request, &place)) }
                prop_assert!(format.check(&request).is_err(), "{:?} took {}\n{:#}", format, place, request);
            }
        }
    }

    #[test]
    fn a_compatible_server_gets_alternating_roles(log in any_log()) {
        let (_, request) = requests(&log).remove(1);
        let roles: Vec<_> = request["messages"].as_array().expect("a list").iter().map(|it| it["role"].clone()).collect();
        prop_assert_eq!(&roles[0], "system");
        prop_assert_eq!(roles.len() % 2, 0, "the user is first and last");
        for (place, role) in roles[1..].iter().enumerate() {
            prop_assert_eq!(role, ["user", "assistant"][place % 2]);
        }
    }
}

#[test]
fn every_request_contains_texts_to_corrupt() {
    let log = vec![crate::transcript_builder::mara("Hi"), crate::transcript_builder::own("Hello.")];
    for (format, request) in requests(&log) {
        assert!(places(&request, &is_text).len() >= 3, "{format:?}: {request:#}");
    }
}
