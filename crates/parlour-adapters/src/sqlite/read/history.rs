//! Messages in the order of their conversation.

use parlour_core::{Timestamp, id::ConversationId, message::Message};
use parlour_hub::ports::HistoryRange;
use rusqlite::Connection;

use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, conversation_no},
    rows::message::{message_from, select_message},
};

/// Reads up to `limit` messages of a conversation.
pub(in crate::sqlite) fn messages(
    db: &Connection,
    id: &ConversationId,
    slice: HistoryRange,
    limit: usize,
) -> StoreResult<Vec<Message>> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(Vec::new()) };
    let (sql, from) = match slice {
        HistoryRange::Newest => (NEWEST_FIRST, i64::MAX),
        HistoryRange::Before(seq) => (NEWEST_FIRST, as_i64(seq)),
        HistoryRange::After(seq) => (OLDEST_FIRST, as_i64(seq)),
    };
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_and_then([conversation_no, from, as_i64(limit as u64)], |row| message_from(db, row))?;
    rows.map(|row| row.map(|stored| stored.message)).collect()
}

pub(super) const NEWEST_FIRST: &str = select_message!(
    "WHERE message.conversation_no = ?1 AND message.seq < ?2
     ORDER BY message.seq DESC
     LIMIT ?3"
);

pub(super) const OLDEST_FIRST: &str = select_message!(
    "WHERE message.conversation_no = ?1 AND message.seq > ?2
     ORDER BY message.seq
     LIMIT ?3"
);

/// The number of the last message of the conversation that was written before this moment.
///
/// Numbers and moments grow together, so a few looks find it in any history. Only what was taken over behind younger
/// messages goes back in time; then the looks end at one of the places where the moment comes between two messages.
pub(in crate::sqlite) fn seq_before(db: &Connection, id: &ConversationId, at: Timestamp) -> StoreResult<u64> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(0) };
    let mut last = db.prepare_cached("SELECT MAX(seq)\nFROM message\nWHERE conversation_no = ?1")?;
    let last: Option<i64> = last.query_row([conversation_no], |row| row.get(0))?;
    let mut moment = db.prepare_cached("SELECT created_ms\nFROM message\nWHERE conversation_no = ?1 AND seq = ?2")?;
    let (mut before, mut not_before) = (0, last.unwrap_or(0) + 1);
    while not_before - before > 1 {
        let middle = before + (not_before - before) / 2;
        let created_ms: i64 = moment.query_row([conversation_no, middle], |row| row.get(0))?;
        if created_ms < at.as_millis() { before = middle } else { not_before = middle }
    }
    Ok(before.unsigned_abs())
}
