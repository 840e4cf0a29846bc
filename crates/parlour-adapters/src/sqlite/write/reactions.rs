//! Writes that add and remove reactions.

use parlour_core::{
    access,
    event::{Change, ReactionMark},
    id::{MemberId, MessageId},
    limits,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    rows::event::About,
    write::{find, log::LogWriter},
};

/// Adds a member's reaction to a message.
pub(super) fn react(log: &LogWriter<'_>, id: &MessageId, emoji: String, member_id: MemberId) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    access::check_present(&stored.message)?;
    let member_no = find::member_no(log, &member_id)?;
    let added = log.tx.execute(
        "INSERT INTO reaction (message_no, member_no, emoji)
         VALUES (?1, ?2, ?3)
         ON CONFLICT DO NOTHING",
        params![stored.no, member_no, emoji],
    )?;
    let mark = ReactionMark { message_id: id.clone(), conversation_id: stored.message.to, emoji, member_id };
    let change = Change::Reacted(Box::new(mark));
    if added == 0 {
        return log.repeated(change);
    }
    count_reactions(log, stored.no, 1)?;
    let sql = "SELECT reaction_count
         FROM message
         WHERE no = ?1";
    find::check_count(log.tx, sql, [stored.no], limits::REACTIONS_PER_MESSAGE_MAX, "a message", "reactions")?;
    log.record_about(About { message_no: Some(stored.no), member_no: Some(member_no) }, change)
}

/// Adds to the reaction count of a message.
pub(super) fn count_reactions(log: &LogWriter<'_>, message_no: i64, more: i64) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE message
         SET reaction_count = reaction_count + ?2
         WHERE no = ?1",
        [message_no, more],
    )?;
    Ok(())
}

/// Removes a member's reaction from a message.
pub(super) fn unreact(
    log: &LogWriter<'_>,
    id: &MessageId,
    emoji: String,
    member_id: MemberId,
) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    let member_no = find::member_no(log, &member_id)?;
    let removed = log.tx.execute(
        "DELETE FROM reaction
         WHERE message_no = ?1 AND member_no = ?2 AND emoji = ?3",
        params![stored.no, member_no, emoji],
    )?;
    let mark = ReactionMark { message_id: id.clone(), conversation_id: stored.message.to, emoji, member_id };
    let change = Change::Unreacted(Box::new(mark));
    if removed == 0 {
        return log.repeated(change);
    }
    count_reactions(log, stored.no, -1)?;
    log.record_about(About { message_no: Some(stored.no), member_no: Some(member_no) }, change)
}
