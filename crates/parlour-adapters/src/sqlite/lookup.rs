//! From public ids to the numbers inside the database.

use parlour_core::{
    Code, Refusal,
    id::{ChannelId, ConversationId, MemberId, MessageId, ProjectId},
    paging::PageRequest,
};
use rusqlite::{Connection, OptionalExtension, Params};

use super::{
    error::{StoreError, StoreResult},
    message_key::MessageKey,
};

/// The number of a project.
pub(super) fn project_no(db: &Connection, id: &ProjectId) -> StoreResult<Option<i64>> {
    number(db, "SELECT no\nFROM project\nWHERE id = ?1", [id.as_str()])
}

/// The number of a member.
pub(super) fn member_no(db: &Connection, id: &MemberId) -> StoreResult<Option<i64>> {
    number(db, "SELECT no\nFROM member\nWHERE id = ?1", [id.as_str()])
}

/// The number of a conversation.
pub(super) fn conversation_no(db: &Connection, id: &ConversationId) -> StoreResult<Option<i64>> {
    number(db, "SELECT no\nFROM conversation\nWHERE id = ?1", [id.as_str()])
}

/// The number of a channel.
pub(super) fn channel_no(db: &Connection, id: &ChannelId) -> StoreResult<Option<i64>> {
    number(db, "SELECT no\nFROM conversation\nWHERE id = ?1", [id.as_str()])
}

/// The number of a message.
pub(super) fn message_no(db: &Connection, id: &MessageId) -> StoreResult<Option<i64>> {
    number(db, "SELECT no\nFROM message\nWHERE id = ?1", [MessageKey(id)])
}

/// The number that a statement finds, if any.
pub(super) fn number(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Option<i64>> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?)
}

/// Whether a statement finds anything.
pub(super) fn exists(db: &Connection, sql: &str, params: impl Params) -> StoreResult<bool> {
    Ok(db.prepare_cached(sql)?.exists(params)?)
}

/// The number after which a page begins; `sql` finds it by the id that is the page's key.
pub(super) fn page_start(db: &Connection, sql: &str, page: &PageRequest) -> StoreResult<i64> {
    let Some(key) = page.after() else { return Ok(0) };
    number(db, sql, [key])?.ok_or_else(|| bad_page_key(key))
}

/// Refuses a page key that no page has given out.
pub(super) fn bad_page_key(key: &str) -> StoreError {
    let shown: String = key.chars().take(40).collect();
    let detail = format!("{shown:?} is no cursor of this list; pass one back exactly as it was given");
    Refusal::new(Code::BadQuery, detail).at("cursor").into()
}

/// How many rows to ask for, so that one more than wanted tells of a next page.
pub(super) fn probe(page: &PageRequest) -> i64 {
    as_i64(page.limit() as u64 + 1)
}

/// A count or number as SQLite keeps it; what does not fit is larger than anything stored.
pub(super) fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
