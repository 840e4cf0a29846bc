//! Messages in pynchy's database.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use parlour_core::Refusal;
use parlour_dialects::{Item, pynchy::time_order_key};
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Map, Value};

use super::source::{ImportSource, RowOrder, RowReader, SourceRow};
use crate::{commands::convert::decode::DialectDecoder, failure::Failure};

/// The columns of a message. Old databases have only the first seven.
const COLUMNS: [&str; 9] =
    ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me", "message_type", "metadata"];
const COLUMNS_MIN: usize = 7;

/// The column that a message can do without.
const METADATA: &str = "metadata";
/// Metadata key of the text of an unreadable column `metadata`.
const UNREADABLE: &str = "unreadable_metadata";

/// A read-only database; SQLite writes no files beside it.
pub(super) struct PynchySource {
    path: PathBuf,
    decoder: DialectDecoder,
    connection: Connection,
    columns: Vec<&'static str>,
    titles: HashMap<String, String>,
    order: Vec<i64>,
}

impl PynchySource {
    pub(super) fn open(path: &Path, decoder: DialectDecoder) -> Result<Self, Failure> {
        check_is_whole(path)?;
        let failed = |error: rusqlite::Error| explain(path, &error);
        let connection = Connection::open_with_flags(address(path)?, flags()).map_err(failed)?;
        let columns = columns(&connection).map_err(failed)?;
        if columns.len() < COLUMNS_MIN {
            return Err(no_messages(path));
        }
        let titles = titles(&connection).map_err(failed)?;
        let order = order(&connection).map_err(failed)?;
        Ok(Self { path: path.to_owned(), decoder, connection, columns, titles, order })
    }

    /// The columns of a row. Metadata that are not text are replaced by a similar text, and the reason is returned too.
    fn value(&self, rowid: i64) -> rusqlite::Result<Result<(Value, Option<Refusal>), Refusal>> {
        let mut query = self.connection.prepare_cached(&select(&self.columns))?;
        query.query_row([rowid], |row| {
            let (mut fields, mut unreadable) = (Map::new(), None);
            for (index, name) in self.columns.iter().enumerate() {
                match json(row.get_ref(index)?) {
                    Ok(value) => fields.insert((*name).to_owned(), value),
                    Err(refusal) if *name == METADATA => {
                        unreadable = Some(refusal.at(name));
                        fields.insert((*name).to_owned(), lossy(row.get_ref(index)?))
                    }
                    Err(refusal) => return Ok(Err(refusal.at(name))),
                };
            }
            Ok(Ok((Value::Object(fields), unreadable)))
        })
    }

    /// Decodes a row. If only its metadata are unreadable, the message keeps their text, and the reason is returned too.
    fn decode(&self, mut value: Value, unreadable: Option<Refusal>) -> (Result<Item, Refusal>, Option<Refusal>) {
        let refusal = match (unreadable, self.decoder.item_of(value.clone())) {
            (None, Ok(item)) => return (Ok(item), None),
            (Some(refusal), _) | (None, Err(refusal)) => refusal,
        };
        let column = value[METADATA].take();
        let Ok(mut item) = self.decoder.item_of(value) else { return (Err(refusal), None) };
        let text = column.as_str().map_or_else(|| column.to_string(), str::to_owned);
        item.message.metadata.insert(UNREADABLE.to_owned(), text.into());
        (Ok(item), Some(refusal))
    }
}

impl ImportSource for PynchySource {
    fn rows(&self, _order: RowOrder) -> Result<Box<dyn RowReader + '_>, Failure> {
        Ok(Box::new(InOrder { source: self, next: 0 }))
    }

    fn title(&self, conversation: &str) -> Option<String> {
        self.titles.get(conversation).cloned()
    }
}

struct InOrder<'a> {
    source: &'a PynchySource,
    next: usize,
}

