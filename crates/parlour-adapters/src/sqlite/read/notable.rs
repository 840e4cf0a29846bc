//! The unread messages that a person should not miss: mentions, important messages, open questions and DMs.
//!
//! Each conversation with unread messages yields its notable ones one by one, newest first, by indexes that contain
//! only notable messages. Read and ordinary messages therefore cost nothing.

use std::collections::BinaryHeap;

use parlour_core::{
    access::Principal,
    conversation::ConversationType,
    id::{MessageId, ProjectId},
    inbox::{DeliveryReason, InboxEntry},
    paging::{Page, PageRequest},
};
use rusqlite::{Connection, Row, named_params};

use crate::sqlite::{
    access::{ReaderRow, join_access, readable},
    error::StoreResult,
    lookup::{bad_page_key, number, project_no},
    message_key::MessageKey,
    rows::{codes, message::load_message_by_no},
};

/// The unread range of a conversation.
#[derive(Clone, Copy)]
struct ConversationRange {
    no: i64,
    conversation_type: ConversationType,
    /// The seq of the last read message.
    read_seq: i64,
    /// The seq of the last message.
    last_seq: i64,
}

/// The newest notable message of a conversation below some seq. The derived order puts the newest message first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NewestNotable {
    message_no: i64,
    seq: i64,
    conversation_index: usize,
    is_mention: bool,
}

/// Lists the notable unread messages of a project for the caller, newest first.
pub(in crate::sqlite) fn notable_unread(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<InboxEntry>> {
    let reader =
        NotableReader { db, project_no: project_no(db, project)?.unwrap_or(0), viewer: ReaderRow::of(db, caller)? };
    let before = reader.page_begin(page)?;
    let conversations = reader.unread_conversations()?;
    let mut newest = BinaryHeap::new();
    for (index, conversation) in conversations.iter().enumerate() {
        newest.extend(reader.newest_below(index, *conversation, reader.seq_at(*conversation, before)?)?);
    }
    let mut entries = Vec::new();
    while entries.len() <= page.limit()
        && let Some(next) = newest.pop()
    {
        let conversation = conversations[next.conversation_index];
        newest.extend(reader.newest_below(next.conversation_index, conversation, next.seq)?);
        let message = load_message_by_no(db, next.message_no)?.message;
        if message.from.member_id().as_ref() != Some(&caller.member) {
            entries.push(InboxEntry { reason: reason(conversation, next.is_mention), message });
        }
    }
    Ok(Page::from_probe(entries, page.limit(), |entry: &InboxEntry| entry.message.id.to_string()))
}

fn reason(conversation: ConversationRange, is_mention: bool) -> DeliveryReason {
    match conversation.conversation_type {
        _ if is_mention => DeliveryReason::Mention,
        ConversationType::Dm => DeliveryReason::Dm,
        ConversationType::Thread => DeliveryReason::Thread,
        ConversationType::Channel => DeliveryReason::Subscription,
    }
}

/// The database, the project and the reader of one list.
struct NotableReader<'db> {
    db: &'db Connection,
    project_no: i64,
    viewer: ReaderRow,
}

