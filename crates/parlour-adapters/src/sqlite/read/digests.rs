//! Digests: the unread messages of an agent, summarised per conversation.

use parlour_core::{
    author::Author,
    checkpoint::Brief,
    conversation::ConversationType,
    id::{AgentId, ConversationId},
    inbox::{Digest, InboxCounts},
    limits,
    message::Importance,
    paging::{Page, PageRequest},
    run::PauseReason,
};
use rusqlite::{Connection, Row, named_params};

use super::inbox_lists::{IMPORTANCES, counts_from};
use crate::sqlite::{
    access::{join_access, readable},
    error::{StoreError, StoreResult},
    lookup::{self, as_i64, bad_page_key, exists},
    rows::{ReadColumn, author::author_from, codes, message::load_message_by_no},
};

/// A conversation with unread messages.
struct UnreadConversation {
    no: i64,
    id: ConversationId,
    conversation_type: ConversationType,
    counts: InboxCounts,
    /// The row number of the oldest unread message.
    oldest_no: i64,
}

/// Lists the conversations with unread messages of an agent, the most important first.
///
/// If the conversation of the page key has no unread messages any more, the list starts again, so that no conversation
/// is left out.
pub(in crate::sqlite) fn digests(db: &Connection, agent: &AgentId, page: &PageRequest) -> StoreResult<Page<Digest>> {
    let agent_no = lookup::member_no(db, &agent.clone().into())?.unwrap_or(0);
    let mut conversations = unread_conversations(db, agent_no)?;
    conversations.sort_by_key(|unread| (importance_rank(&unread.counts), unread.oldest_no));
    let begin = match page.after() {
        None => 0,
        Some(key) => match conversations.iter().position(|unread| unread.id.as_str() == key) {
            Some(index) => index + 1,
            None if is_readable(db, agent_no, key)? => 0,
            None => return Err(bad_page_key(key)),
        },
    };
    let listed = conversations.into_iter().skip(begin).take(page.limit() + 1);
    let digests = listed.map(|unread| digest(db, agent_no, unread)).collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(digests, page.limit(), |digest: &Digest| digest.conversation_id.to_string()))
}

/// Smaller is more important.
fn importance_rank(counts: &InboxCounts) -> u8 {
    match (counts.critical, counts.high) {
        (1.., _) => 0,
        (0, 1..) => 1,
        (0, 0) => 2,
    }
}

fn unread_conversations(db: &Connection, agent_no: i64) -> StoreResult<Vec<UnreadConversation>> {
    let unread = |row: &Row<'_>| {
        Ok(UnreadConversation {
            no: row.get(0)?,
            id: row.parsed(1)?,
            conversation_type: codes::conversation_type(row.get(2)?)?,
            counts: counts_from(row, 3)?,
            oldest_no: row.get(8)?,
        })
    };
    db.prepare_cached(UNREAD_CONVERSATIONS)?.query_and_then([agent_no], unread)?.collect()
}

/// The index orders messages by importance first, so the oldest message is the minimum of the three importances.
pub(super) const UNREAD_CONVERSATIONS: &str =
    "SELECT conversation.no, conversation.id, conversation.type, inbox_count.unread,
         inbox_count.mentions, inbox_count.high, inbox_count.critical, inbox_count.blocking,
         MIN(
             COALESCE((
                 SELECT MIN(message_no)
                 FROM inbox INDEXED BY inbox_in
                 WHERE agent_no = ?1 AND conversation_no = conversation.no AND importance = 0
             ), 9223372036854775807),
             COALESCE((
                 SELECT MIN(message_no)
                 FROM inbox INDEXED BY inbox_in
                 WHERE agent_no = ?1 AND conversation_no = conversation.no AND importance = 1
             ), 9223372036854775807),
             COALESCE((
                 SELECT MIN(message_no)
                 FROM inbox INDEXED BY inbox_in
                 WHERE agent_no = ?1 AND conversation_no = conversation.no AND importance = 2
             ), 9223372036854775807)
         )
     FROM inbox_count
     JOIN conversation ON conversation.no = inbox_count.conversation_no
     WHERE inbox_count.agent_no = ?1 AND inbox_count.conversation_no > 0";

