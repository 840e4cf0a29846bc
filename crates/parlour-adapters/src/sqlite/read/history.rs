//! Reads of messages in the order of their conversation, and checks of the references of a post.

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::Principal,
    event::Event,
    id::{ArtifactId, ConversationId, MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    search_query::SearchQuery,
};
use parlour_hub::{
    Failure,
    ports::{History, HistoryRange, MissingRef, PostRefs, SearchPage},
};
use rusqlite::{Connection, OptionalExtension, named_params, params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, readable, sees_project},
    error::StoreResult,
    lookup::{as_i64, conversation_no, exists, message_no},
    read::{find_any, log::message_events, search},
    rows::message::{load_message, message_from, select_message},
};

#[async_trait]
impl History for SqliteStore {
    async fn message(&self, id: &MessageId) -> Result<Option<Message>, Failure> {
        let id = id.clone();
        self.read("read a message", move |db| Ok(load_message(db, &id)?.map(|stored| stored.message))).await
    }

    async fn messages(&self, id: &ConversationId, slice: HistoryRange, limit: usize) -> Result<Vec<Message>, Failure> {
        let id = id.clone();
        self.read("read messages", move |db| messages(db, &id, slice, limit)).await
    }

    async fn seq_before(&self, id: &ConversationId, at: Timestamp) -> Result<u64, Failure> {
        let id = id.clone();
        self.read("find a time in a conversation", move |db| seq_before(db, &id, at)).await
    }

    async fn message_events(&self, id: &MessageId, page: &PageRequest) -> Result<Page<Event>, Failure> {
        let (id, page) = (id.clone(), page.clone());
        self.read("list the events of a message", move |db| message_events(db, &id, &page)).await
    }

    async fn missing_refs(
        &self,
        conversation: &ConversationId,
        author: &Principal,
        refs: &PostRefs,
    ) -> Result<Vec<MissingRef>, Failure> {
        let (conversation, author, refs) = (conversation.clone(), author.clone(), refs.clone());
        self.read("check references", move |db| missing_refs(db, &conversation, &author, &refs)).await
    }

    async fn search(
        &self,
        project: &ProjectId,
        caller: &Principal,
        query: &SearchQuery,
        page: &PageRequest,
    ) -> Result<SearchPage, Failure> {
        let (project, caller, query, page) = (project.clone(), caller.clone(), query.clone(), page.clone());
        self.read("search", move |db| search::search(db, &project, &caller, &query, &page)).await
    }

    async fn find_any(
        &self,
        project: &ProjectId,
        readers: &[Principal],
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Message>, Failure> {
        let (project, readers, words) = (project.clone(), readers.to_vec(), words.to_vec());
        self.read("find messages", move |db| find_any::find_any(db, &project, &readers, &words, limit)).await
    }
}

/// Reads up to `limit` messages of a conversation.
pub(in crate::sqlite) fn messages(
    db: &Connection,
    id: &ConversationId,
    slice: HistoryRange,
    limit: usize,
) -> StoreResult<Vec<Message>> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(Vec::new()) };
    let (sql, from) = match slice {
        HistoryRange::Newest => (NEWEST_FIRST, i64::MAX),
        HistoryRange::Before(seq) => (NEWEST_FIRST, as_i64(seq)),
        HistoryRange::After(seq) => (OLDEST_FIRST, as_i64(seq)),
    };
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_and_then([conversation_no, from, as_i64(limit as u64)], |row| message_from(db, row))?;
    rows.map(|row| row.map(|stored| stored.message)).collect()
}

pub(super) const NEWEST_FIRST: &str = select_message!(
    "WHERE message.conversation_no = ?1 AND message.seq < ?2
     ORDER BY message.seq DESC
     LIMIT ?3"
);

pub(super) const OLDEST_FIRST: &str = select_message!(
    "WHERE message.conversation_no = ?1 AND message.seq > ?2
     ORDER BY message.seq
     LIMIT ?3"
);

