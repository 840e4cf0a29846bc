use parlour_core::{
    Code, Refusal, access,
    event::Change,
    id::{MemberId, MessageId},
    inbox::Recipient,
    message::{Message, State},
    write::{Appended, NewText},
};
use rusqlite::params;

use super::{find, mentions, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    inbox::{self, Spot},
    injections,
    rows::{
        event::About,
        message::{StoredMessage, extra_json, is_linked},
    },
    summaries,
    text_index::TextChange,
};

/// Changes the text of a message, and whom it calls.
pub(super) fn edit_message(scope: &Scope<'_>, id: &MessageId, text: NewText, words: String) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    access::check_present(&stored.message)?;
    check_ended(&stored.message)?;
    if stored.message.body == text.body && stored.message.mentions == text.mentions {
        return scope.repeated(Change::MessageEdited(Box::new(stored.message)));
    }
    let message = stored.message.clone().edited(text.body, text.mentions, scope.at);
    update_row(scope, stored.no, &message)?;
    forget_copies(scope, &stored)?;
    change_text(scope, &stored, &message, &text.deliveries, words)?;
    let about = About { message_no: Some(stored.no), member_no: None };
    scope.record_about(about, Change::MessageEdited(Box::new(message)))
}

/// Brings everything that follows from a message's text to the new one: whom it calls and by which words it is found.
pub(super) fn change_text(
    scope: &Scope<'_>,
    before: &StoredMessage,
    message: &Message,
    deliveries: &[Recipient],
    words: String,
) -> StoreResult<()> {
    let spot = before.spot(scope.project_no());
    move_mentions(scope, spot, &before.message.mentions, message)?;
    inbox::deliver_later(scope.tx, spot, deliveries, message, scope.at)?;
    scope.tx.change_text(TextChange::Put { project_no: spot.project_no, message_no: spot.message_no, words });
    Ok(())
}

/// Forgets the old text wherever it was copied to.
pub(super) fn forget_copies(scope: &Scope<'_>, stored: &StoredMessage) -> StoreResult<()> {
    let spot = stored.spot(scope.project_no());
    injections::forget_text(scope.tx, spot, stored.message.seq)?;
    summaries::forget_spans(scope.tx, spot, stored.message.seq)
}

fn check_ended(message: &Message) -> Result<(), Refusal> {
    if message.state == State::Streaming {
        return Err(Refusal::new(Code::StreamOpen, format!("message {} is still being written", message.id)));
    }
    Ok(())
}

fn update_row(scope: &Scope<'_>, message_no: i64, message: &Message) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE message
         SET body = ?2, extra = ?3, edited_ms = ?4, is_linked = ?5
         WHERE no = ?1",
        params![
            message_no,
            message.body,
            extra_json(message),
            message.edited_at.map(|at| at.as_millis()),
            is_linked(message)
        ],
    )?;
    Ok(())
}

/// Brings the mentions of people, and those in the inboxes of agents, to what the message says now.
fn move_mentions(scope: &Scope<'_>, spot: Spot, before: &[MemberId], message: &Message) -> StoreResult<()> {
    mentions::remove(scope, spot.conversation_no, message.seq, before)?;
    mentions::add(scope, spot.conversation_no, message.seq, &message.mentions)?;
    for agent in before.iter().chain(&message.mentions).filter_map(MemberId::agent) {
        let agent_no = find::agent_no(scope.tx, scope.project_no(), agent)?;
        let is_mention = message.mentions.contains(&agent.clone().into());
        inbox::set_mention(scope.tx, agent_no, spot, is_mention)?;
    }
    Ok(())
}
