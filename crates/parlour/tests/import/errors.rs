//! What an import says when it cannot do what was asked, and that it then has done nothing.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    fixture::{ImportFixture, database, row},
    support::run,
};

#[test]
fn one_invalid_row_prevents_the_import() {
    let fixture = ImportFixture::new();
    let mut bad = row(3, "home@g.us", "Bad");
    bad.5 = "yesterday".into();
    let mut odd = row(4, "home@g.us", "Odd");
    odd.8 = Some("{no json".into());
    database(&fixture.path("messages.db"), &[row(1, "home@g.us", "One"), bad, row(2, "home@g.us", "Two"), odd]);
    let refused = fixture.run("import pynchy messages.db");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    let lines: Vec<_> = refused.stderr.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("row 2: field timestamp: ")), "{}", refused.stderr);
    assert!(
        lines[lines.len() - 2].starts_with("parlour: ") && lines[lines.len() - 2].ends_with("; nothing was written")
    );
    assert!(lines[lines.len() - 1].contains("--lenient"), "{}", refused.stderr);
    assert!(fixture.channels().is_empty());

    let lenient = fixture.run("import pynchy messages.db --lenient");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    assert!(lenient.stderr.contains("row 2: field timestamp: "), "{}", lenient.stderr);
    let bodies = fixture.bodies("home");
    assert!(bodies.starts_with(&["One".to_owned(), "Two".to_owned()]), "{bodies:?}");
    assert!(lenient.stdout.contains(&format!(
        "Imported {}, already present 0, skipped {}.",
        bodies.len(),
        4 - bodies.len()
    )));
}

#[test]
fn many_problems_are_counted_and_the_first_are_shown() {
    let fixture = ImportFixture::new();
    fixture.write("messages.jsonl", &"{}\n".repeat(30));
    let refused = fixture.run("import native messages.jsonl");
    assert_eq!(refused.code, Some(1));
    let lines: Vec<_> = refused.stderr.lines().collect();
    assert_eq!(lines.len(), 23, "{}", refused.stderr);
    assert!(lines[0].starts_with("line 1: ") && lines[19].starts_with("line 20: "), "{}", refused.stderr);
    assert_eq!(lines[20], "… and 10 more");
    assert_eq!(lines[21], "parlour: 30 rows cannot be imported; nothing was written");
}

/// A message of TKR.
fn tkr(number: u32, content: &str) -> Value {
    json!({
        "id": format!("m{number}"), "type": "text", "timestamp": "2025-05-02T12:00:00.000Z", "session_id": "default",
        "from_user": true, "content": content,
    })
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn values_nested_deeper_than_a_request_allows_are_imported_and_restored() {
    let fixture = ImportFixture::new();
    let deep = |levels: u32| (0..levels).fold(Value::Null, |inner, _| json!([inner]));
    let mut source: Vec<Value> = (0..120).map(|number| tkr(number, "Hello")).collect();
    for (place, levels) in [(3, 26), (4, 27), (5, 28), (6, 40), (118, 90)] {
        source[place]["metadata"] = json!({"deep": deep(levels)});
    }
    source[7]["content"] = json!({"text": "Deep", "more": deep(40)});
    fixture.write("messages.jsonl", &lines(&source));
    let told = fixture.json("import tkr messages.jsonl");
    assert_eq!((&told["stored"], &told["problems"]["count"]), (&120.into(), &0.into()));
    assert_eq!(fixture.json("import tkr messages.jsonl")["known"], 120);
    fixture.shown("export tkr out.jsonl");
    let out = fs::read_to_string(fixture.path("out.jsonl")).expect("a file");
    let values: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(values, source);
}

#[test]
fn too_deeply_nested_values_are_refused_with_their_line() {
    let fixture = ImportFixture::new();
    let mut bad = tkr(2, "Deep");
    bad["metadata"] = json!({"deep": (0..110).fold(Value::Null, |inner, _| json!([inner]))});
    fixture.write("messages.jsonl", &lines(&[tkr(1, "One"), bad, tkr(3, "Three")]));
    let refused = fixture.run("import tkr messages.jsonl");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("line 2: field metadata: "), "{}", refused.stderr);
    assert!(fixture.channels().is_empty());
    fixture.run("import tkr messages.jsonl --lenient");
    assert_eq!(fixture.bodies("default"), ["One", "Three"]);
}

