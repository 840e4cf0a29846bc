//! Lists of inboxes. Each is merged from at most three lists, one per importance, and reads only as many rows as the
//! page needs. The cost does not grow with the number of unread messages.

use parlour_core::{
    id::{AgentId, MessageId},
    inbox::{InboxCounts, InboxEntry, InboxFilter, InboxOrder},
    message::Importance,
    paging::{Page, PageRequest},
};
use rusqlite::{Connection, Row, named_params, params_from_iter};

use crate::sqlite::{
    access::join_access,
    error::StoreResult,
    lookup::{self, bad_page_key, conversation_no, probe},
    message_key::MessageKey,
    rows::{ReadColumn, codes, message::load_message_by_no},
};

/// All importances, the highest first.
pub(super) const IMPORTANCES: [Importance; 3] = [Importance::Critical, Importance::High, Importance::Normal];

/// The message after which a page begins. It may have been read meanwhile.
#[derive(Clone, Copy)]
struct PageStart {
    message_no: i64,
    importance: Importance,
}

/// One unread message.
struct UnreadRow {
    message_no: i64,
    reason: i64,
}

/// A filter for the inbox rows of an agent, without the importance.
struct InboxQuery {
    agent_no: i64,
    /// An unknown conversation becomes -1, which no row has.
    conversation_no: Option<i64>,
    only_mentions: bool,
    only_blocking: bool,
}

/// Lists an agent's unread messages.
pub(in crate::sqlite) fn inbox(
    db: &Connection,
    agent: &AgentId,
    filter: &InboxFilter,
    page: &PageRequest,
) -> StoreResult<Page<InboxEntry>> {
    let Some(agent_no) = lookup::member_no(db, &agent.clone().into())? else {
        return Ok(Page { items: Vec::new(), next: None });
    };
    let in_conversation = filter.conversation_id.as_ref().map(|id| conversation_no(db, id)).transpose()?;
    let query = InboxQuery {
        agent_no,
        conversation_no: in_conversation.map(|found| found.unwrap_or(-1)),
        only_mentions: filter.only_mentions,
        only_blocking: filter.only_blocking,
    };
    let least = filter.importance.unwrap_or_default();
    let start = start(db, &query, least, page)?;
    let found = match filter.order {
        InboxOrder::Time => by_time(db, &query, least, start, probe(page))?,
        InboxOrder::Importance => by_importance(db, &query, least, start, probe(page))?,
    };
    let entry = |unread: &UnreadRow| {
        let message = load_message_by_no(db, unread.message_no)?.message;
        StoreResult::Ok(InboxEntry { reason: codes::reason(unread.reason)?, message })
    };
    let entries = found.iter().map(entry).collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(entries, page.limit(), |entry: &InboxEntry| entry.message.id.to_string()))
}

fn by_time(
    db: &Connection,
    query: &InboxQuery,
    least: Importance,
    start: Option<PageStart>,
    limit: i64,
) -> StoreResult<Vec<UnreadRow>> {
    let after = start.map_or(0, |start| start.message_no);
    let mut found = Vec::new();
    for importance in IMPORTANCES.into_iter().filter(|importance| *importance >= least) {
        found.extend(query.rows(db, importance, after, limit)?);
    }
    found.sort_unstable_by_key(|unread| unread.message_no);
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(found)
}

fn by_importance(
    db: &Connection,
    query: &InboxQuery,
    least: Importance,
    start: Option<PageStart>,
    limit: i64,
) -> StoreResult<Vec<UnreadRow>> {
    let mut found = Vec::new();
    for importance in IMPORTANCES.into_iter().filter(|importance| *importance >= least) {
        let after = match start {
            Some(start) if start.importance < importance => continue,
            Some(start) if start.importance == importance => start.message_no,
            _ => 0,
        };
        let left = limit - lookup::as_i64(found.len() as u64);
        if left > 0 {
            found.extend(query.rows(db, importance, after, left)?);
        }
    }
    Ok(found)
}

macro_rules! unread_rows {
    ($index:literal, $condition:literal) => {
        concat!(
            "SELECT message_no, reason
             FROM inbox",
            $index,
            "
             WHERE agent_no = ?1 AND importance = ?2 AND message_no > ?3",
            $condition,
            "
             ORDER BY message_no
             LIMIT ?4"
        )
    };
}

