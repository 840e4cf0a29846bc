//! The scales know what belongs to search, and count every page of a store once.

use std::{path::Path, process::Command};

use rusqlite::{Connection, params};
use serde_json::Value;

/// As much of a hub's store as the scales look at.
const SCHEMA: &str = "
    CREATE TABLE message (
        no INTEGER PRIMARY KEY, id BLOB UNIQUE, conversation_no INTEGER, seq INTEGER, author_no INTEGER,
        created_ms INTEGER, kind INTEGER, body TEXT
    );
    CREATE VIRTUAL TABLE message_text USING fts5 (words, content = '', contentless_delete = 1);";

fn store_with(folder: &Path, bodies: &[&str]) {
    let db = Connection::open(folder.join("parlour.db")).expect("open");
    db.execute_batch(SCHEMA).expect("schema");
    for (no, body) in (1_i64..).zip(bodies) {
        let row = "INSERT INTO message VALUES (?1, ?2, 1, ?1, 1, 1, 1, ?3)";
        db.execute(row, params![no, no.to_be_bytes(), body]).expect("message");
        db.execute("INSERT INTO message_text (rowid, words) VALUES (?1, ?2)", params![no, body]).expect("words");
    }
}

fn weigh(folder: &Path) -> Result<Value, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_weigh")).arg(folder).output().expect("run");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn texts_are_counted_in_bytes_and_the_rest_in_pages() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["aé"; 500]);
    let weight = weigh(folder.path()).expect("a weight");
    assert_eq!((weight["messages"].as_i64(), weight["bodies"].as_i64()), (Some(500), Some(1_500)));
    for name in ["plain_rows", "search", "rest"] {
        let bytes = weight[name].as_i64().expect(name);
        assert!(bytes > 0 && bytes % 4_096 == 0, "{name} {bytes}");
    }
}

#[test]
fn search_and_rest_are_the_whole_file() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["some words to be found again"; 300]);
    let weight = weigh(folder.path()).expect("a weight");
    let whole = std::fs::metadata(folder.path().join("parlour.db")).expect("a file").len();
    let parts = weight["search"].as_u64().expect("search") + weight["rest"].as_u64().expect("rest");
    assert_eq!(parts, whole);
}

#[test]
fn weighing_leaves_the_store_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["unchanged"; 10]);
    let before = std::fs::read(folder.path().join("parlour.db")).expect("a file");
    weigh(folder.path()).expect("a weight");
    assert!(std::fs::read(folder.path().join("parlour.db")).expect("a file") == before);
}

#[test]
fn a_folder_without_a_store_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("folder");
    assert!(weigh(folder.path()).expect_err("no store").contains("parlour.db"));
}
