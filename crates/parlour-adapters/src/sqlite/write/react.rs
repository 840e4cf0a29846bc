use parlour_core::{
    access,
    event::{Change, ReactionMark},
    id::{MemberId, MessageId},
    limits,
    write::Appended,
};
use rusqlite::params;

use super::{find, private_members::check_count, scope::Scope};
use crate::sqlite::{error::StoreResult, rows::event::About};

/// Adds a member's reaction to a message.
pub(super) fn react(scope: &Scope<'_>, id: &MessageId, emoji: String, member_id: MemberId) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    access::check_present(&stored.message)?;
    let member_no = find::member_no(scope, &member_id)?;
    let added = scope.tx.execute(
        "INSERT INTO reaction (message_no, member_no, emoji)
         VALUES (?1, ?2, ?3)
         ON CONFLICT DO NOTHING",
        params![stored.no, member_no, emoji],
    )?;
    let mark = ReactionMark { message_id: id.clone(), conversation_id: stored.message.to, emoji, member_id };
    let change = Change::Reacted(Box::new(mark));
    if added == 0 {
        return scope.repeated(change);
    }
    count(scope, stored.no, 1)?;
    let sql = "SELECT reaction_count
         FROM message
         WHERE no = ?1";
    check_count(scope.tx, sql, [stored.no], limits::REACTIONS_PER_MESSAGE_MAX, "a message", "reactions")?;
    scope.record_about(About { message_no: Some(stored.no), member_no: Some(member_no) }, change)
}

/// Adds to the count that tells whether a message has reactions at all.
pub(super) fn count(scope: &Scope<'_>, message_no: i64, more: i64) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE message
         SET reaction_count = reaction_count + ?2
         WHERE no = ?1",
        [message_no, more],
    )?;
    Ok(())
}
