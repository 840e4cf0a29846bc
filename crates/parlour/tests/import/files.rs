//! Lines and lists: the order of messages, conversations, and what is no message.

use serde_json::{Value, json};

use crate::fixture::ImportFixture;

fn tkr(number: u32, session: &str) -> Value {
    json!({
        "id": format!("msg_{number}"), "type": "text", "timestamp": format!("2025-05-02T12:00:{number:02}.000Z"),
        "session_id": session, "from_user": true, "content": format!("Number {number}"),
    })
}

fn jaibber(number: u32) -> Value {
    json!({
        "id": format!("c0ffee00-0000-4000-8000-0000000000{number:02}"), "projectId": "5f0a9b8c-0000-4000-8000-00000000000a",
        "senderId": "7b1c2d3e-0000-4000-8000-000000000001", "senderType": "user", "senderName": "mara", "type": "message",
        "text": format!("Number {number}"), "metadata": {}, "createdAt": format!("2026-03-01T10:00:{number:02}.000Z"),
    })
}

fn numbers(range: std::ops::RangeInclusive<u32>) -> Vec<String> {
    range.map(|number| format!("Number {number}")).collect()
}

#[test]
fn a_newest_first_list_is_reversed() {
    let fixture = ImportFixture::new();
    let data: Vec<Value> = (1..=9).rev().map(jaibber).collect();
    fixture.write("history.json", &json!({ "data": data, "pagination": {"hasMore": false} }).to_string());
    fixture.shown("import jaibber history.json");
    let channel = fixture.channels().remove(0);
    assert_eq!((channel.as_str(), fixture.bodies(&channel)), ("jaibber-5f0a9b8c-000", numbers(1..=9)));

    // The next page of the server has newer ones on top.
    let data: Vec<Value> = (5..=12).rev().map(jaibber).collect();
    fixture.write("history.json", &json!({ "data": data }).to_string());
    let told = fixture.json("import jaibber history.json");
    assert_eq!((&told["stored"], &told["known"]), (&3.into(), &5.into()));
    assert_eq!(fixture.bodies(&channel), numbers(1..=12));
}

#[test]
fn all_pages_in_one_file_are_read() {
    let fixture = ImportFixture::new();
    let page = |numbers: std::ops::RangeInclusive<u32>| {
        let data: Vec<Value> = numbers.rev().map(jaibber).collect();
        format!("{}\n", json!({ "data": data, "pagination": {"hasMore": true} }))
    };
    fixture.write("history.json", &format!("{}{}", page(6..=9), page(1..=5)));
    assert_eq!(fixture.json("import jaibber history.json")["stored"], 9);
    assert_eq!(fixture.bodies("jaibber-5f0a9b8c-000"), numbers(1..=9));
}

#[test]
fn a_message_with_both_session_fields_uses_the_one_of_the_dialect() {
    let fixture = ImportFixture::new();
    let mut hybrid = tkr(2, "new");
    hybrid["sessionId"] = json!("old");
    fixture.write("messages.jsonl", &format!("{}\n{hybrid}\n{}\n", tkr(1, "new"), tkr(3, "old")));
    fixture.shown("import tkr messages.jsonl");
    assert_eq!((fixture.bodies("new"), fixture.bodies("old")), (numbers(1..=1), numbers(2..=3)));
}

#[test]
fn lines_keep_their_order_and_each_session_has_its_channel() {
    let fixture = ImportFixture::new();
    let mut lines: Vec<String> = (1..=250).map(|number| tkr(number % 50, "default").to_string()).collect();
    lines.dedup();
    for (place, line) in lines.iter_mut().enumerate() {
        let mut value = tkr(u32::try_from(place).expect("small") % 60, if place % 2 == 0 { "default" } else { "s-2" });
        value["id"] = json!(format!("m{place}"));
        value["content"] = json!(format!("Place {place}"));
        *line = value.to_string();
    }
    fixture.write("messages.jsonl", &lines.join("\n"));
    let told = fixture.json("import tkr messages.jsonl");
    assert_eq!(told["stored"], lines.len());
    assert_eq!(fixture.channels(), ["default", "s-2"]);
    let expected: Vec<String> = (0..lines.len()).step_by(2).map(|place| format!("Place {place}")).collect();
    assert_eq!(fixture.bodies("default"), expected, "times that go back and forth do not move anything");
}

#[test]
fn repeated_messages_are_imported_once_and_different_ones_with_the_same_id_twice() {
    let fixture = ImportFixture::new();
    let mut other = tkr(1, "default");
    other["content"] = json!("The same id, another text");
    let lines = [tkr(1, "default"), tkr(2, "default"), tkr(1, "default"), other.clone(), other];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fixture.write("messages.jsonl", &text);
    let told = fixture.json("import tkr messages.jsonl");
    assert_eq!((&told["stored"], &told["skipped"]["doubles"]), (&3.into(), &2.into()));
    assert_eq!(fixture.json("import tkr messages.jsonl")["known"], 3);
    assert_eq!(fixture.bodies("default"), ["Number 1", "Number 2", "The same id, another text"]);
}

