//! The size report separates search from the rest and counts every page once.

use std::{path::Path, process::Command};

use rusqlite::{Connection, params};
use serde_json::Value;

/// The tables of a store that the program reads.
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

fn measure(folder: &Path) -> Result<Value, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_store-size")).arg(folder).output().expect("run");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn bodies_are_counted_in_bytes_and_tables_in_pages() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["aé"; 500]);
    let size = measure(folder.path()).expect("a size");
    assert_eq!((size["messages"].as_i64(), size["bodies"].as_i64()), (Some(500), Some(1_500)));
    for name in ["plain_rows", "search", "rest"] {
        let bytes = size[name].as_i64().expect(name);
        assert!(bytes > 0 && bytes % 4_096 == 0, "{name} {bytes}");
    }
}

#[test]
fn search_and_rest_add_up_to_the_file() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["some words to be found again"; 300]);
    let size = measure(folder.path()).expect("a size");
    let whole = std::fs::metadata(folder.path().join("parlour.db")).expect("a file").len();
    let parts = size["search"].as_u64().expect("search") + size["rest"].as_u64().expect("rest");
    assert_eq!(parts, whole);
}

#[test]
fn measuring_does_not_change_the_store() {
    let folder = tempfile::tempdir().expect("folder");
    store_with(folder.path(), &["unchanged"; 10]);
    let before = std::fs::read(folder.path().join("parlour.db")).expect("a file");
    measure(folder.path()).expect("a size");
    assert!(std::fs::read(folder.path().join("parlour.db")).expect("a file") == before);
}

#[test]
fn a_folder_without_a_store_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("folder");
    assert!(measure(folder.path()).expect_err("no store").contains("parlour.db"));
}