/// The seq of the last message of the conversation that was created before this time.
///
/// Seqs and times grow together, so it is a binary search. Only messages that were imported behind younger ones break
/// the order; the search then ends at one of the seqs where the time lies between two messages.
pub(in crate::sqlite) fn seq_before(db: &Connection, id: &ConversationId, at: Timestamp) -> StoreResult<u64> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(0) };
    let mut last = db.prepare_cached("SELECT MAX(seq)\nFROM message\nWHERE conversation_no = ?1")?;
    let last: Option<i64> = last.query_row([conversation_no], |row| row.get(0))?;
    let mut created = db.prepare_cached("SELECT created_ms\nFROM message\nWHERE conversation_no = ?1 AND seq = ?2")?;
    let (mut before, mut not_before) = (0, last.unwrap_or(0) + 1);
    while not_before - before > 1 {
        let middle = before + (not_before - before) / 2;
        let created_ms: i64 = created.query_row([conversation_no, middle], |row| row.get(0))?;
        if created_ms < at.as_millis() { before = middle } else { not_before = middle }
    }
    Ok(before.unsigned_abs())
}

/// The references of a post that do not exist or that its author may not see.
pub(in crate::sqlite) fn missing_refs(
    db: &Connection,
    conversation: &ConversationId,
    author: &Principal,
    refs: &PostRefs,
) -> StoreResult<Vec<MissingRef>> {
    let location = post_location(db, conversation)?;
    let viewer = ReaderRow::of(db, author)?;
    let mut missing = Vec::new();
    if let Some(id) = &refs.reply_to
        && !is_reply_target(db, location, message_no(db, id)?)?
    {
        missing.push(MissingRef { field: "reply_to", id: id.to_string() });
    }
    for id in &refs.artifacts {
        if !sees_artifact(db, location, viewer, id)? {
            missing.push(MissingRef { field: "artifacts", id: id.to_string() });
        }
    }
    if let Some(id) = &refs.task_id
        && !exists(
            db,
            "SELECT 1\nFROM task\nWHERE id = ?1 AND project_no = ?2",
            params![id.as_str(), location.project_no],
        )?
    {
        missing.push(MissingRef { field: "context.task_id", id: id.to_string() });
    }
    if let Some(id) = &refs.batch_id
        && !exists(
            db,
            "SELECT 1\nFROM batch\nWHERE id = ?1 AND project_no = ?2",
            params![id.as_str(), location.project_no],
        )?
    {
        missing.push(MissingRef { field: "context.batch_id", id: id.to_string() });
    }
    Ok(missing)
}

/// The conversation of a post. An unknown one has the numbers 0, for which nothing is found.
#[derive(Clone, Copy, Default)]
struct PostLocation {
    conversation_no: i64,
    project_no: i64,
    root_no: Option<i64>,
}

fn post_location(db: &Connection, id: &ConversationId) -> StoreResult<PostLocation> {
    let mut statement = db.prepare_cached("SELECT no, project_no, root_no\nFROM conversation\nWHERE id = ?1")?;
    let location = statement.query_row([id.as_str()], |row| {
        Ok(PostLocation { conversation_no: row.get(0)?, project_no: row.get(1)?, root_no: row.get(2)? })
    });
    Ok(location.optional()?.unwrap_or_default())
}

/// Whether a message is in the same conversation or is the root of the thread.
fn is_reply_target(db: &Connection, location: PostLocation, message_no: Option<i64>) -> StoreResult<bool> {
    let Some(message_no) = message_no else { return Ok(false) };
    if location.root_no == Some(message_no) {
        return Ok(true);
    }
    let sql = "SELECT 1\nFROM message\nWHERE no = ?1 AND conversation_no = ?2";
    exists(db, sql, [message_no, location.conversation_no])
}

fn sees_artifact(db: &Connection, location: PostLocation, viewer: ReaderRow, id: &ArtifactId) -> StoreResult<bool> {
    let sql = concat!(
        "SELECT 1
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.id = :id AND artifact.project_no = :project AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")"
    );
    let params = named_params! {
        ":id": id.as_str(), ":project": location.project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    exists(db, sql, params)
}
