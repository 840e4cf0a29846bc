//! Unread counts, and the `Inboxes` port.

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, ConversationId, MemberId, ProjectId},
    inbox::{ConversationUnread, Digest, InboxCounts, InboxEntry, InboxFilter},
    paging::{Page, PageRequest},
};
use parlour_hub::{Failure, ports::Inboxes};
use rusqlite::{Connection, Row, named_params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, join_access, readable},
    error::StoreResult,
    lookup::{as_i64, conversation_no, member_no, number, project_no},
    read::{digests, inbox_lists, notable},
    rows::{ReadColumn, codes},
};

#[async_trait]
impl Inboxes for SqliteStore {
    async fn inbox(
        &self,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure> {
        let (agent, filter, page) = (agent.clone(), filter.clone(), page.clone());
        self.read("read an inbox", move |db| inbox_lists::inbox(db, &agent, &filter, &page)).await
    }

    async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, Failure> {
        let agent = agent.clone();
        self.read("count an inbox", move |db| inbox_lists::inbox_counts(db, &agent)).await
    }

    async fn inbox_count_in(
        &self,
        agent: &AgentId,
        conversation: &ConversationId,
        up_to: Option<u64>,
    ) -> Result<u64, Failure> {
        let (agent, conversation) = (agent.clone(), conversation.clone());
        let count = move |db: &Connection| inbox_count_in(db, &agent, &conversation, up_to);
        self.read("count what is unread in a conversation", count).await
    }

    async fn digests(&self, agent: &AgentId, page: &PageRequest) -> Result<Page<Digest>, Failure> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read("read the digests of an inbox", move |db| digests::digests(db, &agent, &page)).await
    }

    async fn notable_unread(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list notable unread messages", move |db| notable::notable_unread(db, &project, &caller, &page)).await
    }

    async fn unread(&self, project: &ProjectId, caller: &Principal) -> Result<Vec<ConversationUnread>, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("count unread messages", move |db| unread(db, &project, &caller)).await
    }
}

/// The unread counts of the caller in each readable conversation of the project.
pub(in crate::sqlite) fn unread(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
) -> StoreResult<Vec<ConversationUnread>> {
    let viewer = ReaderRow::of(db, caller)?;
    let sql = if caller.member.agent().is_some() { UNREAD_OF_AGENT } else { UNREAD_OF_PERSON };
    let mut statement = db.prepare_cached(sql)?;
    let params = named_params! {
        ":project": project_no(db, project)?.unwrap_or(0), ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    statement.query_and_then(params, unread_from)?.collect()
}

/// The number of messages of a conversation in an agent's inbox, up to this seq or in all.
pub(in crate::sqlite) fn inbox_count_in(
    db: &Connection,
    agent: &AgentId,
    conversation: &ConversationId,
    up_to: Option<u64>,
) -> StoreResult<u64> {
    let agent_no = member_no(db, &agent.clone().into())?;
    let (Some(agent_no), Some(conversation_no)) = (agent_no, conversation_no(db, conversation)?) else {
        return Ok(0);
    };
    let count = match up_to {
        None => number(db, UNREAD_OF_AGENT_IN, [agent_no, conversation_no])?,
        Some(seq) => number(db, UNREAD_OF_AGENT_UP_TO, [agent_no, conversation_no, as_i64(seq)])?,
    };
    Ok(count.unwrap_or(0).unsigned_abs())
}

/// How many messages of one conversation a member has not read.
pub(in crate::sqlite) fn unread_in(
    db: &Connection,
    member_no: i64,
    member: &MemberId,
    conversation_no: i64,
) -> StoreResult<u64> {
    let sql = if member.agent().is_some() { UNREAD_OF_AGENT_IN } else { UNREAD_OF_PERSON_IN };
    Ok(number(db, sql, [member_no, conversation_no])?.unwrap_or(0).unsigned_abs())
}

pub(super) const UNREAD_OF_AGENT_IN: &str = "SELECT unread
     FROM inbox_count
     WHERE agent_no = ?1 AND conversation_no = ?2";

/// Of each importance: normal (0), high (1) and critical (2).
pub(super) const UNREAD_OF_AGENT_UP_TO: &str = "SELECT COUNT(*)
     FROM inbox INDEXED BY inbox_in
     WHERE agent_no = ?1 AND conversation_no = ?2 AND importance IN (0, 1, 2) AND message_no <= (
         SELECT MAX(message.no)
         FROM message
         WHERE message.conversation_no = ?2 AND message.seq = ?3
     )";

/// Counted as in `UNREAD_OF_PERSON`.
pub(super) const UNREAD_OF_PERSON_IN: &str = "SELECT (
         SELECT MAX(message.seq)
         FROM message
         WHERE message.conversation_no = ?2
     ) - read_position.seq - (
         SELECT COUNT(*)
         FROM message
         WHERE message.conversation_no = ?2 AND message.seq > read_position.seq AND message.removed_ms IS NOT NULL
     )
     FROM read_position
     WHERE read_position.member_no = ?1 AND read_position.conversation_no = ?2";

/// All messages after the read position that were not removed. Seqs have no gaps, so only removed messages are counted.
pub(super) const UNREAD_OF_PERSON: &str = concat!(
    "SELECT progress.id, progress.type, progress.read_seq, progress.last_seq,
         progress.last_seq - progress.read_seq - (
             SELECT COUNT(*)
             FROM message
             WHERE message.conversation_no = progress.no AND message.seq > progress.read_seq
                 AND message.removed_ms IS NOT NULL
         ), (
             SELECT COUNT(*)
             FROM mention
             WHERE mention.member_no = :viewer AND mention.conversation_no = progress.no
                 AND mention.seq > progress.read_seq
         )
     FROM (
         SELECT conversation.no AS no, conversation.id AS id, conversation.type AS type,
             COALESCE(read_position.seq, 0) AS read_seq,
             COALESCE((
                 SELECT MAX(message.seq)
                 FROM message
                 WHERE message.conversation_no = conversation.no
             ), 0) AS last_seq
         FROM conversation\n",
    join_access!(),
    "    LEFT JOIN read_position
             ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
         WHERE conversation.project_no = :project AND ",
    readable!(),
    ") AS progress
     ORDER BY progress.no"
);

/// The stored counts of the inbox.
pub(super) const UNREAD_OF_AGENT: &str = concat!(
    "SELECT conversation.id, conversation.type, COALESCE(read_position.seq, 0),
         COALESCE((
             SELECT MAX(message.seq)
             FROM message
             WHERE message.conversation_no = conversation.no
         ), 0),
         COALESCE(inbox_count.unread, 0), COALESCE(inbox_count.mentions, 0)
     FROM conversation\n",
    join_access!(),
    "LEFT JOIN read_position
         ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
     LEFT JOIN inbox_count
         ON inbox_count.agent_no = :viewer AND inbox_count.conversation_no = conversation.no
     WHERE conversation.project_no = :project AND ",
    readable!(),
    "\nORDER BY conversation.no"
);

fn unread_from(row: &Row<'_>) -> StoreResult<ConversationUnread> {
    Ok(ConversationUnread {
        conversation_id: row.parsed(0)?,
        conversation_type: codes::conversation_type(row.get(1)?)?,
        read_seq: row.count(2)?,
        last_seq: row.count(3)?,
        unread: row.count(4)?,
        mentions: row.count(5)?,
    })
}