#[test]
fn other_frames_are_skipped_and_reported() {
    let fixture = ImportFixture::new();
    let mut begun = tkr(2, "default");
    (begun["streaming"], begun["content"], begun["from_user"]) = (json!(true), json!("So far"), json!(false));
    begun["from_agent"] = json!("chloe");
    let mut typing = begun.clone();
    (typing["content"], typing["turn_complete"]) = (json!(""), json!(false));
    fixture.write("messages.jsonl", &format!("{}\n{typing}\n{begun}\n", tkr(1, "default")));
    let shown = fixture.shown("import tkr messages.jsonl");
    assert!(shown.contains("Skipped, not messages: 1 typing frame\n"), "{shown}");
    assert!(shown.contains("Skipped, unfinished: 1 answer\n"), "{shown}");
    assert_eq!(fixture.bodies("default"), ["Number 1"]);
}

#[test]
fn an_existing_channel_is_not_used_for_another_conversation() {
    let fixture = ImportFixture::new();
    fixture.json("channel create default --topic 'Something else'");
    fixture.write("messages.jsonl", &format!("{}\n", tkr(1, "default")));
    fixture.shown("import tkr messages.jsonl");
    assert_eq!(fixture.channels(), ["default", "default-2"]);
    assert_eq!(fixture.bodies("default-2"), ["Number 1"]);
    assert!(fixture.bodies("default").is_empty());
}

#[test]
fn messages_without_a_time_are_imported_once() {
    let fixture = ImportFixture::new();
    let frame = |number: u32| {
        json!({
            "from": "u-1", "fromUsername": "mara", "projectId": "alpha", "text": format!("Number {number}"),
            "messageId": format!("f-{number}"), "type": "message",
        })
    };
    let text = |count: u32| (1..=count).map(|number| format!("{}\n", frame(number))).collect::<String>();
    fixture.write("frames.jsonl", &text(5));
    assert_eq!(fixture.json("import jaibber frames.jsonl")["stored"], 5);
    fixture.write("frames.jsonl", &text(7));
    let told = fixture.json("import jaibber frames.jsonl");
    assert_eq!((&told["stored"], &told["known"], &told["changed"]), (&2.into(), &5.into(), &0.into()));
    assert_eq!(fixture.bodies("alpha"), numbers(1..=7));
    fixture.shown("export jaibber out.jsonl");
    assert_eq!(std::fs::read_to_string(fixture.path("out.jsonl")).expect("a file").lines().count(), 7);
}

#[test]
fn a_damaged_encoding_is_repaired_on_request() {
    let fixture = ImportFixture::new();
    let mut damaged = tkr(1, "default");
    damaged["content"] = json!("It is 72Â°F");
    fixture.write("messages.jsonl", &format!("{damaged}\n"));
    fixture.shown("import tkr messages.jsonl --repair-encoding");
    assert_eq!(fixture.bodies("default"), ["It is 72°F"]);
}

#[test]
fn zen_threads_are_below_their_message_and_dms_are_private() {
    let fixture = ImportFixture::new();
    let lines = [
        json!({
            "id": "th:c:ch:demo:deck:1000:2000:a1b2c3", "type": "thread", "channel_id": "ch:demo:deck", "from": "coder",
            "root": "c:ch:demo:deck:1000", "body": "Below", "ts": 1_757_000_002_000_u64,
        }),
        json!({
            "id": "c:ch:demo:deck:1000", "type": "channel", "channel_id": "ch:demo:deck", "from": "planner", "body": "Root",
            "mentions": [], "artifacts": [], "blocking": false, "importance": "normal", "ts": 1_757_000_001_000_u64,
        }),
        json!({
            "id": "dm:coder:planner:3000", "type": "dm", "members": ["coder", "planner"], "from": "coder", "body": "Psst",
            "blocking": false, "importance": "normal", "ts": 1_757_000_003_000_u64,
        }),
    ];
    fixture.write("messages.jsonl", &lines.map(|line| line.to_string()).join("\n"));
    assert_eq!(fixture.json("import zen messages.jsonl")["stored"], 3);
    let channels = fixture.json("channel list");
    let shown = |one: &Value| format!("{} {}", one["visibility"], one["name"]).replace('"', "");
    let seen: Vec<String> = channels["items"].as_array().expect("channels").iter().map(shown).collect();
    assert_eq!(seen, ["project ch-demo-deck", "private dm coder- planner"]);
    let root = fixture.history("ch-demo-deck").remove(0);
    assert_eq!(root["body"], "Root");
    assert_eq!(fixture.bodies(root["thread_id"].as_str().expect("a thread")), ["Below"]);
    assert_eq!(fixture.json("import zen messages.jsonl")["known"], 3);
}
