//! The unread messages that a person should not miss.
//!
//! Each conversation with something unread gives its candidates one by one, newest first, by the few messages that are
//! notable in it: so neither what was read nor what is not notable costs anything.

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
    access::{Viewer, join_access, readable},
    error::StoreResult,
    lookup::{bad_page_key, number, project_no},
    message_key::MessageKey,
    rows::{codes, message::load_message_by_no},
};

/// A conversation with something unread.
#[derive(Clone, Copy)]
struct Place {
    no: i64,
    conversation_type: ConversationType,
    /// The number of the last message that was read.
    read_seq: i64,
    /// The number of the last message.
    last_seq: i64,
}

/// The newest notable message of a conversation below some number. Among all, the newest comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    message_no: i64,
    seq: i64,
    place: usize,
    is_mention: bool,
}

/// Lists the unread messages of a project that the caller should not miss, newest first.
pub(in crate::sqlite) fn notable_unread(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<InboxEntry>> {
    let sight = Sight { db, project_no: project_no(db, project)?.unwrap_or(0), viewer: Viewer::of(db, caller)? };
    let before = sight.page_begin(page)?;
    let places = sight.places()?;
    let mut newest = BinaryHeap::new();
    for (index, place) in places.iter().enumerate() {
        newest.extend(sight.candidate(index, *place, sight.seq_at(*place, before)?)?);
    }
    let mut entries = Vec::new();
    while entries.len() <= page.limit()
        && let Some(next) = newest.pop()
    {
        let place = places[next.place];
        newest.extend(sight.candidate(next.place, place, next.seq)?);
        let message = load_message_by_no(db, next.message_no)?.message;
        if message.from.member_id().as_ref() != Some(&caller.member) {
            entries.push(InboxEntry { reason: reason(place, next.is_mention), message });
        }
    }
    Ok(Page::from_probe(entries, page.limit(), |entry: &InboxEntry| entry.message.id.to_string()))
}

fn reason(place: Place, is_mention: bool) -> DeliveryReason {
    match place.conversation_type {
        _ if is_mention => DeliveryReason::Mention,
        ConversationType::Dm => DeliveryReason::Dm,
        ConversationType::Thread => DeliveryReason::Thread,
        ConversationType::Channel => DeliveryReason::Subscription,
    }
}

/// Where the reading takes place.
struct Sight<'db> {
    db: &'db Connection,
    project_no: i64,
    viewer: Viewer,
}

impl Sight<'_> {
    /// The number that the messages of a page are below; its key may have been read meanwhile.
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

    /// The conversations that the viewer may read and has not read to the end.
    fn places(&self) -> StoreResult<Vec<Place>> {
        let mut statement = self.db.prepare_cached(PLACES)?;
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        let place = |row: &Row<'_>| {
            let conversation_type = codes::conversation_type(row.get(1)?)?;
            Ok(Place { no: row.get(0)?, conversation_type, read_seq: row.get(2)?, last_seq: row.get(3)? })
        };
        statement.query_and_then(params, place)?.collect()
    }

    /// The number in the conversation from which on its messages are not below `message_no`.
    ///
    /// Both numbers grow together, so a few looks find it among any number of unread messages.
    fn seq_at(&self, place: Place, message_no: i64) -> StoreResult<i64> {
        let (mut below, mut not_below) = (place.read_seq, place.last_seq + 1);
        if message_no == i64::MAX {
            return Ok(not_below);
        }
        while not_below - below > 1 {
            let middle = below + (not_below - below) / 2;
            let found = number(self.db, BY_SEQ, [place.no, middle])?.unwrap_or(i64::MAX);
            if found < message_no { below = middle } else { not_below = middle }
        }
        Ok(not_below)
    }

    /// The newest notable message of a conversation below this number in it.
    fn candidate(&self, index: usize, place: Place, seq: i64) -> StoreResult<Option<Candidate>> {
        let mention = number(self.db, MENTION_BEFORE, [place.no, place.read_seq, seq, self.viewer.no])?;
        let sql = if place.conversation_type == ConversationType::Dm { ANY_BEFORE } else { NOTABLE_BEFORE };
        let notable = number(self.db, sql, [place.no, place.read_seq, seq])?;
        let Some(seq) = mention.max(notable) else { return Ok(None) };
        let message_no = number(self.db, BY_SEQ, [place.no, seq])?;
        let is_mention = mention == Some(seq);
        Ok(message_no.map(|message_no| Candidate { message_no, seq, place: index, is_mention }))
    }
}

pub(super) const PLACES: &str = concat!(
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

/// Important messages, and questions that are open (0): one that has ended is passed over. People who are asked are
/// mentioned or share the dm, so their own are found anyway.
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