pub(super) const INBOX: &str = unread_rows!("", "");
pub(super) const INBOX_IN: &str = unread_rows!(" INDEXED BY inbox_in", " AND conversation_no = ?5");
pub(super) const MENTIONS: &str = unread_rows!(" INDEXED BY mention_in_inbox", " AND is_mention = 1");
pub(super) const MENTIONS_IN: &str =
    unread_rows!(" INDEXED BY mention_in_inbox_in", " AND is_mention = 1 AND conversation_no = ?5");
/// Open questions are few (`QUESTIONS_PER_PROJECT_MAX`), so the rest is filtered.
pub(super) const BLOCKS: &str = unread_rows!(
    " INDEXED BY block_in_inbox",
    " AND is_blocking = 1 AND (?5 = 0 OR conversation_no = ?5) AND is_mention >= ?6"
);

impl InboxQuery {
    /// Up to `limit` rows of one importance after this message, oldest first.
    fn rows(&self, db: &Connection, importance: Importance, after: i64, limit: i64) -> StoreResult<Vec<UnreadRow>> {
        let (sql, more) = self.statement();
        let params = [self.agent_no, codes::importance_code(importance), after, limit];
        let unread = |row: &Row<'_>| Ok(UnreadRow { message_no: row.get(0)?, reason: row.get(1)? });
        let mut statement = db.prepare_cached(sql)?;
        let rows = statement.query_map(params_from_iter(params.into_iter().chain(more)), unread)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The statement whose index contains only matching rows, with its further parameters.
    fn statement(&self) -> (&'static str, Vec<i64>) {
        match (self.only_blocking, self.only_mentions, self.conversation_no) {
            (true, only_mentions, conversation_no) => {
                (BLOCKS, vec![conversation_no.unwrap_or(0), i64::from(only_mentions)])
            }
            (false, true, Some(conversation_no)) => (MENTIONS_IN, vec![conversation_no]),
            (false, true, None) => (MENTIONS, Vec::new()),
            (false, false, Some(conversation_no)) => (INBOX_IN, vec![conversation_no]),
            (false, false, None) => (INBOX, Vec::new()),
        }
    }
}

fn start(db: &Connection, query: &InboxQuery, least: Importance, page: &PageRequest) -> StoreResult<Option<PageStart>> {
    let Some(key) = page.after() else { return Ok(None) };
    let Ok(id) = key.parse::<MessageId>() else { return Err(bad_page_key(key)) };
    let mut statement = db.prepare_cached(concat!(
        "SELECT message.no, message.importance
         FROM message
         JOIN member ON member.no = :viewer
         JOIN conversation ON conversation.no = message.conversation_no AND conversation.project_no = member.home_no\n",
        join_access!(),
        "WHERE message.id = :id AND (:conversation IS NULL OR conversation.no = :conversation)
             AND message.importance >= :least AND (access.is_private = 0 OR EXISTS (
                 SELECT 1
                 FROM conversation_member
                 WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = :viewer
             ))"
    ))?;
    let params = named_params! {
        ":id": MessageKey(&id), ":viewer": query.agent_no, ":conversation": query.conversation_no,
        ":least": codes::importance_code(least)
    };
    let page_start = |row: &Row<'_>| {
        StoreResult::Ok(PageStart { message_no: row.get(0)?, importance: codes::importance(row.get(1)?)? })
    };
    let found = statement.query_and_then(params, page_start)?.next().transpose()?;
    found.map(Some).ok_or_else(|| bad_page_key(key))
}

/// The counts of an agent's inbox.
pub(in crate::sqlite) fn inbox_counts(db: &Connection, agent: &AgentId) -> StoreResult<InboxCounts> {
    let mut statement = db.prepare_cached(COUNTS)?;
    let found = statement.query_and_then([agent.as_str()], |row| counts_from(row, 0))?.next().transpose()?;
    Ok(found.unwrap_or_default())
}

pub(super) const COUNTS: &str =
    "SELECT inbox_count.unread, inbox_count.mentions, inbox_count.high, inbox_count.critical,
         inbox_count.blocking
     FROM member
     JOIN inbox_count ON inbox_count.agent_no = member.no AND inbox_count.conversation_no = 0
     WHERE member.id = ?1";

/// Reads five counts from consecutive columns.
pub(super) fn counts_from(row: &Row<'_>, column: usize) -> StoreResult<InboxCounts> {
    Ok(InboxCounts {
        total: row.count(column)?,
        mentions: row.count(column + 1)?,
        high: row.count(column + 2)?,
        critical: row.count(column + 3)?,
        blocking: row.count(column + 4)?,
    })
}
