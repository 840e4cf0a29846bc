//! Ids in entries: stored as row numbers if the row exists, otherwise as text.

use parlour_core::id::MessageId;
use rusqlite::{Connection, OptionalExtension};

use super::pack::Part;
use crate::sqlite::{
    error::StoreResult,
    lookup::{message_no, number},
    message_key::StoredMessageId,
};

/// The separator between two ids of a subject.
const SEPARATOR: char = '/';

/// Splits a subject into parts; `subject` is the inverse.
pub(super) fn parts(db: &Connection, subject: Option<&str>) -> StoreResult<Vec<Part>> {
    subject.into_iter().flat_map(|subject| subject.split(SEPARATOR)).map(|id| part(db, id)).collect()
}

/// The part for an id: a row number if the row exists and gives back the same text, otherwise the text.
pub(super) fn part(db: &Connection, id: &str) -> StoreResult<Part> {
    let found = match id.split_once('_').map(|(prefix, _)| prefix) {
        Some("msg") => match id.parse::<MessageId>() {
            Ok(message) => message_no(db, &message)?.map(Part::Message),
            Err(_) => None,
        },
        Some("chn" | "thr" | "dm") => {
            number(db, "SELECT no\nFROM conversation\nWHERE id = ?1", [id])?.map(Part::Conversation)
        }
        Some("per" | "agt") => number(db, "SELECT no\nFROM member\nWHERE id = ?1", [id])?.map(Part::Member),
        Some("prj") => number(db, "SELECT no\nFROM project\nWHERE id = ?1", [id])?.map(Part::Project),
        _ => None,
    };
    Ok(found.unwrap_or_else(|| Part::Text(id.to_owned())))
}

/// Joins parts to a subject; `None` if there are no parts or a row no longer exists.
pub(super) fn subject(db: &Connection, parts: &[Part]) -> StoreResult<Option<String>> {
    let ids: Option<Vec<String>> = parts.iter().map(|part| id(db, part)).collect::<StoreResult<_>>()?;
    Ok(ids.filter(|ids| !ids.is_empty()).map(|ids| ids.join(&SEPARATOR.to_string())))
}

fn id(db: &Connection, part: &Part) -> StoreResult<Option<String>> {
    let (sql, no) = match part {
        Part::Text(text) => return Ok(Some(text.clone())),
        Part::Message(no) => return message_id(db, *no),
        Part::Conversation(no) => ("SELECT id\nFROM conversation\nWHERE no = ?1", no),
        Part::Member(no) => ("SELECT id\nFROM member\nWHERE no = ?1", no),
        Part::Project(no) => ("SELECT id\nFROM project\nWHERE no = ?1", no),
    };
    Ok(db.prepare_cached(sql)?.query_row([no], |row| row.get(0)).optional()?)
}

fn message_id(db: &Connection, no: i64) -> StoreResult<Option<String>> {
    let mut statement = db.prepare_cached("SELECT id\nFROM message\nWHERE no = ?1")?;
    let found = statement.query_row([no], |row| row.get::<_, StoredMessageId>(0)).optional()?;
    Ok(found.map(|id| id.0.to_string()))
}
