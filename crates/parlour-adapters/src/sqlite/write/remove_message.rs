use parlour_core::{
    event::Change,
    id::{AgentId, MessageId},
    message::Message,
    write::Appended,
};
use rusqlite::params;

use super::{edit_message::forget_copies, find, finish_message::forget_stream, mentions, scope::Scope};
use crate::sqlite::{
    calls, deliveries,
    error::StoreResult,
    inbox, questions,
    rows::{
        codes::state_code,
        event::{About, PASSED},
        message::{extra_json, is_linked},
    },
    text_index::TextChange,
};

/// Removes a message: it keeps its place, and what it said, whom it called and how it was received is gone.
pub(super) fn remove_message(scope: &Scope<'_>, id: &MessageId) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    if stored.message.removed_at.is_some() {
        return scope.repeated(Change::MessageRemoved(Box::new(stored.message)));
    }
    mentions::remove(scope, stored.conversation_no, stored.message.seq, &stored.message.mentions)?;
    let (called, spot) = (stored.message.calls.clone(), stored.spot(scope.project_no()));
    if let Some(question) = &stored.message.question {
        questions::forget(scope.tx, spot, question, scope.actor, scope.at)?;
    }
    forget_copies(scope, &stored)?;
    let message = stored.message.removed(scope.at);
    clear_row(scope, stored.no, &message)?;
    forget_stream(scope, stored.no)?;
    inbox::take_from_all(scope.tx, spot)?;
    deliveries::forget(scope.tx, stored.no)?;
    close_calls(scope, stored.no, &called)?;
    scope.tx.change_text(TextChange::Drop { message_no: stored.no });
    let about = About { message_no: Some(stored.no), member_no: None };
    scope.record_about(about, Change::MessageRemoved(Box::new(message)))
}

/// Nobody is to answer what is gone.
fn close_calls(scope: &Scope<'_>, message_no: i64, called: &[AgentId]) -> StoreResult<()> {
    for agent in called {
        let agent_no = find::agent_no(scope.tx, scope.project_no(), agent)?;
        calls::close(scope.tx, agent_no, message_no, scope.at)?;
    }
    if !called.is_empty() {
        forget_reasons(scope, message_no)?;
    }
    Ok(())
}

/// Why agents have passed may repeat what the message said.
fn forget_reasons(scope: &Scope<'_>, message_no: i64) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE event
         SET data = NULL
         WHERE message_no = ?1 AND message_no IS NOT NULL AND kind <> 1 AND kind = ?2",
        [message_no, PASSED],
    )?;
    Ok(())
}

fn clear_row(scope: &Scope<'_>, message_no: i64, message: &Message) -> StoreResult<()> {
    scope.tx.execute(
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
    scope.tx.execute(
        "DELETE FROM reaction
         WHERE message_no = ?1",
        [message_no],
    )?;
    Ok(())
}
