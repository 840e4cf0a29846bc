//! Measures the store of a hub: the bytes on disk of messages, search index and everything else.
//!
//! `store-size FOLDER` prints one line of JSON for `parlour-bench disk`. The hub must be stopped first, so that its
//! write-ahead log is part of the database file.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

/// Measures the store in a data folder, for `parlour-bench disk`.
#[derive(Parser)]
struct Settings {
    /// The data folder of a stopped hub.
    folder: PathBuf,
}

/// In bytes, except the number of messages.
#[derive(Serialize)]
struct StoreSize {
    messages: i64,
    /// Only the texts.
    bodies: i64,
    /// The same messages as rows of one table without an index.
    plain_rows: i64,
    search: i64,
    /// Everything except search.
    rest: i64,
}

fn main() -> Result<()> {
    let path = Settings::parse().folder.join("parlour.db");
    let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .with_context(|| format!("open {}", path.display()))?;
    let size = measure(&db).context("measure the store")?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&size)?)?;
    Ok(())
}

fn measure(db: &Connection) -> rusqlite::Result<StoreSize> {
    let number = |query: &str| db.query_row(query, [], |row| row.get::<_, i64>(0));
    Ok(StoreSize {
        messages: number("SELECT count(*) FROM message")?,
        bodies: number("SELECT coalesce(sum(octet_length(body)), 0) FROM message")?,
        plain_rows: measure_plain_rows(db)?,
        search: number("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE 'message_text%'")?,
        rest: number("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name NOT LIKE 'message_text%'")?,
    })
}

/// Copies the messages into a temporary database, which is deleted with the connection.
fn measure_plain_rows(db: &Connection) -> rusqlite::Result<i64> {
    db.execute_batch(
        "ATTACH '' AS plain;
         CREATE TABLE plain.message AS
         SELECT id, conversation_no, seq, author_no, created_ms, kind, body
         FROM main.message
         ORDER BY no",
    )?;
    db.query_row("SELECT sum(pgsize) FROM dbstat('plain') WHERE name = 'message'", [], |row| row.get(0))
}