impl RowReader for InOrder<'_> {
    fn next(&mut self) -> Result<Option<SourceRow>, Failure> {
        let source = self.source;
        let Some(&rowid) = source.order.get(self.next) else { return Ok(None) };
        self.next += 1;
        let value = source.value(rowid).map_err(|error| explain(&source.path, &error))?;
        let conversation = value.as_ref().ok().and_then(|(value, _)| value["chat_jid"].as_str().map(str::to_owned));
        let (item, unreadable) = match value {
            Ok((value, unreadable)) => source.decode(value, unreadable),
            Err(refusal) => (Err(refusal), None),
        };
        Ok(Some(SourceRow { unreadable, ..SourceRow::whole(format!("row {rowid}"), conversation, item) }))
    }
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// `immutable` prevents SQLite from writing files beside the database.
fn address(path: &Path) -> Result<String, Failure> {
    let whole = path.canonicalize().map_err(|error| Failure::broken(path.display(), &error))?;
    let mut address = "file:".to_owned();
    for byte in whole.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => address.push(char::from(*byte)),
            _ => address += &format!("%{byte:02X}"),
        }
    }
    Ok(address + "?immutable=1")
}

/// Refuses a database with a pending WAL file, whose messages would be missing.
fn check_is_whole(path: &Path) -> Result<(), Failure> {
    crate::commands::convert::open(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push("-wal");
    match fs::metadata(&beside) {
        Ok(about) if about.len() > 0 => {
            let message = format!("{} contains messages that are not yet in {}", beside.display(), path.display());
            Err(Failure::new(message)
                .hint("stop pynchy first, or import a copy: sqlite3 messages.db '.backup copy.db'"))
        }
        _ => Ok(()),
    }
}

fn columns(connection: &Connection) -> rusqlite::Result<Vec<&'static str>> {
    let mut query = connection.prepare("SELECT name FROM pragma_table_info('messages')")?;
    let names = query.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let known = |name: &&&str| names.iter().any(|one| one == *name);
    let old = COLUMNS[..COLUMNS_MIN].iter().filter(known).count();
    Ok(if old < COLUMNS_MIN { Vec::new() } else { COLUMNS.iter().filter(known).copied().collect() })
}

/// The names of chats. pynchy gives a chat without a title its jid as name.
fn titles(connection: &Connection) -> rusqlite::Result<HashMap<String, String>> {
    let has_names = "SELECT COUNT(*) FROM pragma_table_info('chats') WHERE name IN ('jid', 'name')";
    if connection.query_row(has_names, [], |row| row.get::<_, i64>(0))? < 2 {
        return Ok(HashMap::new());
    }
    let mut query = connection.prepare("SELECT jid, name FROM chats WHERE name IS NOT NULL")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // Values of other types are ignored.
    Ok(rows.filter_map(Result::ok).collect())
}

/// The row ids sorted by parsed time, because times in different formats do not sort as text; then by row id.
fn order(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut query = connection.prepare("SELECT timestamp, rowid FROM messages")?;
    let row = |row: &rusqlite::Row<'_>| {
        let time_order_key = row.get_ref(0)?.as_str().ok().and_then(|text| time_order_key(text).ok());
        Ok((time_order_key, row.get(1)?))
    };
    let mut rows = query.query_map([], row)?.collect::<Result<Vec<(_, i64)>, _>>()?;
    rows.sort_unstable();
    Ok(rows.into_iter().map(|(_, rowid)| rowid).collect())
}

/// The columns are constants, so the query contains no user input.
fn select(columns: &[&str]) -> String {
    format!("SELECT {} FROM messages WHERE rowid = ?1", columns.join(", "))
}

fn json(value: ValueRef<'_>) -> Result<Value, Refusal> {
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(number.into()),
        ValueRef::Real(number) => Ok(number.into()),
        ValueRef::Text(bytes) => match str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(Refusal::invalid(format!("invalid UTF-8: {error}"))),
        },
        ValueRef::Blob(bytes) => Err(Refusal::invalid(format!("must be text, but is a blob of {} bytes", bytes.len()))),
    }
}

/// The text of a column that is not UTF-8.
fn lossy(value: ValueRef<'_>) -> Value {
    let bytes = value.as_bytes().unwrap_or_default();
    String::from_utf8_lossy(bytes).into()
}

fn no_messages(path: &Path) -> Failure {
    Failure::new(format!("{} has no pynchy table `messages`", path.display()))
        .hint("pass the file messages.db in pynchy's folder `store`")
}

fn explain(path: &Path, error: &rusqlite::Error) -> Failure {
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        let message = format!("{} is not a SQLite database", path.display());
        return Failure::new(message).hint("pass the file messages.db in pynchy's folder `store`");
    }
    Failure::broken(path.display(), error)
}
