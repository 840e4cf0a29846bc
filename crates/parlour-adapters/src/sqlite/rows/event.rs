//! Rows of events. The row of an event about a message refers to it; the change is rebuilt from the current message.

use parlour_core::{
    call::PassedCall,
    event::{Change, Event, ReactionMark},
    id::ProjectId,
    inbox::ReadMark,
    position::{Position, StartTag},
    question::QuestionMark,
};
use rusqlite::{Connection, Row};

use super::{
    ReadColumn, StoreError, StoreResult,
    author::author_from,
    from_json,
    message::{self, load_question},
    to_json,
};

/// The data contains the whole change.
const PLAIN: i64 = 0;
/// The post of a message. The index `event_of_message` does not contain this kind.
const POSTED: i64 = 1;
const EDITED: i64 = 2;
const REMOVED: i64 = 3;
const REACTED: i64 = 4;
const UNREACTED: i64 = 5;
const READ: i64 = 6;
/// The end of a message's stream.
pub(in crate::sqlite) const FINISHED: i64 = 7;
/// An agent passed a call; the data is its reason.
pub(in crate::sqlite) const PASSED: i64 = 8;
/// The question of a message changed. Readers get its current state.
const QUESTION: i64 = 9;

/// Selects events; continue it with `WHERE`. A post takes its author and time from the message.
macro_rules! select_event {
    ($tail:literal) => {
        concat!(
            "SELECT event.offset, event.kind, COALESCE(event.at_ms, message.created_ms), event.message_no, member.id,
                 event.data, author.type, author.id, author.name
             FROM event
             LEFT JOIN message ON message.no = event.message_no
             LEFT JOIN member ON member.no = event.member_no
             JOIN author ON author.no = COALESCE(event.actor_no, message.author_no)\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use select_event;

/// The log that events are read from.
#[derive(Clone, Debug)]
pub(in crate::sqlite) struct LogName {
    pub(in crate::sqlite) project_no: i64,
    pub(in crate::sqlite) project_id: ProjectId,
    pub(in crate::sqlite) epoch: String,
    /// The running start of the hub.
    pub(in crate::sqlite) start_tag: Option<StartTag>,
}

impl LogName {
    pub(in crate::sqlite) fn position(&self, offset: u64) -> StoreResult<Position> {
        let position = Position::new(&self.epoch, offset).map_err(|refusal| StoreError::Unreadable(refusal.detail))?;
        Ok(position.issued_by(self.start_tag))
    }
}

/// The columns of an event row that depend on the change.
#[derive(Debug)]
pub(in crate::sqlite) struct EventData {
    pub(in crate::sqlite) kind: i64,
    pub(in crate::sqlite) message_no: Option<i64>,
    pub(in crate::sqlite) member_no: Option<i64>,
    pub(in crate::sqlite) data: Option<String>,
}

/// The row numbers that an event about a message refers to.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sqlite) struct About {
    pub(in crate::sqlite) message_no: Option<i64>,
    /// The member who reacted, read or passed.
    pub(in crate::sqlite) member_no: Option<i64>,
}

/// The columns for a change. An event about a message stores no text: only the row of the message contains it.
pub(in crate::sqlite) fn event_data(change: &Change, about: About) -> EventData {
    let (kind, data) = match change {
        Change::MessagePosted(_) => (POSTED, None),
        Change::MessageFinished(_) => (FINISHED, None),
        Change::MessageEdited(_) => (EDITED, None),
        Change::MessageRemoved(_) => (REMOVED, None),
        Change::Reacted(mark) => (REACTED, Some(mark.emoji.clone())),
        Change::Unreacted(mark) => (UNREACTED, Some(mark.emoji.clone())),
        Change::CallPassed(passed) => (PASSED, passed.reason.clone()),
        Change::QuestionChanged(_) => (QUESTION, None),
        Change::Read(mark) => (READ, Some(mark.unread.to_string())),
        other => (PLAIN, Some(to_json(other))),
    };
    EventData { kind, message_no: about.message_no, member_no: about.member_no, data }
}

/// Reads a row of `select_event!`, with the current state of its message.
pub(in crate::sqlite) fn event_from(db: &Connection, log: &LogName, row: &Row<'_>) -> StoreResult<Event> {
    Ok(Event {
        position: log.position(row.count(0)?)?,
        project_id: log.project_id.clone(),
        at: row.time(2)?,
        actor: author_from(row, 6)?,
        change: change_from(db, row)?,
    })
}

fn change_from(db: &Connection, row: &Row<'_>) -> StoreResult<Change> {
    let kind: i64 = row.get(1)?;
    if kind == PLAIN {
        return row.json(5);
    }
    let message_no: i64 = row.get(3)?;
    let message = || message::load_message_by_no(db, message_no).map(|stored| Box::new(stored.message));
    Ok(match kind {
        POSTED => Change::MessagePosted(message()?),
        FINISHED => Change::MessageFinished(message()?),
        EDITED => Change::MessageEdited(message()?),
        REMOVED => Change::MessageRemoved(message()?),
        REACTED => Change::Reacted(Box::new(reaction_mark(db, message_no, row)?)),
        UNREACTED => Change::Unreacted(Box::new(reaction_mark(db, message_no, row)?)),
        PASSED => Change::CallPassed(Box::new(passed_call(db, message_no, row)?)),
        READ => Change::Read(Box::new(read_mark(db, message_no, row)?)),
        QUESTION => Change::QuestionChanged(Box::new(question_mark(db, message_no)?)),
        unknown => return Err(StoreError::Unreadable(format!("{unknown} is no kind of event"))),
    })
}

fn reaction_mark(db: &Connection, message_no: i64, row: &Row<'_>) -> StoreResult<ReactionMark> {
    let (message_id, conversation_id, _) = message::load_location(db, message_no)?;
    Ok(ReactionMark { message_id, conversation_id, emoji: row.get(5)?, member_id: row.parsed(4)? })
}

fn passed_call(db: &Connection, message_no: i64, row: &Row<'_>) -> StoreResult<PassedCall> {
    let (message_id, conversation_id, _) = message::load_location(db, message_no)?;
    Ok(PassedCall { agent_id: row.parsed(4)?, message_id, conversation_id, reason: row.get(5)? })
}

fn question_mark(db: &Connection, message_no: i64) -> StoreResult<QuestionMark> {
    let (message_id, conversation_id, _) = message::load_location(db, message_no)?;
    let question = load_question(db, message_no)?;
    let question = question.ok_or_else(|| StoreError::Unreadable(format!("message {message_no} asks nothing")))?;
    Ok(QuestionMark { message_id, conversation_id, question })
}

fn read_mark(db: &Connection, message_no: i64, row: &Row<'_>) -> StoreResult<ReadMark> {
    let (_, conversation_id, seq) = message::load_location(db, message_no)?;
    // Rows of the first version have no count.
    let unread = row.get::<_, Option<String>>(5)?.map_or(Ok(0), |unread| from_json(&unread))?;
    Ok(ReadMark { reader: row.parsed(4)?, conversation_id, seq, unread })
}
