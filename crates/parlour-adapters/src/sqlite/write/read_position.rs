//! Read positions: how far each member has read a conversation.

use parlour_core::{
    delivery::{DeliveryState, DeliveryStep},
    event::Change,
    id::{MemberId, MessageId},
    inbox::ReadMark,
    write::Appended,
};

use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, number},
    read::inboxes,
    rows::{event::About, message::StoredMessage},
    write::{
        deliveries::{self, Happened},
        find,
        log::LogWriter,
    },
};

/// Marks a message as read: advances the read position of the reader and removes the message from an agent's inbox.
pub(super) fn mark_read(log: &LogWriter<'_>, id: &MessageId, reader: MemberId) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    let reader_no = find::member_no(log, &reader)?;
    let (conversation_no, seq) = (stored.conversation_no, stored.message.seq);
    let is_seen = reader.agent().is_some() && mark_seen(log, &stored, reader_no)?;
    let is_advanced = advance(log, reader_no, conversation_no, seq)?;
    let unread = inboxes::unread_in(log.tx.db(), reader_no, &reader, conversation_no)?;
    let mark = |seq| Change::Read(Box::new(ReadMark { reader, conversation_id: stored.message.to, seq, unread }));
    if !is_seen && !is_advanced {
        return log.repeated(mark(current(log, reader_no, conversation_no)?));
    }
    log.record_about(About { message_no: Some(stored.no), member_no: Some(reader_no) }, mark(seq))
}

/// Marks the delivery to an agent as seen and returns whether that changed it.
fn mark_seen(log: &LogWriter<'_>, message: &StoredMessage, agent_no: i64) -> StoreResult<bool> {
    let step = DeliveryStep::to(DeliveryState::Seen);
    let happened = Happened { step: &step, at: log.at, run_no: None, answer_no: None };
    Ok(deliveries::advance(log.tx, message.as_delivered(log.project_no()), agent_no, &happened)? == Some(true))
}

/// Advances a member's read position to this seq and returns whether it moved; it never moves back.
pub(super) fn advance(log: &LogWriter<'_>, member_no: i64, conversation_no: i64, seq: u64) -> StoreResult<bool> {
    let moved = log.tx.execute(
        "INSERT INTO read_position (member_no, conversation_no, seq)
         VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE
         SET seq = ?3
         WHERE seq < ?3",
        [member_no, conversation_no, as_i64(seq)],
    )?;
    Ok(moved == 1)
}

/// The number of the last message that the member has read.
pub(super) fn current(log: &LogWriter<'_>, member_no: i64, conversation_no: i64) -> StoreResult<u64> {
    let sql = "SELECT seq
         FROM read_position
         WHERE member_no = ?1 AND conversation_no = ?2";
    let seq = number(log.tx.db(), sql, [member_no, conversation_no])?.unwrap_or(0);
    Ok(seq.unsigned_abs())
}
