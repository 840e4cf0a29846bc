//! Writes that change or remove the text of a message.

use parlour_core::{
    access,
    event::Change,
    id::{AgentId, MemberId, MessageId},
    inbox::Recipient,
    message::Message,
    wake,
    write::{Appended, NewText},
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    inbox::{self, DeliveredMessage},
    injections,
    lookup::as_i64,
    rows::{
        codes::state_code,
        event::{About, PASSED},
        message::{StoredMessage, extra_json, is_linked},
    },
    summaries,
    text_index::TextChange,
    write::{calls, deliveries, find, finish_message::forget_stream, log::LogWriter, questions},
};

/// Changes the text and the mentions of a message.
pub(super) fn edit_message(log: &LogWriter<'_>, id: &MessageId, text: NewText, words: String) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    access::check_present(&stored.message)?;
    stored.message.check_not_streaming()?;
    if stored.message.body == text.body && stored.message.mentions == text.mentions {
        return log.repeated(Change::MessageEdited(Box::new(stored.message)));
    }
    let closed = close_dropped_calls(log, &stored, &text.mentions)?;
    let mut message = stored.message.clone().edited(text.body, text.mentions, log.at);
    message.calls.retain(|agent| !closed.contains(agent));
    update_row(log, stored.no, &message)?;
    forget_copies(log, &stored)?;
    change_text(log, &stored, &message, &text.deliveries, words)?;
    let about = About { message_no: Some(stored.no), member_no: None };
    log.record_about(about, Change::MessageEdited(Box::new(message)))
}

/// Updates mentions, inboxes and the text index after a change of the text.
pub(super) fn change_text(
    log: &LogWriter<'_>,
    before: &StoredMessage,
    message: &Message,
    deliveries: &[Recipient],
    words: String,
) -> StoreResult<()> {
    let delivered = before.as_delivered(log.project_no());
    update_mentions(log, delivered, &before.message.mentions, message)?;
    inbox::deliver_later(log.tx, delivered, deliveries, message, log.at)?;
    log.tx.change_text(TextChange::Put { project_no: delivered.project_no, message_no: delivered.message_no, words });
    Ok(())
}

/// Deletes copies of the old text from injections and summaries.
pub(super) fn forget_copies(log: &LogWriter<'_>, stored: &StoredMessage) -> StoreResult<()> {
    let delivered = stored.as_delivered(log.project_no());
    injections::forget_text(log.tx, delivered, stored.message.seq)?;
    summaries::forget_spans(log.tx, delivered, stored.message.seq)
}

/// Closes the open calls of agents that the new text does not address, and returns these agents.
fn close_dropped_calls(
    log: &LogWriter<'_>,
    stored: &StoredMessage,
    mentions: &[MemberId],
) -> StoreResult<Vec<AgentId>> {
    let mut closed = Vec::new();
    for agent in wake::no_longer_called(&stored.message, mentions) {
        let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
        if calls::close(log.tx, agent_no, stored.no, log.at)? {
            closed.push(agent);
        }
    }
    Ok(closed)
}

fn update_row(log: &LogWriter<'_>, message_no: i64, message: &Message) -> StoreResult<()> {
    log.tx.execute(
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

/// Updates the mentions of people and the mention flags in the inboxes of agents.
fn update_mentions(
    log: &LogWriter<'_>,
    delivered: DeliveredMessage,
    before: &[MemberId],
    message: &Message,
) -> StoreResult<()> {
    remove_mentions(log, delivered.conversation_no, message.seq, before)?;
    add_mentions(log, delivered.conversation_no, message.seq, &message.mentions)?;
    for agent in before.iter().chain(&message.mentions).filter_map(MemberId::agent) {
        let agent_no = find::agent_no(log.tx, log.project_no(), agent)?;
        let is_mention = message.mentions.contains(&agent.clone().into());
        inbox::set_mention(log.tx, agent_no, delivered, is_mention)?;
    }
    Ok(())
}

/// Removes a message: its row stays, its text, calls, deliveries and reactions are deleted.
pub(super) fn remove_message(log: &LogWriter<'_>, id: &MessageId) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    if stored.message.removed_at.is_some() {
        return log.repeated(Change::MessageRemoved(Box::new(stored.message)));
    }
    remove_mentions(log, stored.conversation_no, stored.message.seq, &stored.message.mentions)?;
    let (called, delivered) = (stored.message.calls.clone(), stored.as_delivered(log.project_no()));
    if let Some(question) = &stored.message.question {
        questions::forget(log.tx, delivered, question, log.actor, log.at)?;
    }
    forget_copies(log, &stored)?;
    let message = stored.message.removed(log.at);
    clear_row(log, stored.no, &message)?;
    forget_stream(log, stored.no)?;
    inbox::remove_from_all(log.tx, delivered)?;
    deliveries::forget(log.tx, stored.no)?;
    close_calls(log, stored.no, &called)?;
    log.tx.change_text(TextChange::Drop { message_no: stored.no });
    let about = About { message_no: Some(stored.no), member_no: None };
    log.record_about(about, Change::MessageRemoved(Box::new(message)))
}

/// Closes the calls of a removed message.
fn close_calls(log: &LogWriter<'_>, message_no: i64, called: &[AgentId]) -> StoreResult<()> {
    for agent in called {
        let agent_no = find::agent_no(log.tx, log.project_no(), agent)?;
        calls::close(log.tx, agent_no, message_no, log.at)?;
    }
    if !called.is_empty() {
        forget_reasons(log, message_no)?;
    }
    Ok(())
}

/// Deletes the reasons with which agents passed, because they may quote the message.
fn forget_reasons(log: &LogWriter<'_>, message_no: i64) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE event
         SET data = NULL
         WHERE message_no = ?1 AND message_no IS NOT NULL AND kind <> 1 AND kind = ?2",
        [message_no, PASSED],
    )?;
    Ok(())
}

fn clear_row(log: &LogWriter<'_>, message_no: i64, message: &Message) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE message
         SET body = ?2, extra = ?3, removed_ms = ?4, is_linked = ?5, state = ?6, reaction_count = 0
         WHERE no = ?1",
        params![
            message_no,
            message.body,
            extra_json(message),
            message.removed_at.map(|at| at.as_millis()),
            is_linked(message),
            state_code(message.state)
        ],
    )?;
    log.tx.execute(
        "DELETE FROM reaction
         WHERE message_no = ?1",
        [message_no],
    )?;
    Ok(())
}

/// Adds the mentions of people in a message.
pub(super) fn add_mentions(
    log: &LogWriter<'_>,
    conversation_no: i64,
    seq: u64,
    mentions: &[MemberId],
) -> StoreResult<()> {
    for person in mentions.iter().filter_map(MemberId::person) {
        let member_no = find::person_no(log.tx, person)?;
        log.tx.execute(
            "INSERT INTO mention (member_no, conversation_no, seq)
             VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
            [member_no, conversation_no, as_i64(seq)],
        )?;
    }
    Ok(())
}

/// Removes the mentions of people in a message.
pub(super) fn remove_mentions(
    log: &LogWriter<'_>,
    conversation_no: i64,
    seq: u64,
    mentions: &[MemberId],
) -> StoreResult<()> {
    for person in mentions.iter().filter_map(MemberId::person) {
        let member_no = find::person_no(log.tx, person)?;
        log.tx.execute(
            "DELETE FROM mention
             WHERE member_no = ?1 AND conversation_no = ?2 AND seq = ?3",
            [member_no, conversation_no, as_i64(seq)],
        )?;
    }
    Ok(())
}
