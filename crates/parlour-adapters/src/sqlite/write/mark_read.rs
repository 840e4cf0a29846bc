use parlour_core::{
    delivery::{DeliveryState, DeliveryStep},
    event::Change,
    id::{MemberId, MessageId},
    inbox::ReadMark,
    write::Appended,
};

use super::{find, read_position, scope::Scope};
use crate::sqlite::{
    deliveries::{self, Happened},
    error::StoreResult,
    read::inboxes,
    rows::{event::About, message::StoredMessage},
};

/// Marks a message as read: a reader's position moves up to it, and it leaves an agent's inbox.
pub(super) fn mark_read(scope: &Scope<'_>, id: &MessageId, reader: MemberId) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    let reader_no = find::member_no(scope, &reader)?;
    let (conversation_no, seq) = (stored.conversation_no, stored.message.seq);
    let is_taken = reader.agent().is_some() && see(scope, &stored, reader_no)?;
    let is_advanced = read_position::advance(scope, reader_no, conversation_no, seq)?;
    let unread = inboxes::unread_in(scope.tx.db(), reader_no, &reader, conversation_no)?;
    let mark = |seq| Change::Read(Box::new(ReadMark { reader, conversation_id: stored.message.to, seq, unread }));
    if !is_taken && !is_advanced {
        return scope.repeated(mark(read_position::current(scope, reader_no, conversation_no)?));
    }
    scope.record_about(About { message_no: Some(stored.no), member_no: Some(reader_no) }, mark(seq))
}

/// What an agent has read it has seen; tells whether that is news.
fn see(scope: &Scope<'_>, message: &StoredMessage, agent_no: i64) -> StoreResult<bool> {
    let step = DeliveryStep::to(DeliveryState::Seen);
    let happened = Happened { step: &step, at: scope.at, run_no: None, answer_no: None };
    Ok(deliveries::advance(scope.tx, message.spot(scope.project_no()), agent_no, &happened)? == Some(true))
}
