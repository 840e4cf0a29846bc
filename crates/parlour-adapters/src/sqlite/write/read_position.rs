//! How far members have read.

use super::scope::Scope;
use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, number},
};

/// Moves a member's read position forward to this number and tells whether it moved; it never goes back.
pub(super) fn advance(scope: &Scope<'_>, member_no: i64, conversation_no: i64, seq: u64) -> StoreResult<bool> {
    let moved = scope.tx.execute(
        "INSERT INTO read_position (member_no, conversation_no, seq)
         VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE
         SET seq = ?3
         WHERE seq < ?3",
        [member_no, conversation_no, as_i64(seq)],
    )?;
    Ok(moved == 1)
}

/// The number of the last message that the member has read.
pub(super) fn current(scope: &Scope<'_>, member_no: i64, conversation_no: i64) -> StoreResult<u64> {
    let sql = "SELECT seq
         FROM read_position
         WHERE member_no = ?1 AND conversation_no = ?2";
    let seq = number(scope.tx.db(), sql, [member_no, conversation_no])?.unwrap_or(0);
    Ok(seq.unsigned_abs())
}
