use parlour_core::{
    event::Change,
    id::{MemberId, MessageId},
    inbox::ReadMark,
    write::Appended,
};

use super::{find, read_position, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    inbox::{self, Spot},
    read::inboxes,
    rows::event::About,
};

/// Marks a message as read: a reader's position moves up to it, and it leaves an agent's inbox.
pub(super) fn mark_read(scope: &Scope<'_>, id: &MessageId, reader: MemberId) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    let reader_no = find::member_no(scope, &reader)?;
    let (conversation_no, seq) = (stored.conversation_no, stored.message.seq);
    let spot = Spot { project_no: scope.project_no(), conversation_no, message_no: stored.no };
    let is_taken = reader.agent().is_some() && inbox::take(scope.tx, reader_no, spot)?;
    let is_advanced = read_position::advance(scope, reader_no, conversation_no, seq)?;
    let unread = inboxes::unread_in(scope.tx.db(), reader_no, &reader, conversation_no)?;
    let mark = |seq| Change::Read(Box::new(ReadMark { reader, conversation_id: stored.message.to, seq, unread }));
    if !is_taken && !is_advanced {
        return scope.repeated(mark(read_position::current(scope, reader_no, conversation_no)?));
    }
    scope.record_about(About { message_no: Some(stored.no), member_no: Some(reader_no) }, mark(seq))
}