impl NotableReader<'_> {
    /// The message number below which a page begins. The message of the page key may have been read meanwhile.
    fn page_begin(&self, page: &PageRequest) -> StoreResult<i64> {
        let Some(key) = page.after() else { return Ok(i64::MAX) };
        let Ok(id) = key.parse::<MessageId>() else { return Err(bad_page_key(key)) };
        let sql = concat!(
            "SELECT message.no
             FROM message
             JOIN conversation ON conversation.no = message.conversation_no\n",
            join_access!(),
            "WHERE message.id = :id AND conversation.project_no = :project AND ",
            readable!()
        );
        let params = named_params! {
            ":id": MessageKey(&id), ":project": self.project_no,
            ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        number(self.db, sql, params)?.ok_or_else(|| bad_page_key(key))
    }

    /// The readable conversations with unread messages.
    fn unread_conversations(&self) -> StoreResult<Vec<ConversationRange>> {
        let mut statement = self.db.prepare_cached(UNREAD_CONVERSATIONS)?;
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        let range = |row: &Row<'_>| {
            let conversation_type = codes::conversation_type(row.get(1)?)?;
            Ok(ConversationRange { no: row.get(0)?, conversation_type, read_seq: row.get(2)?, last_seq: row.get(3)? })
        };
        statement.query_and_then(params, range)?.collect()
    }

    /// The first seq of the conversation whose message is not below `message_no`.
    ///
    /// Both numbers grow together, so it is a binary search.
    fn seq_at(&self, conversation: ConversationRange, message_no: i64) -> StoreResult<i64> {
        let (mut below, mut not_below) = (conversation.read_seq, conversation.last_seq + 1);
        if message_no == i64::MAX {
            return Ok(not_below);
        }
        while not_below - below > 1 {
            let middle = below + (not_below - below) / 2;
            let found = number(self.db, BY_SEQ, [conversation.no, middle])?.unwrap_or(i64::MAX);
            if found < message_no { below = middle } else { not_below = middle }
        }
        Ok(not_below)
    }

    /// The newest notable message of a conversation below this seq.
    fn newest_below(
        &self,
        index: usize,
        conversation: ConversationRange,
        seq: i64,
    ) -> StoreResult<Option<NewestNotable>> {
        let mention = number(self.db, MENTION_BEFORE, [conversation.no, conversation.read_seq, seq, self.viewer.no])?;
        let sql = if conversation.conversation_type == ConversationType::Dm { ANY_BEFORE } else { NOTABLE_BEFORE };
        let notable = number(self.db, sql, [conversation.no, conversation.read_seq, seq])?;
        let Some(seq) = mention.max(notable) else { return Ok(None) };
        let message_no = number(self.db, BY_SEQ, [conversation.no, seq])?;
        let is_mention = mention == Some(seq);
        Ok(message_no.map(|message_no| NewestNotable { message_no, seq, conversation_index: index, is_mention }))
    }
}

pub(super) const UNREAD_CONVERSATIONS: &str = concat!(
    "SELECT conversation.no, conversation.type, COALESCE(read_position.seq, 0) AS read_seq, (
         SELECT MAX(message.seq)
         FROM message
         WHERE message.conversation_no = conversation.no
     ) AS last_seq
     FROM conversation\n",
    join_access!(),
    "LEFT JOIN read_position
         ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
     WHERE conversation.project_no = :project AND last_seq > read_seq AND ",
    readable!()
);

pub(super) const BY_SEQ: &str = "SELECT no
     FROM message
     WHERE conversation_no = ?1 AND seq = ?2";

pub(super) const MENTION_BEFORE: &str = "SELECT seq
     FROM mention
     WHERE conversation_no = ?1 AND seq > ?2 AND seq < ?3 AND member_no = ?4
     ORDER BY seq DESC
     LIMIT 1";

/// Important messages and open questions (state 0). Questions to the viewer are also found as mentions, or in the DM.
pub(super) const NOTABLE_BEFORE: &str = "SELECT seq
     FROM message INDEXED BY notable_message
     WHERE conversation_no = ?1 AND seq > ?2 AND seq < ?3 AND (importance > 0 OR blocking = 1) AND removed_ms IS NULL
         AND (importance > 0 OR EXISTS (
             SELECT 1
             FROM question
             WHERE question.message_no = message.no AND question.state = 0
         ))
     ORDER BY seq DESC
     LIMIT 1";

pub(super) const ANY_BEFORE: &str = "SELECT seq
     FROM message
     WHERE conversation_no = ?1 AND seq > ?2 AND seq < ?3 AND removed_ms IS NULL
     ORDER BY seq DESC
     LIMIT 1";
