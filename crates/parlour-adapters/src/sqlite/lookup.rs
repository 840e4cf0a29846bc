//! From public ids to the numbers inside the database.

use std::str::FromStr;

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

/// The number after which a page begins; `find` looks for it by the id that is the page's key.
///
/// It must find only what the list itself can hold: a key that exists elsewhere is refused like one that does not.
pub(super) fn page_start(page: &PageRequest, find: impl FnOnce(&str) -> StoreResult<Option<i64>>) -> StoreResult<i64> {
    let Some(key) = page.after() else { return Ok(0) };
    find(key)?.ok_or_else(|| bad_page_key(key))
}

/// The number that a page key is, if there is one.
pub(super) fn page_number(page: &PageRequest) -> StoreResult<Option<i64>> {
    let Some(key) = page.after() else { return Ok(None) };
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
    key.parse().ok().filter(|_| is_number).map(Some).ok_or_else(|| bad_page_key(key))
}

/// The id that a page key is, of a list in the order of its ids; before the first page it is empty.
pub(super) fn page_id<T: FromStr>(page: &PageRequest) -> StoreResult<&str> {
    match page.after() {
        None => Ok(""),
        Some(key) if key.parse::<T>().is_ok() => Ok(key),
        Some(key) => Err(bad_page_key(key)),
    }
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
