//! Lookups of row numbers by public id, and page keys.

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

/// The number in the first column of the first row, if there is one.
pub(super) fn number(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Option<i64>> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?)
}

/// Whether a statement returns a row.
pub(super) fn exists(db: &Connection, sql: &str, params: impl Params) -> StoreResult<bool> {
    Ok(db.prepare_cached(sql)?.exists(params)?)
}

/// The number after which a page begins; `find` looks it up by the id in the page key.
///
/// `find` must only find items that the list can contain: a key of another list is refused like an unknown one.
pub(super) fn page_start(page: &PageRequest, find: impl FnOnce(&str) -> StoreResult<Option<i64>>) -> StoreResult<i64> {
    let Some(key) = page.after() else { return Ok(0) };
    find(key)?.ok_or_else(|| bad_page_key(key))
}

/// The page key as a number, if there is one.
pub(super) fn page_number(page: &PageRequest) -> StoreResult<Option<i64>> {
    let Some(key) = page.after() else { return Ok(None) };
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
    key.parse().ok().filter(|_| is_number).map(Some).ok_or_else(|| bad_page_key(key))
}

/// The page key of a list that is ordered by id; empty for the first page.
pub(super) fn page_id<T: FromStr>(page: &PageRequest) -> StoreResult<&str> {
    match page.after() {
        None => Ok(""),
        Some(key) if key.parse::<T>().is_ok() => Ok(key),
        Some(key) => Err(bad_page_key(key)),
    }
}

/// Refuses a page key that no page returned.
pub(super) fn bad_page_key(key: &str) -> StoreError {
    let shown: String = key.chars().take(40).collect();
    let detail = format!("{shown:?} is no cursor of this list; pass one back exactly as it was given");
    Refusal::new(Code::BadQuery, detail).at("cursor").into()
}

/// The number of rows to read: one more than the page, to see whether there is a next page.
pub(super) fn probe(page: &PageRequest) -> i64 {
    as_i64(page.limit() as u64 + 1)
}

/// A number for SQLite. A larger one becomes the maximum, which no row has.
pub(super) fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
