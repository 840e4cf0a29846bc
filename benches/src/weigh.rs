//! Weighs a hub's store: how many bytes its messages, its search and everything else take on disk.
//!
//! `weigh FOLDER` prints one line of JSON for `parlour-bench disk`. The hub must have ended before, so that its
//! write-ahead log is part of the database file.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

/// A yardstick for `parlour-bench disk`: weighs the store in a data folder.
#[derive(Parser)]
struct Settings {
    /// The data folder of a hub that has ended.
    folder: PathBuf,
}

/// All in bytes, but for the number of messages.
#[derive(Serialize)]
struct Weight {
    messages: i64,
    /// The texts alone.
    bodies: i64,
    /// The same messages as rows of one table without any index: the least that keeps what a message says.
    plain_rows: i64,
    search: i64,
    /// Everything but search.
    rest: i64,
}

fn main() -> Result<()> {
    let path = Settings::parse().folder.join("parlour.db");
    let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .with_context(|| format!("open {}", path.display()))?;
    let weight = weigh(&db).context("weigh the store")?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&weight)?)?;
    Ok(())
}

fn weigh(db: &Connection) -> rusqlite::Result<Weight> {
    let number = |query: &str| db.query_row(query, [], |row| row.get::<_, i64>(0));
    Ok(Weight {
        messages: number("SELECT count(*) FROM message")?,
        bodies: number("SELECT coalesce(sum(octet_length(body)), 0) FROM message")?,
        plain_rows: weigh_plain_rows(db)?,
        search: number("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE 'message_text%'")?,
        rest: number("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name NOT LIKE 'message_text%'")?,
    })
}

/// Copies the messages into a database of their own, which goes away with the connection.
fn weigh_plain_rows(db: &Connection) -> rusqlite::Result<i64> {
    db.execute_batch(
        "ATTACH '' AS plain;
         CREATE TABLE plain.message AS
         SELECT id, conversation_no, seq, author_no, created_ms, kind, body
         FROM main.message
         ORDER BY no",
    )?;
    db.query_row("SELECT sum(pgsize) FROM dbstat('plain') WHERE name = 'message'", [], |row| row.get(0))
}
