//! Rows of messages.

use parlour_core::{
    call::HeldCall,
    engine::Usage,
    id::{AgentId, ArtifactId, BatchId, ConversationId, MemberId, MessageId, TaskId},
    message::{Attachment, Cause, Message, MessageContext},
    question::{AnswerTo, Question},
    reaction::Reaction,
    step::Step,
};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ReadColumn, StoreError, StoreResult, author::author_from, codes, from_json, to_json};
use crate::sqlite::{
    inbox::DeliveredMessage,
    message_key::{MessageKey, StoredMessageId},
};

/// Selects messages; continue it with `WHERE`.
macro_rules! select_message {
    ($($tail:expr),+) => {
        concat!(
            "SELECT message.no, message.id, message.conversation_no, message.seq, message.log_offset,
                 message.created_ms, message.kind, message.importance, message.blocking, message.state,
                 message.edited_ms, message.removed_ms, message.reaction_count, message.body, message.extra,
                 conversation.id, conversation.type, project.id, thread.id, author.type, author.id, author.name
             FROM message
             JOIN conversation ON conversation.no = message.conversation_no
             JOIN project ON project.no = conversation.project_no
             JOIN author ON author.no = message.author_no
             LEFT JOIN conversation AS thread ON thread.no = message.thread_no\n",
            $($tail),+
        )
    };
}
pub(in crate::sqlite) use select_message;

/// A message with its row numbers.
#[derive(Debug)]
pub(in crate::sqlite) struct StoredMessage {
    pub(in crate::sqlite) no: i64,
    pub(in crate::sqlite) conversation_no: i64,
    /// The offset of its post in the log of its project.
    pub(in crate::sqlite) log_offset: u64,
    pub(in crate::sqlite) message: Message,
}

impl StoredMessage {
    /// The row numbers that inboxes and deliveries need.
    pub(in crate::sqlite) fn as_delivered(&self, project_no: i64) -> DeliveredMessage {
        DeliveredMessage {
            project_no,
            conversation_no: self.conversation_no,
            message_no: self.no,
            importance: self.message.importance,
        }
    }
}

/// Fields that few messages have. They are stored as JSON, and only if one of them is set.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::sqlite) struct Extra {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<MemberId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<AgentId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held: Vec<HeldCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_to: Option<AnswerTo>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_notice: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<BatchId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
}

/// The rarely used fields of a message as JSON; `None` if none is set.
pub(in crate::sqlite) fn extra_json(message: &Message) -> Option<String> {
    let message = message.clone();
    let extra = Extra {
        content: message.content,
        mentions: message.mentions,
        calls: message.calls,
        held: message.held,
        answer_to: message.answer_to,
        is_notice: message.is_notice,
        artifacts: message.artifacts,
        attachments: message.attachments,
        reply_to: message.reply_to,
        cause: message.cause,
        correlation_id: message.correlation_id,
        task_id: message.context.task_id,
        batch_id: message.context.batch_id,
        reason: message.reason,
        steps: message.steps,
        usage: message.usage,
        metadata: message.metadata,
    };
    (extra != Extra::default()).then(|| to_json(&extra))
}

/// Whether the message is part of the graph: it opens a thread, has an artifact or mentions a member.
pub(in crate::sqlite) fn is_linked(message: &Message) -> bool {
    message.thread_id.is_some() || !message.artifacts.is_empty() || !message.mentions.is_empty()
}

