//! Reads of call records.

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    call::Call,
    id::{AgentId, ConversationId, MessageId, ProjectId},
    paging::{Page, PageRequest},
};
use parlour_hub::{Failure, ports::CallRecords};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use crate::sqlite::{
    SqliteStore,
    access::join_access,
    error::StoreResult,
    lookup::{self, as_i64, bad_page_key, number, probe, project_no},
    message_key::MessageKey,
    rows::call::{call_from, select_call},
};

#[async_trait]
impl CallRecords for SqliteStore {
    async fn call(&self, agent: &AgentId, message: &MessageId) -> Result<Option<Call>, Failure> {
        let (agent, message) = (agent.clone(), message.clone());
        self.read("read a call", move |db| call(db, &agent, &message)).await
    }

    async fn open_calls(&self, agent: &AgentId, after: Timestamp, page: &PageRequest) -> Result<Page<Call>, Failure> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read("list open calls", move |db| open_calls(db, &agent, after, &page)).await
    }

    async fn recent_calls(&self, agents: &[AgentId], limit: usize) -> Result<Vec<Call>, Failure> {
        let agents = agents.to_vec();
        self.read("read recent calls", move |db| recent_calls(db, &agents, limit)).await
    }

    async fn waiting_calls(
        &self,
        conversation: &ConversationId,
        agents: &[AgentId],
        after: Timestamp,
    ) -> Result<Vec<u64>, Failure> {
        let (conversation, agents) = (conversation.clone(), agents.to_vec());
        self.read("count waiting calls", move |db| waiting_calls(db, &conversation, &agents, after)).await
    }

    async fn correlated_calls(
        &self,
        project: &ProjectId,
        correlation_id: &str,
        limit: usize,
    ) -> Result<Vec<Call>, Failure> {
        let (project, correlation_id) = (project.clone(), correlation_id.to_owned());
        self.read("read correlated calls", move |db| correlated_calls(db, &project, &correlation_id, limit)).await
    }
}

/// The sort key of a call among those of its agent: its time and the offset of its event.
type CallOrder = (i64, i64);

/// Reads the call of an agent by a message.
pub(in crate::sqlite) fn call(db: &Connection, agent: &AgentId, message: &MessageId) -> StoreResult<Option<Call>> {
    let (Some(agent_no), Some(message_no)) = (agent_no(db, agent)?, lookup::message_no(db, message)?) else {
        return Ok(None);
    };
    let mut statement = db.prepare_cached(select_call!("WHERE call.agent_no = ?1 AND call.message_no = ?2"))?;
    statement.query_and_then([agent_no, message_no], call_from)?.next().transpose()
}

/// Lists an agent's open calls after this time, oldest first.
pub(in crate::sqlite) fn open_calls(
    db: &Connection,
    agent: &AgentId,
    after: Timestamp,
    page: &PageRequest,
) -> StoreResult<Page<Call>> {
    let Some(agent_no) = agent_no(db, agent)? else { return Ok(Page { items: Vec::new(), next: None }) };
    let (called_ms, offset) = start(db, agent_no, page)?.max((after.as_millis(), i64::MAX));
    let mut statement = db.prepare_cached(OPEN_CALLS)?;
    let rows = statement.query_and_then([agent_no, called_ms, offset, probe(page)], call_from)?;
    let calls = rows.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(calls, page.limit(), |call: &Call| call.message_id.to_string()))
}

pub(super) const OPEN_CALLS: &str = select_call!(
    "WHERE call.agent_no = ?1 AND (call.called_ms, call.log_offset) > (?2, ?3)
         AND call.answer_no IS NULL AND call.closed_ms IS NULL
     ORDER BY call.called_ms, call.log_offset
     LIMIT ?4"
);

/// The sort key of the call after which the page begins; it may have been answered meanwhile.
fn start(db: &Connection, agent_no: i64, page: &PageRequest) -> StoreResult<CallOrder> {
    let Some(key) = page.after() else { return Ok((i64::MIN, i64::MIN)) };
    let found = match key.parse::<MessageId>() {
        Ok(id) => order_of(db, agent_no, &id)?,
        Err(_) => None,
    };
    found.ok_or_else(|| bad_page_key(key))
}

fn order_of(db: &Connection, agent_no: i64, message: &MessageId) -> StoreResult<Option<CallOrder>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT call.called_ms, call.log_offset
         FROM message
         JOIN call ON call.message_no = message.no AND call.agent_no = :viewer
         JOIN conversation ON conversation.no = call.conversation_no\n",
        join_access!(),
        "WHERE message.id = :id AND (access.is_private = 0 OR EXISTS (
             SELECT 1
             FROM conversation_member
             WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = :viewer
         ))"
    ))?;
    let order = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(statement.query_row(named_params! { ":id": MessageKey(message), ":viewer": agent_no }, order).optional()?)
}

/// The last calls of each of these agents, newest first.
pub(in crate::sqlite) fn recent_calls(db: &Connection, agents: &[AgentId], limit: usize) -> StoreResult<Vec<Call>> {
    let mut statement = db.prepare_cached(RECENT_CALLS)?;
    let mut calls = Vec::new();
    for agent in agents {
        let Some(agent_no) = agent_no(db, agent)? else { continue };
        for call in statement.query_and_then([agent_no, as_i64(limit as u64)], call_from)? {
            calls.push(call?);
        }
    }
    Ok(calls)
}

pub(super) const RECENT_CALLS: &str = select_call!(
    "WHERE call.agent_no = ?1
     ORDER BY call.called_ms DESC, call.log_offset DESC
     LIMIT ?2"
);

/// The number of open calls after this time of each of these agents in the conversation.
pub(in crate::sqlite) fn waiting_calls(
    db: &Connection,
    conversation: &ConversationId,
    agents: &[AgentId],
    after: Timestamp,
) -> StoreResult<Vec<u64>> {
    let conversation_no = lookup::conversation_no(db, conversation)?.unwrap_or(0);
    let count = |agent: &AgentId| {
        let agent_no = agent_no(db, agent)?.unwrap_or(0);
        let waiting = number(db, WAITING_CALLS, [agent_no, conversation_no, after.as_millis()])?;
        Ok(waiting.unwrap_or(0).unsigned_abs())
    };
    agents.iter().map(count).collect()
}

pub(super) const WAITING_CALLS: &str = "SELECT COUNT(*)
     FROM call
     WHERE agent_no = ?1 AND conversation_no = ?2 AND called_ms > ?3 AND answer_no IS NULL AND closed_ms IS NULL";

/// The first calls in the project under a correlation id that agents have made, oldest first.
pub(in crate::sqlite) fn correlated_calls(
    db: &Connection,
    project: &ProjectId,
    correlation_id: &str,
    limit: usize,
) -> StoreResult<Vec<Call>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let mut statement = db.prepare_cached(CORRELATED_CALLS)?;
    statement.query_and_then(params![project_no, correlation_id, as_i64(limit as u64)], call_from)?.collect()
}

pub(super) const CORRELATED_CALLS: &str = select_call!(
    "WHERE call.project_no = ?1 AND call.correlation_id = ?2 AND call.correlation_id IS NOT NULL
         AND call.caller_no IS NOT NULL
     ORDER BY call.called_ms, call.log_offset
     LIMIT ?3"
);

fn agent_no(db: &Connection, agent: &AgentId) -> StoreResult<Option<i64>> {
    lookup::member_no(db, &agent.clone().into())
}
