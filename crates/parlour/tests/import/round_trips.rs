//! An export equals the imported source. The source is the fixtures of the dialects, which contain every message form.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    fixture::ImportFixture,
    support::{parlour, run},
};

/// The fixture lines of a dialect that are complete messages.
fn messages(fixture: &ImportFixture, dialect: &str) -> Vec<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../parlour-dialects/tests/fixtures")
        .join(format!("{dialect}.jsonl"));
    let text = fs::read_to_string(file).expect("a fixture");
    let native = run(parlour(fixture.folder.path()).args(["convert", "--from", dialect, "--to", "native"]), &text);
    assert_eq!(native.code, Some(0), "{}", native.stderr);
    let is_message = |line: &str| {
        let native: Value = serde_json::from_str(line).expect("JSON");
        native.get("frame").is_none() && native["state"] != "streaming"
    };
    let whole = text.lines().zip(native.stdout.lines()).filter(|(_, native)| is_message(native));
    whole.map(|(line, _)| line.to_owned()).collect()
}

/// The lines of Caco's fixtures that are messages, each with the events of a tool that it called.
fn caco_session(fixture: &ImportFixture) -> Vec<String> {
    let mut lines = Vec::new();
    for line in messages(fixture, "caco") {
        let event: Value = serde_json::from_str(&line).expect("JSON");
        let event = event.get("event").unwrap_or(&event).clone();
        lines.push(line);
        for call in event["data"]["toolRequests"].as_array().into_iter().flatten() {
            let data =
                json!({"toolCallId": call["toolCallId"], "toolName": call["name"], "arguments": call["arguments"]});
            lines.push(
                json!({"type": "tool.execution_start", "id": "e-1", "parentId": "e-0", "data": data}).to_string(),
            );
            let data =
                json!({"toolCallId": call["toolCallId"], "success": true, "result": {"content": "x", "more": [1]}});
            let at = "2026-02-06T09:30:00.123Z";
            lines.push(json!({"type": "tool.execution_complete", "timestamp": at, "data": data}).to_string());
        }
    }
    lines
}

/// Values in an order that does not depend on the file, each once.
fn sorted<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let value = |line: &str| serde_json::from_str::<Value>(line).expect("JSON").to_string();
    let mut values: Vec<String> = lines.into_iter().map(value).collect();
    values.sort();
    values.dedup();
    values
}

fn check_lines(system: &str) {
    let fixture = ImportFixture::new();
    let lines = messages(&fixture, system);
    assert!(lines.len() > 5, "{system} has messages");
    fixture.write("source.jsonl", &lines.join("\n"));
    let told = fixture.json(&format!("import {system} source.jsonl"));
    assert_eq!(told["problems"]["count"], 0, "{told}");
    assert_eq!(told["known"], 0, "{told}");
    let again = fixture.json(&format!("import {system} source.jsonl"));
    assert_eq!((&again["stored"], &again["known"], &again["changed"]), (&0.into(), &told["stored"], &0.into()));
    fixture.shown(&format!("export {system} out.jsonl"));
    let out = fs::read_to_string(fixture.path("out.jsonl")).expect("a file");
    assert_eq!(sorted(out.lines()), sorted(lines.iter().map(String::as_str)));
    fixture.shown(&format!("export {system} out.json"));
    let list: Vec<Value> =
        serde_json::from_slice(&fs::read(fixture.path("out.json")).expect("a file")).expect("a list");
    assert_eq!(list.len(), out.lines().count());
}

#[test]
fn tkr_messages_round_trip() {
    check_lines("tkr");
}

#[test]
fn jaibber_messages_round_trip() {
    check_lines("jaibber");
}

#[test]
fn zen_messages_round_trip() {
    check_lines("zen");
}

#[test]
fn caco_sessions_round_trip() {
    let fixture = ImportFixture::new();
    let lines = caco_session(&fixture);
    assert!(lines.iter().any(|line| line.contains("tool.execution_complete")), "some messages call tools");
    fixture.write("caco/sessions/s-1/events.jsonl", &lines.join("\n"));
    let told = fixture.json("import caco caco");
    assert_eq!((&told["problems"]["count"], &told["skipped"]["frames"]), (&0.into(), &0.into()));
    fixture.shown("export caco out");
    let out = fs::read_to_string(fixture.path("out/sessions/s-1/events.jsonl")).expect("a file");
    assert_eq!(sorted(out.lines()), sorted(lines.iter().map(String::as_str)));
}

#[test]
fn tkr_messages_round_trip_through_an_export_as_jaibber() {
    let fixture = ImportFixture::new();
    let lines = messages(&fixture, "tkr");
    fixture.write("source.jsonl", &lines.join("\n"));
    fixture.shown("import tkr source.jsonl");
    fixture.shown("export jaibber out.jsonl");
    let out = fs::read_to_string(fixture.path("out.jsonl")).expect("a file");
    let back = run(parlour(fixture.folder.path()).args(["convert", "--from", "jaibber", "--to", "tkr"]), &out);
    assert_eq!(back.code, Some(0), "{}", back.stderr);
    assert_eq!(sorted(back.stdout.lines()), sorted(lines.iter().map(String::as_str)));
}
