//! Output of an export as a database of pynchy.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, types::Value as Sql};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{
    ExportStop,
    sink::{ExportSink, ExportedConversation, check_not_existing, persist, temporary_file},
};
use crate::failure::Failure;

const TABLES: &str = "
    CREATE TABLE chats (
        jid TEXT PRIMARY KEY,
        name TEXT,
        last_message_time TEXT
    );
    CREATE TABLE messages (
        id TEXT,
        chat_jid TEXT,
        sender TEXT,
        sender_name TEXT,
        content TEXT,
        timestamp TEXT,
        is_from_me INTEGER,
        message_type TEXT DEFAULT 'user',
        metadata TEXT,
        PRIMARY KEY (id, chat_jid)
    );
    CREATE INDEX idx_messages_by_chat ON messages (chat_jid, timestamp);
    BEGIN;";

const ADD: &str = "
    INSERT INTO messages (id, chat_jid, sender, sender_name, content, timestamp, is_from_me, message_type, metadata)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT DO NOTHING";

const COLUMNS: [&str; 9] =
    ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me", "message_type", "metadata"];

/// A new database at a temporary path.
pub(super) struct PynchySink {
    path: PathBuf,
    file: Option<NamedTempFile>,
    connection: Option<Connection>,
    chats: HashSet<String>,
    written: u64,
    unwritten: u64,
}

impl PynchySink {
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        check_not_existing(path, is_forced)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = temporary_file(folder).map_err(|error| Failure::broken(folder.display(), &error))?;
        let connection = Connection::open(file.path())
            .and_then(|connection| connection.execute_batch(TABLES).map(|()| connection))
            .map_err(|error| Failure::broken(path.display(), &error))?;
        Ok(Self {
            path: path.to_owned(),
            file: Some(file),
            connection: Some(connection),
            chats: HashSet::new(),
            written: 0,
            unwritten: 0,
        })
    }

    fn failed(&self, error: &rusqlite::Error) -> ExportStop {
        ExportStop::Failed(Failure::broken(self.path.display(), error))
    }

    fn add(&mut self, conversation: &ExportedConversation<'_>, value: &Value) -> rusqlite::Result<()> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let columns = COLUMNS.map(|name| sql(value.get(name)));
        let count = connection.prepare_cached(ADD)?.execute(rusqlite::params_from_iter(columns))?;
        self.written += count as u64;
        self.unwritten += u64::from(count == 0);
        let jid = value["chat_jid"].as_str().unwrap_or_default();
        if self.chats.insert(jid.to_owned()) {
            let title = "INSERT INTO chats (jid, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.prepare_cached(title)?.execute(rusqlite::params![jid, conversation.title])?;
        }
        Ok(())
    }
}

impl ExportSink for PynchySink {
    fn write(&mut self, conversation: &ExportedConversation<'_>, value: Value) -> Result<(), ExportStop> {
        self.add(conversation, &value).map_err(|error| self.failed(&error))
    }

    fn finish(&mut self) -> Result<(), ExportStop> {
        let (Some(connection), Some(file)) = (self.connection.take(), self.file.take()) else { return Ok(()) };
        let last = "
            UPDATE chats
            SET last_message_time = (SELECT MAX(timestamp) FROM messages WHERE chat_jid = jid);
            COMMIT;";
        connection.execute_batch(last).map_err(|error| self.failed(&error))?;
        connection.close().map_err(|(_, error)| self.failed(&error))?;
        persist(file, &self.path)
            .map_err(|error: io::Error| ExportStop::Failed(Failure::broken(self.path.display(), &error)))
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn unwritten(&self) -> u64 {
        self.unwritten
    }
}

/// Arrays and objects are stored as JSON text, as in pynchy.
fn sql(value: Option<&Value>) -> Sql {
    match value {
        None | Some(Value::Null) => Sql::Null,
        Some(Value::Bool(is_so)) => Sql::Integer(i64::from(*is_so)),
        Some(Value::Number(number)) => match number.as_i64() {
            Some(whole) => Sql::Integer(whole),
            None => Sql::Real(number.as_f64().unwrap_or_default()),
        },
        Some(Value::String(text)) => Sql::Text(text.clone()),
        Some(other) => Sql::Text(other.to_string()),
    }
}
