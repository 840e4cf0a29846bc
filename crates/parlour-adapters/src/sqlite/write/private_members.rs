//! The members of private channels and dms.

use parlour_core::{Code, Refusal, id::MemberId, limits};

use super::{find, scope::Scope};
use crate::sqlite::{error::StoreResult, lookup::number, tx::Tx};

/// Gives a member a place in a conversation and tells whether that is new.
pub(super) fn add(scope: &Scope<'_>, conversation_no: i64, member_no: i64) -> StoreResult<bool> {
    let added = scope.tx.execute(
        "INSERT INTO conversation_member (conversation_no, member_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [conversation_no, member_no],
    )?;
    Ok(added == 1)
}

/// Gives each of the members a place in a private channel.
pub(super) fn add_all(scope: &Scope<'_>, channel_no: i64, members: &[MemberId]) -> StoreResult<()> {
    for member in members {
        add(scope, channel_no, find::member_no(scope, member)?)?;
    }
    check_room(scope, channel_no)
}

/// Takes a member out and tells whether it was in.
pub(super) fn remove(scope: &Scope<'_>, conversation_no: i64, member_no: i64) -> StoreResult<bool> {
    let removed = scope.tx.execute(
        "DELETE FROM conversation_member
         WHERE conversation_no = ?1 AND member_no = ?2",
        [conversation_no, member_no],
    )?;
    Ok(removed == 1)
}

/// Refuses a channel that has become too large; the write is then undone.
pub(super) fn check_room(scope: &Scope<'_>, channel_no: i64) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM conversation_member
         WHERE conversation_no = ?1";
    check_count(scope.tx, sql, [channel_no], limits::CHANNEL_MEMBERS_MAX, "a private channel", "members")
}

/// Refuses when a count has come to more than its limit; the write is then undone.
pub(in crate::sqlite) fn check_count(
    tx: &Tx<'_>,
    count_sql: &str,
    params: impl rusqlite::Params,
    most: usize,
    holder: &str,
    things: &str,
) -> StoreResult<()> {
    let count = number(tx.db(), count_sql, params)?.unwrap_or(0);
    if usize::try_from(count).is_ok_and(|count| count <= most) {
        return Ok(());
    }
    Err(Refusal::new(Code::Full, format!("{holder} has at most {most} {things}")).into())
}
