//! Lookups for packs: conversations with calls to an agent, related tasks, artifacts of a conversation or a task.

use std::collections::BTreeMap;

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    artifact::Artifact,
    id::{AgentId, ConversationId, ProjectId, TaskId},
    task::Task,
};
use parlour_hub::{Failure, ports::RelatedLookups};
use rusqlite::{Connection, Params, params};

use crate::sqlite::{
    SqliteStore,
    error::StoreResult,
    lookup::{as_i64, conversation_no, member_no, project_no},
    read::readable_conversations::CommonConversations,
    rows::ReadColumn,
};

#[async_trait]
impl RelatedLookups for SqliteStore {
    async fn conversations_with_calls(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<ConversationId>, Failure> {
        let (project, agent, readers) = (project.clone(), agent.clone(), readers.to_vec());
        self.read("list the conversations with calls", move |db| {
            conversations_with_calls(db, &project, &agent, &readers, limit)
        })
        .await
    }

    async fn related_tasks(&self, task: &Task, limit: usize) -> Result<Vec<Task>, Failure> {
        let task = task.clone();
        self.read("list related tasks", move |db| related_tasks(db, &task, limit)).await
    }

    async fn related_artifacts(
        &self,
        project: &ProjectId,
        conversation: Option<&ConversationId>,
        task: Option<&TaskId>,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<Artifact>, Failure> {
        let (project, readers) = (project.clone(), readers.to_vec());
        let (conversation, task) = (conversation.cloned(), task.cloned());
        self.read("list related artifacts", move |db| {
            related_artifacts(db, &project, conversation.as_ref(), task.as_ref(), &readers, limit)
        })
        .await
    }
}

/// The conversations in which an agent was called and that all readers may read, ordered by the latest call.
///
/// The table has one row per conversation, not per call, so a hidden conversation with many calls costs one step.
pub(in crate::sqlite) fn conversations_with_calls(
    db: &Connection,
    project: &ProjectId,
    agent: &AgentId,
    readers: &[Principal],
    limit: usize,
) -> StoreResult<Vec<ConversationId>> {
    let agent_no = member_no(db, &agent.clone().into())?;
    let (Some(agent_no), Some(project_no)) = (agent_no, project_no(db, project)?) else { return Ok(Vec::new()) };
    let mut readable = CommonConversations::of(db, readers, project_no)?;
    let mut statement = db.prepare_cached(CONVERSATIONS_WITH_CALLS)?;
    let mut rows = statement.query([agent_no])?;
    let mut conversations = Vec::new();
    while conversations.len() < limit
        && let Some(row) = rows.next()?
    {
        if readable.is_readable(row.get(0)?)? {
            conversations.push(row.parsed(1)?);
        }
    }
    Ok(conversations)
}

pub(super) const CONVERSATIONS_WITH_CALLS: &str = "SELECT called_place.conversation_no, conversation.id
     FROM called_place
     JOIN conversation ON conversation.no = called_place.conversation_no
     WHERE called_place.agent_no = ?1
     ORDER BY called_place.called_ms DESC, called_place.log_offset DESC";

/// The children and siblings of a task and the tasks of its batch, newest first.
pub(in crate::sqlite) fn related_tasks(db: &Connection, task: &Task, limit: usize) -> StoreResult<Vec<Task>> {
    let project_no = project_no(db, &task.project_id)?.unwrap_or(0);
    let mut found: BTreeMap<i64, Task> = BTreeMap::new();
    let below = [Some(task.id.as_str()), task.parent_id.as_ref().map(TaskId::as_str)];
    let below = below.into_iter().flatten().map(|id| (TASKS_BELOW, id));
    let batch = task.batch_id.as_ref().map(|batch| (TASKS_IN_BATCH, batch.as_str()));
    for (sql, id) in below.chain(batch) {
        // One more, because the task itself may be among them.
        let rows = newest(db, sql, params![id, project_no, as_i64(limit as u64 + 1)])?;
        found.extend(rows.into_iter().filter(|(_, other): &(i64, Task)| other.id != task.id).take(limit));
    }
    Ok(found.into_values().rev().collect())
}

/// The unary plus keeps SQLite from using the index of the project, which would read all of its tasks.
pub(super) const TASKS_BELOW: &str = "SELECT no, data
     FROM task
     WHERE data ->> '$.parent_id' = ?1 AND data ->> '$.parent_id' IS NOT NULL AND +project_no = ?2
     ORDER BY no DESC
     LIMIT ?3";

pub(super) const TASKS_IN_BATCH: &str = "SELECT no, data
     FROM task
     WHERE data ->> '$.batch_id' = ?1 AND data ->> '$.batch_id' IS NOT NULL AND +project_no = ?2
     ORDER BY no DESC
     LIMIT ?3";

/// The artifacts of a conversation and of a task that all readers may see, newest first.
pub(in crate::sqlite) fn related_artifacts(
    db: &Connection,
    project: &ProjectId,
    conversation: Option<&ConversationId>,
    task: Option<&TaskId>,
    readers: &[Principal],
    limit: usize,
) -> StoreResult<Vec<Artifact>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(Vec::new()) };
    let mut readable = CommonConversations::of(db, readers, project_no)?;
    let mut found: BTreeMap<i64, Artifact> = BTreeMap::new();
    if let Some(conversation) = conversation {
        let params = params![conversation_no(db, conversation)?.unwrap_or(0), project_no];
        found.extend(visible_artifacts(db, &mut readable, ARTIFACTS_IN, params, limit)?);
    }
    if let Some(task) = task {
        let params = params![task.as_str(), project_no];
        found.extend(visible_artifacts(db, &mut readable, ARTIFACTS_OF_TASK, params, limit)?);
    }
    Ok(found.into_values().rev().collect())
}

pub(super) const ARTIFACTS_IN: &str = "SELECT no, data, conversation_no
     FROM artifact
     WHERE conversation_no = ?1 AND +project_no = ?2
     ORDER BY no DESC";

pub(super) const ARTIFACTS_OF_TASK: &str = "SELECT no, data, conversation_no
     FROM artifact
     WHERE data ->> '$.task_id' = ?1 AND data ->> '$.task_id' IS NOT NULL AND +project_no = ?2
     ORDER BY no DESC";

/// The first artifacts that all readers may see. An artifact without a conversation is visible to the whole project.
fn visible_artifacts(
    db: &Connection,
    readable: &mut CommonConversations<'_>,
    sql: &str,
    params: impl Params,
    limit: usize,
) -> StoreResult<Vec<(i64, Artifact)>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let is_visible = match row.get::<_, Option<i64>>(2)? {
            Some(conversation_no) => readable.is_readable(conversation_no)?,
            None => readable.sees_project()?,
        };
        if is_visible {
            found.push((row.get(0)?, row.json(1)?));
        }
    }
    Ok(found)
}

fn newest(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Vec<(i64, Task)>> {
    db.prepare_cached(sql)?.query_and_then(params, |row| Ok((row.get(0)?, row.json(1)?)))?.collect()
}
