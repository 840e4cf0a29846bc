//! A hub, and sources that are made for it.

use std::{fs, path::PathBuf};

use rusqlite::{Connection, params};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Hub, Run};

/// A hub with an empty project `Tour` beside its sample project, and the folder that ends with it.
pub(crate) struct ImportFixture {
    pub(crate) hub: Hub,
    pub(crate) folder: TempDir,
}

impl ImportFixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        hub.json("project create Move");
        Self { hub, folder }
    }

    /// Runs a command in the project.
    pub(crate) fn run(&self, line: &str) -> Run {
        self.hub.run(&format!("{line} --project Move"))
    }

    /// Runs a command in the project that must succeed, and reads its JSON.
    pub(crate) fn json(&self, line: &str) -> Value {
        self.hub.json(&format!("{line} --project Move"))
    }

    /// Runs a command in the project that must succeed, and gives what it showed.
    pub(crate) fn shown(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        run.stdout
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    /// The messages of a channel, oldest first.
    pub(crate) fn history(&self, channel: &str) -> Vec<Value> {
        let page = self.json(&format!("history '{channel}' --all"));
        let mut messages = page["items"].as_array().expect("messages").clone();
        messages.sort_by_key(|message| message["seq"].as_u64());
        messages
    }

    pub(crate) fn bodies(&self, channel: &str) -> Vec<String> {
        let body = |message: &Value| message["body"].as_str().expect("a text").to_owned();
        self.history(channel).iter().map(body).collect()
    }

    /// The names of the project's channels.
    pub(crate) fn channels(&self) -> Vec<String> {
        let page = self.json("channel list");
        let name = |channel: &Value| channel["name"].as_str().expect("a name").to_owned();
        page["items"].as_array().expect("channels").iter().map(name).collect()
    }
}

/// A row of pynchy's table.
pub(crate) type Row = (String, String, String, String, String, String, i64, String, Option<String>);

/// A usual row.
pub(crate) fn row(number: usize, jid: &str, content: &str) -> Row {
    let at = format!("2026-02-15T09:{:02}:{:02}.123456+00:00", number / 60 % 60, number % 60);
    let sender = "491701234567@s.whatsapp.net".to_owned();
    (format!("m-{number}"), jid.into(), sender, "Mara".into(), content.into(), at, 0, "user".into(), None)
}

/// A database with these rows, as pynchy makes it.
pub(crate) fn database(path: &std::path::Path, rows: &[Row]) -> Connection {
    let connection = Connection::open(path).expect("a database");
    let tables = "
        CREATE TABLE chats (jid TEXT PRIMARY KEY, name TEXT, last_message_time TEXT);
        CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, content TEXT, timestamp TEXT,
            is_from_me INTEGER, message_type TEXT DEFAULT 'user', metadata TEXT, PRIMARY KEY (id, chat_jid));";
    connection.execute_batch(tables).expect("tables");
    add_rows(&connection, rows);
    connection
}

pub(crate) fn add_rows(connection: &Connection, rows: &[Row]) {
    connection.execute_batch("BEGIN").expect("begun");
    for (id, jid, sender, name, content, at, is_from_me, kind, metadata) in rows {
        let values = params![id, jid, sender, name, content, at, is_from_me, kind, metadata];
        connection.execute("INSERT INTO messages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", values).expect("a row");
    }
    connection.execute_batch("COMMIT").expect("done");
}

/// All rows of a database, by chat and id.
pub(crate) fn rows(path: &std::path::Path) -> Vec<Row> {
    let connection = Connection::open(path).expect("a database");
    let mut query = connection.prepare("SELECT * FROM messages ORDER BY chat_jid, timestamp, id").expect("a query");
    let read = |row: &rusqlite::Row<'_>| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
            row.get(8)?,
        ))
    };
    query.query_map([], read).expect("rows").collect::<Result<_, _>>().expect("rows")
}
