//! Rows of questions.

use parlour_core::question::Question;
use rusqlite::Connection;

use super::{ReadColumn, StoreResult};

/// Reads the question of a message as it is now.
pub(in crate::sqlite) fn load_question(db: &Connection, message_no: i64) -> StoreResult<Option<Question>> {
    let mut statement = db.prepare_cached("SELECT data\nFROM question\nWHERE message_no = ?1")?;
    statement.query_and_then([message_no], |row| row.json(0))?.next().transpose()
}
