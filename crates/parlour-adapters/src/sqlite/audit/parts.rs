//! Ids in entries: as numbers where the database has one for them, as they are otherwise.

use parlour_core::id::MessageId;
use rusqlite::{Connection, OptionalExtension};

use super::pack::Part;
use crate::sqlite::{
    error::StoreResult,
    lookup::{message_no, number},
    message_key::StoredMessageId,
};

/// What stands between two ids of one subject.
const BETWEEN: char = '/';

/// The parts of a subject; joined again they are the same text.
pub(super) fn parts(db: &Connection, subject: Option<&str>) -> StoreResult<Vec<Part>> {
    subject.into_iter().flat_map(|subject| subject.split(BETWEEN)).map(|id| part(db, id)).collect()
}

/// A thing by its number, if there is such a thing. Only what comes back as the same text is written as a number.
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

/// The subject that parts are of; absent when they are none, or when a thing is no longer there.
pub(super) fn subject(db: &Connection, parts: &[Part]) -> StoreResult<Option<String>> {
    let ids: Option<Vec<String>> = parts.iter().map(|part| id(db, part)).collect::<StoreResult<_>>()?;
    Ok(ids.filter(|ids| !ids.is_empty()).map(|ids| ids.join(&BETWEEN.to_string())))
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
