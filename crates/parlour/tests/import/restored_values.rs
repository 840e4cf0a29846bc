//! Values that the hub cannot store unchanged; an export restores them.

use serde_json::{Value, json};

use crate::fixture::{ImportFixture, database, row, rows};

#[test]
fn long_texts_are_split_into_messages_and_restored() {
    let fixture = ImportFixture::new();
    let long = "A line of output that goes on and on.\n".repeat(5_000);
    let source = [row(1, "home@g.us", "Before"), row(2, "home@g.us", &long), row(3, "home@g.us", "After")];
    database(&fixture.path("messages.db"), &source);
    let told = fixture.json("import pynchy messages.db");
    assert_eq!((&told["messages"], &told["stored"]), (&3.into(), &5.into()));
    let bodies = fixture.bodies("home");
    assert_eq!((bodies.len(), bodies[1..4].concat()), (5, long));
    assert_eq!(fixture.json("import pynchy messages.db")["known"], 5);
    assert_eq!(fixture.shown("export pynchy out.db"), "Exported 3 messages of 1 channel to out.db.\n");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}

#[test]
fn control_characters_are_replaced_and_restored() {
    let fixture = ImportFixture::new();
    let coloured = "\x1b[31mred\x1b[0m and \u{FFFD} and \u{7}";
    database(
        &fixture.path("messages.db"),
        &[row(1, "home@g.us", coloured), row(2, "home@g.us", &"\x1b[0m".repeat(3_000))],
    );
    fixture.shown("import pynchy messages.db");
    assert_eq!(fixture.bodies("home")[0], "\u{FFFD}[31mred\u{FFFD}[0m and \u{FFFD} and \u{FFFD}");
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}

#[test]
fn empty_texts_and_invalid_names_are_imported_and_restored() {
    let fixture = ImportFixture::new();
    let mut strange = row(2, "home@g.us", " \n ");
    strange.3 = format!("A name\nin two lines {}", "x".repeat(90));
    let mut far = row(3, "home@g.us", "Hello");
    far.2 = "y".repeat(400);
    database(&fixture.path("messages.db"), &[row(1, "home@g.us", ""), strange, far]);
    fixture.shown("import pynchy messages.db");
    let history = fixture.history("home");
    assert_eq!((&history[0]["body"], &history[1]["body"]), (&"(no text)".into(), &"(no text)".into()));
    assert!(history[1]["from"]["name"].as_str().is_some_and(|name| name.starts_with("A name in two lines x")));
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));
}

#[test]
fn too_long_metadata_are_stored_elsewhere_and_restored() {
    let fixture = ImportFixture::new();
    let mut noted = row(1, "home@g.us", "Noted");
    noted.8 = Some(json!({"trace": "z".repeat(20_000)}).to_string());
    database(&fixture.path("messages.db"), &[noted]);
    fixture.shown("import pynchy messages.db");
    fixture.shown("export pynchy out.db");
    assert_eq!(rows(&fixture.path("out.db")), rows(&fixture.path("messages.db")));

    let mut vast = row(2, "home@g.us", "Vast");
    vast.8 = Some(json!({"trace": "z".repeat(200_000)}).to_string());
    database(&fixture.path("vast.db"), &[vast]);
    let refused = fixture.run("import pynchy vast.db");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("row 1: field metadata: "), "{}", refused.stderr);
}

#[test]
fn replies_refer_to_the_new_ids() {
    let fixture = ImportFixture::new();
    let line = |id: &str, reply: Value| {
        let mut value = json!({
            "id": id, "type": "text", "timestamp": "2025-05-02T12:00:00.000Z", "session_id": "default",
            "from_agent": "phil", "content": "Hello", "in_reply_to": reply,
        });
        if value["in_reply_to"].is_null() {
            value.as_object_mut().expect("an object").remove("in_reply_to");
        }
        value
    };
    let lines = [line("a", Value::Null), line("b", json!("a")), line("c", json!("gone"))];
    fixture.write("messages.jsonl", &lines.map(|line| line.to_string()).join("\n"));
    fixture.shown("import tkr messages.jsonl");
    let history = fixture.history("default");
    assert_eq!(history[1]["reply_to"], history[0]["id"]);
    assert!(history[2].get("reply_to").is_none());
}

#[test]
fn later_messages_are_exported_too() {
    let fixture = ImportFixture::new();
    database(&fixture.path("messages.db"), &[row(1, "home@g.us", "One"), row(2, "home@g.us", "Two")]);
    fixture.shown("import pynchy messages.db");
    fixture.shown("post home 'Three'");
    fixture.shown("export native out.jsonl --channel home");
    let text = std::fs::read_to_string(fixture.path("out.jsonl")).expect("a file");
    let values = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let bodies: Vec<Value> =
        values.filter(|value| value.get("frame").is_none()).map(|value| value["body"].clone()).collect();
    assert_eq!(bodies, ["One", "Two", "Three"]);
}