/// Reads a row of `select_message!`.
pub(in crate::sqlite) fn message_from(db: &Connection, row: &Row<'_>) -> StoreResult<StoredMessage> {
    let no = row.get(0)?;
    let extra = row.get_ref(14)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let extra: Extra = extra.map(from_json).transpose()?.unwrap_or_default();
    let reactions = if row.count(12)? > 0 { load_reactions(db, no)? } else { Vec::new() };
    let project_id: parlour_core::id::ProjectId = row.parsed(17)?;
    let (blocking, removed_at) = (row.get(8)?, row.time_opt(11)?);
    let question = if blocking && removed_at.is_none() { load_question(db, no)? } else { None };
    let message = Message {
        id: row.get::<_, StoredMessageId>(1)?.0,
        project_id: project_id.clone(),
        conversation_type: codes::conversation_type(row.get(16)?)?,
        to: row.parsed(15)?,
        seq: row.count(3)?,
        from: author_from(row, 19)?,
        kind: codes::kind(row.get(6)?)?,
        body: row.get(13)?,
        content: extra.content,
        mentions: extra.mentions,
        calls: extra.calls,
        held: extra.held,
        question,
        answer_to: extra.answer_to,
        is_notice: extra.is_notice,
        artifacts: extra.artifacts,
        attachments: extra.attachments,
        importance: codes::importance(row.get(7)?)?,
        blocking,
        reply_to: extra.reply_to,
        cause: extra.cause,
        correlation_id: extra.correlation_id,
        context: MessageContext { project_id, task_id: extra.task_id, batch_id: extra.batch_id },
        state: codes::state(row.get(9)?)?,
        reason: extra.reason,
        steps: extra.steps,
        usage: extra.usage,
        metadata: extra.metadata,
        created_at: row.time(5)?,
        edited_at: row.time_opt(10)?,
        removed_at,
        thread_id: row.parsed_opt(18)?,
        reactions,
    };
    Ok(StoredMessage { no, conversation_no: row.get(2)?, log_offset: row.count(4)?, message })
}

pub(in crate::sqlite) fn load_message(db: &Connection, id: &MessageId) -> StoreResult<Option<StoredMessage>> {
    let mut statement = db.prepare_cached(select_message!("WHERE message.id = ?1"))?;
    statement.query_and_then([MessageKey(id)], |row| message_from(db, row))?.next().transpose()
}

pub(in crate::sqlite) fn load_message_by_no(db: &Connection, no: i64) -> StoreResult<StoredMessage> {
    let mut statement = db.prepare_cached(select_message!("WHERE message.no = ?1"))?;
    let found = statement.query_and_then([no], |row| message_from(db, row))?.next().transpose()?;
    found.ok_or_else(|| StoreError::Unreadable(format!("there is no message {no}")))
}

/// The id, conversation and seq of a message, without its text.
pub(in crate::sqlite) fn load_location(db: &Connection, no: i64) -> StoreResult<(MessageId, ConversationId, u64)> {
    let mut statement = db.prepare_cached(
        "SELECT message.id, conversation.id, message.seq
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.no = ?1",
    )?;
    let location =
        |row: &Row<'_>| StoreResult::Ok((row.get::<_, StoredMessageId>(0)?.0, row.parsed(1)?, row.count(2)?));
    let found = statement.query_and_then([no], location)?.next().transpose()?;
    found.ok_or_else(|| StoreError::Unreadable(format!("there is no message {no}")))
}

/// Reads the question of a message in its current state.
pub(in crate::sqlite) fn load_question(db: &Connection, message_no: i64) -> StoreResult<Option<Question>> {
    let mut statement = db.prepare_cached("SELECT data\nFROM question\nWHERE message_no = ?1")?;
    statement.query_and_then([message_no], |row| row.json(0))?.next().transpose()
}

/// Reads the reactions on a message: emojis in the order of their first use, members in the order of reacting.
fn load_reactions(db: &Connection, message_no: i64) -> StoreResult<Vec<Reaction>> {
    let mut statement = db.prepare_cached(
        "SELECT reaction.emoji, member.id
         FROM reaction
         JOIN member ON member.no = reaction.member_no
         WHERE reaction.message_no = ?1
         ORDER BY reaction.no",
    )?;
    let mut reactions: Vec<Reaction> = Vec::new();
    let mut rows = statement.query([message_no])?;
    while let Some(row) = rows.next()? {
        let (emoji, member): (String, MemberId) = (row.get(0)?, row.parsed(1)?);
        match reactions.iter_mut().find(|reaction| reaction.emoji == emoji) {
            Some(reaction) => reaction.members.push(member),
            None => reactions.push(Reaction { emoji, members: vec![member] }),
        }
    }
    Ok(reactions)
}