#[test]
fn messages_from_the_future_are_skipped() {
    let fixture = ImportFixture::new();
    let mut late = tkr(2, "Late");
    late["timestamp"] = json!("2099-01-01T00:00:00Z");
    fixture.write("messages.jsonl", &lines(&[tkr(1, "One"), late, tkr(3, "Three")]));
    let refused = fixture.run("import tkr messages.jsonl");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("line 2: field created_at: "), "{}", refused.stderr);
    assert!(fixture.channels().is_empty());
    let lenient = fixture.run("import tkr messages.jsonl --lenient");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    assert!(lenient.stdout.contains("Imported 2, already present 0, skipped 1.\n"), "{}", lenient.stdout);
    assert_eq!(fixture.bodies("default"), ["One", "Three"]);
}

#[test]
fn a_message_without_a_time_does_not_get_that_of_a_skipped_one() {
    let fixture = ImportFixture::new();
    let frame = |number: u32| {
        json!({
            "from": "u-1", "fromUsername": "mara", "projectId": "alpha", "text": format!("Number {number}"),
            "messageId": format!("f-{number}"), "type": "message",
        })
    };
    let late = json!({
        "id": "r-2", "projectId": "alpha", "senderId": "u-1", "senderType": "user", "senderName": "mara",
        "type": "message", "text": "Late", "metadata": {}, "createdAt": "2099-01-01T00:00:00.000Z",
    });
    fixture.write("frames.jsonl", &lines(&[frame(1), late, frame(3)]));
    let lenient = fixture.run("import jaibber frames.jsonl --lenient");
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    assert_eq!(fixture.bodies("alpha"), ["Number 1", "Number 3"]);
}

#[test]
fn a_wrong_file_is_refused_with_a_remedy() {
    let fixture = ImportFixture::new();
    fixture.write("text.db", &"This is no database, but it is long enough to be looked at as one. ".repeat(20));
    Connection::open(fixture.path("other.db"))
        .expect("a database")
        .execute_batch("CREATE TABLE t (x);")
        .expect("a table");
    fixture.write("empty/sessions/s-1/meta.json", "{}");
    fixture.write("none/readme.txt", "");
    fixture.write("wide.json", "");
    fs::write(fixture.path("wide.json"), b"\xFF\xFE[\0]\0").expect("written");
    for (line, said) in [
        ("import pynchy missing.db", "missing.db: No such file"),
        ("import pynchy text.db", "text.db is not a SQLite database\n  try: pass the file messages.db"),
        ("import pynchy other.db", "other.db has no pynchy table `messages`"),
        ("import pynchy none", "none is a folder, not a file"),
        (
            "import caco empty",
            "no session in empty contains a file events.jsonl\n  try: pass the folder of the event files",
        ),
        ("import caco none", "none/sessions: No such file"),
        ("import tkr none", "none is a folder, not a file"),
        ("import tkr wide.json", "iconv -f UTF-16"),
        ("import jaibber wide.json --events none", "--events is only valid for caco"),
        ("import native text.db --channel nowhere", "line 1: "),
        ("import icq text.db", "pynchy, jaibber, caco, tkr, zen, native"),
    ] {
        let refused = fixture.run(line);
        assert!(refused.code.is_some_and(|code| code == 1 || code == 2), "{line}: {refused:?}");
        assert!(refused.stderr.contains(said), "{line}: {}", refused.stderr);
    }
    assert!(fixture.channels().is_empty());
}

#[test]
fn a_database_in_use_is_refused() {
    let fixture = ImportFixture::new();
    let connection = database(&fixture.path("messages.db"), &[row(1, "home@g.us", "One")]);
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal");
    crate::fixture::add_rows(&connection, &[row(2, "home@g.us", "Two")]);
    let refused = fixture.run("import pynchy messages.db");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("messages.db-wal contains messages that are not yet in messages.db"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("stop pynchy first"), "{}", refused.stderr);
    drop(connection);
    assert_eq!(fixture.json("import pynchy messages.db")["stored"], 2);
}

#[test]
fn only_an_administrator_imports() {
    let fixture = ImportFixture::new();
    database(&fixture.path("messages.db"), &[row(1, "home@g.us", "One")]);
    let mara = fixture.hub.json("person create Mara")["token"].as_str().expect("a token").to_owned();
    fixture.json("project invite Mara");
    let words = ["import", "pynchy", "messages.db", "--project", "Move"];
    let refused = run(fixture.hub.command().env("PARLOUR_TOKEN", mara).args(words), "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("parlour: only administrators can import"), "{}", refused.stderr);
    assert!(fixture.channels().is_empty(), "no channel was made for nothing");
}

#[test]
fn an_empty_source_is_no_failure() {
    let fixture = ImportFixture::new();
    fixture.write("empty.jsonl", "");
    assert_eq!(
        fixture.shown("import tkr empty.jsonl"),
        "The source contains no messages.\nImported 0, already present 0, skipped 0.\n"
    );
    database(&fixture.path("messages.db"), &[]);
    assert!(fixture.shown("import pynchy messages.db").starts_with("The source contains no messages.\n"));
}
