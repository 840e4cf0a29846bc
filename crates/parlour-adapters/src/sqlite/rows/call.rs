//! Rows of calls.

use parlour_core::call::{Call, CallState};
use rusqlite::Row;

use super::{ReadColumn, StoreResult, author::author_from, codes};
use crate::sqlite::message_key::StoredMessageId;

/// Selects calls with their message and answer; continue it with `WHERE`.
macro_rules! select_call {
    ($tail:literal) => {
        concat!(
            "SELECT agent.id, message.id, project.id, conversation.id, call.reason, call.depth, call.correlation_id,
                 call.called_ms, call.closed_ms IS NOT NULL, answer.id, answer.state, author.type, author.id,
                 author.name
             FROM call
             JOIN member AS agent ON agent.no = call.agent_no
             JOIN message ON message.no = call.message_no
             JOIN project ON project.no = call.project_no
             JOIN conversation ON conversation.no = call.conversation_no
             JOIN author ON author.no = message.author_no
             LEFT JOIN message AS answer ON answer.no = call.answer_no\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use select_call;

/// Reads a row of `select_call!`.
pub(in crate::sqlite) fn call_from(row: &Row<'_>) -> StoreResult<Call> {
    Ok(Call {
        agent_id: row.parsed(0)?,
        message_id: row.get::<_, StoredMessageId>(1)?.0,
        project_id: row.parsed(2)?,
        conversation_id: row.parsed(3)?,
        reason: codes::call_reason(row.get(4)?)?,
        from: author_from(row, 11)?,
        depth: row.get(5)?,
        correlation_id: row.get(6)?,
        called_at: row.time(7)?,
        state: state_from(row)?,
        answer_id: row.get::<_, Option<StoredMessageId>>(9)?.map(|id| id.0),
    })
}

/// The state of a call; the state of its answer, if there is one.
fn state_from(row: &Row<'_>) -> StoreResult<CallState> {
    let answer_state: Option<i64> = row.get(10)?;
    match answer_state {
        Some(code) => Ok(CallState::of_answer(codes::state(code)?)),
        None if row.get(8)? => Ok(CallState::Passed),
        None => Ok(CallState::Open),
    }
}
