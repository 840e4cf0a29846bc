//! Messages in pynchy's database.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use parlour_core::Refusal;
use parlour_dialects::pynchy::moment;
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Map, Value};

use super::source::{Order, Row, Rows, Source};
use crate::{commands::convert::reading::Reading, failure::Failure};

/// The columns of a message. Databases of its first days have only the first seven.
const COLUMNS: [&str; 9] =
    ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me", "message_type", "metadata"];
/// How many of them every database has.
const COLUMNS_MIN: usize = 7;

/// A database that is only read, and beside which nothing is written.
pub(super) struct PynchySource {
    path: PathBuf,
    reading: Reading,
    connection: Connection,
    /// Those that this database has.
    columns: Vec<&'static str>,
    titles: HashMap<String, String>,
    /// The rows in the order of their times.
    order: Vec<i64>,
}

impl PynchySource {
    pub(super) fn open(path: &Path, reading: Reading) -> Result<Self, Failure> {
        check_is_whole(path)?;
        let failed = |error: rusqlite::Error| explain(path, &error);
        let connection = Connection::open_with_flags(address(path)?, flags()).map_err(failed)?;
        let columns = columns(&connection).map_err(failed)?;
        if columns.len() < COLUMNS_MIN {
            return Err(no_messages(path));
        }
        let titles = titles(&connection).map_err(failed)?;
        let order = order(&connection).map_err(failed)?;
        Ok(Self { path: path.to_owned(), reading, connection, columns, titles, order })
    }

    fn value(&self, rowid: i64) -> rusqlite::Result<Result<Value, Refusal>> {
        let mut query = self.connection.prepare_cached(&select(&self.columns))?;
        query.query_row([rowid], |row| {
            let mut fields = Map::new();
            for (place, name) in self.columns.iter().enumerate() {
                match json(row.get_ref(place)?) {
                    Ok(value) => fields.insert((*name).to_owned(), value),
                    Err(refusal) => return Ok(Err(refusal.at(name))),
                };
            }
            Ok(Ok(Value::Object(fields)))
        })
    }
}

impl Source for PynchySource {
    fn rows(&self, _order: Order) -> Result<Box<dyn Rows + '_>, Failure> {
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

impl Rows for InOrder<'_> {
    fn next(&mut self) -> Result<Option<Row>, Failure> {
        let source = self.source;
        let Some(&rowid) = source.order.get(self.next) else { return Ok(None) };
        self.next += 1;
        let value = source.value(rowid).map_err(|error| explain(&source.path, &error))?;
        let conversation = value.as_ref().ok().and_then(|value| value["chat_jid"].as_str().map(str::to_owned));
        let item = value.and_then(|value| source.reading.item_of(value));
        Ok(Some(Row::whole(format!("row {rowid}"), conversation, item)))
    }
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// `immutable` keeps SQLite from writing its own files beside the database of somebody else.
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

/// What a running pynchy has not put into the file yet would be missed without a word.
fn check_is_whole(path: &Path) -> Result<(), Failure> {
    crate::commands::convert::open(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push("-wal");
    match fs::metadata(&beside) {
        Ok(about) if about.len() > 0 => {
            let message = format!("{} holds messages that are not in {} yet", beside.display(), path.display());
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

/// What chats are called. A chat without a name has its jid as one, and so none.
fn titles(connection: &Connection) -> rusqlite::Result<HashMap<String, String>> {
    let has_names = "SELECT COUNT(*) FROM pragma_table_info('chats') WHERE name IN ('jid', 'name')";
    if connection.query_row(has_names, [], |row| row.get::<_, i64>(0))? < 2 {
        return Ok(HashMap::new());
    }
    let mut query = connection.prepare("SELECT jid, name FROM chats WHERE name IS NOT NULL AND name <> jid")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // A name that is no text is no name.
    Ok(rows.filter_map(Result::ok).collect())
}

/// The rows by their moments, which their texts do not follow when they are spelled differently. Where that does not
/// decide, they stay as they were written.
fn order(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut query = connection.prepare("SELECT timestamp, rowid FROM messages")?;
    let row = |row: &rusqlite::Row<'_>| {
        let moment = row.get_ref(0)?.as_str().ok().and_then(|text| moment(text).ok());
        Ok((moment, row.get(1)?))
    };
    let mut rows = query.query_map([], row)?.collect::<Result<Vec<(_, i64)>, _>>()?;
    rows.sort_unstable();
    Ok(rows.into_iter().map(|(_, rowid)| rowid).collect())
}

/// The columns are constants of this file: no text of a user stands in the query.
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
            Err(error) => Err(Refusal::invalid(format!("this is no UTF-8: {error}"))),
        },
        ValueRef::Blob(bytes) => Err(Refusal::invalid(format!("this must be a text, and it is {} bytes", bytes.len()))),
    }
}

fn no_messages(path: &Path) -> Failure {
    Failure::new(format!("{} has no table `messages` as pynchy writes it", path.display()))
        .hint("name the file messages.db in pynchy's folder `store`")
}

fn explain(path: &Path, error: &rusqlite::Error) -> Failure {
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        let message = format!("{} is no SQLite database", path.display());
        return Failure::new(message).hint("name the file messages.db in pynchy's folder `store`");
    }
    Failure::broken(path.display(), error)
}