fn is_readable(db: &Connection, agent_no: i64, id: &str) -> StoreResult<bool> {
    let sql = concat!(
        "SELECT 1\nFROM conversation\n",
        join_access!(),
        "WHERE conversation.id = :id AND ",
        readable!("conversation.project_no")
    );
    exists(db, sql, named_params! { ":id": id, ":viewer": agent_no, ":is_admin": false })
}

fn digest(db: &Connection, agent_no: i64, unread: UnreadConversation) -> StoreResult<Digest> {
    Ok(Digest {
        from: authors(db, agent_no, unread.no)?,
        oldest: brief(db, agent_no, unread.no, OLDEST, |one, other| one < other)?,
        newest: brief(db, agent_no, unread.no, NEWEST, |one, other| one > other)?,
        conversation_id: unread.id,
        conversation_type: unread.conversation_type,
        unread: unread.counts,
    })
}

pub(super) const OLDEST: &str = "SELECT message_no, is_blocking
     FROM inbox INDEXED BY inbox_in
     WHERE agent_no = ?1 AND conversation_no = ?2 AND importance = ?3
     ORDER BY message_no
     LIMIT 1";

pub(super) const NEWEST: &str = "SELECT message_no, is_blocking
     FROM inbox INDEXED BY inbox_in
     WHERE agent_no = ?1 AND conversation_no = ?2 AND importance = ?3
     ORDER BY message_no DESC
     LIMIT 1";

/// The first message over all importances, as a brief.
fn brief(
    db: &Connection,
    agent_no: i64,
    conversation_no: i64,
    sql: &str,
    is_before: fn(i64, i64) -> bool,
) -> StoreResult<Brief> {
    let mut first: Option<(i64, bool)> = None;
    let mut statement = db.prepare_cached(sql)?;
    for importance in IMPORTANCES {
        let params = [agent_no, conversation_no, codes::importance_code(importance)];
        for row in statement.query_map(params, |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (message_no, is_blocking): (i64, bool) = row?;
            if first.is_none_or(|(known, _)| is_before(message_no, known)) {
                first = Some((message_no, is_blocking));
            }
        }
    }
    let (message_no, is_blocking) = first
        .ok_or_else(|| StoreError::Unreadable(format!("conversation {conversation_no} is counted and has no row")))?;
    let message = load_message_by_no(db, message_no)?.message;
    Ok(Brief::of(&message, is_blocking.then_some(PauseReason::Message), &message.body))
}

/// The authors of the unread messages, each once: by importance, then oldest first.
fn authors(db: &Connection, agent_no: i64, conversation_no: i64) -> StoreResult<Vec<Author>> {
    let mut names: Vec<Author> = Vec::new();
    let mut left = limits::DIGEST_MESSAGES_MAX;
    for importance in IMPORTANCES {
        for author in authors_of(db, agent_no, conversation_no, importance, left)? {
            left -= 1;
            let is_new = !names.contains(&author);
            if is_new && names.len() < limits::DIGEST_NAMES_MAX {
                names.push(author);
            }
        }
    }
    Ok(names)
}

fn authors_of(
    db: &Connection,
    agent_no: i64,
    conversation_no: i64,
    importance: Importance,
    limit: usize,
) -> StoreResult<Vec<Author>> {
    let mut statement = db.prepare_cached(AUTHORS)?;
    let params = [agent_no, conversation_no, codes::importance_code(importance), as_i64(limit as u64)];
    statement.query_and_then(params, |row| author_from(row, 0))?.collect()
}

pub(super) const AUTHORS: &str = "SELECT author.type, author.id, author.name
     FROM inbox INDEXED BY inbox_in
     JOIN message ON message.no = inbox.message_no
     JOIN author ON author.no = message.author_no
     WHERE inbox.agent_no = ?1 AND inbox.conversation_no = ?2 AND inbox.importance = ?3
     ORDER BY inbox.message_no
     LIMIT ?4";
