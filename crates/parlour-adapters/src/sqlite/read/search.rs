//! Full-text search: newest first, and bounded for any word.

use parlour_core::{
    access::Principal,
    id::ProjectId,
    limits,
    message::Message,
    paging::{Page, PageRequest},
    search_query::SearchQuery,
};
use rusqlite::{Connection, params};

use super::readable_conversations::ReadableConversations;
use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, number, page_number, project_no},
    rows::message::load_message_by_no,
    text_index::index_query,
};

/// Finds messages of a project that the caller may read and that contain all words of the query.
///
/// The index returns candidates of this project, newest first. The page key is the number of the last candidate that
/// was checked, because the id of a message that the caller may not read must not leave the store.
pub(in crate::sqlite) fn search(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    query: &SearchQuery,
    page: &PageRequest,
) -> StoreResult<Page<Message>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(Page { items: Vec::new(), next: None }) };
    let mut readable = ReadableConversations::of(db, caller, project_no)?;
    let mut candidates = db.prepare_cached(
        "SELECT rowid
         FROM message_text
         WHERE message_text MATCH ?1 AND rowid < ?2
         ORDER BY rowid DESC
         LIMIT ?3",
    )?;
    let one_more = as_i64(limits::SEARCH_CANDIDATES_MAX as u64 + 1);
    let start = page_number(page)?.unwrap_or(i64::MAX);
    let mut rows = candidates.query(params![index_query(query.terms(), project_no), start, one_more])?;
    let (mut items, mut checked, mut last_no) = (Vec::new(), 0, 0_i64);
    while let Some(row) = rows.next()? {
        if checked == limits::SEARCH_CANDIDATES_MAX {
            return Ok(Page { items, next: Some(last_no.to_string()) });
        }
        let message_no = row.get(0)?;
        checked += 1;
        let found = found(db, &mut readable, query, message_no)?;
        // A next page exists only for another hit: one for hidden messages would reveal that they contain the words.
        if found.is_some() && items.len() == page.limit() {
            return Ok(Page { items, next: Some(last_no.to_string()) });
        }
        last_no = message_no;
        items.extend(found);
    }
    Ok(Page { items, next: None })
}

/// The candidate, if the caller may read it and it contains the phrases.
fn found(
    db: &Connection,
    readable: &mut ReadableConversations<'_>,
    query: &SearchQuery,
    message_no: i64,
) -> StoreResult<Option<Message>> {
    let sql = "SELECT conversation_no\nFROM message\nWHERE no = ?1";
    let Some(conversation_no) = number(db, sql, [message_no])? else { return Ok(None) };
    if !readable.is_readable(conversation_no)? {
        return Ok(None);
    }
    let message = load_message_by_no(db, message_no)?.message;
    Ok(query.accepts(&message.body).then_some(message))
}
