//! Lookups of related things: where an agent was called, the tasks around a task, the files of a conversation or a task.

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
    read::sight::CommonSight,
    rows::ReadColumn,
};

#[async_trait]
impl RelatedLookups for SqliteStore {
    async fn called_places(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<ConversationId>, Failure> {
        let (project, agent, readers) = (project.clone(), agent.clone(), readers.to_vec());
        self.read("list where an agent was called", move |db| called_places(db, &project, &agent, &readers, limit))
            .await
    }

    async fn tasks_beside(&self, task: &Task, limit: usize) -> Result<Vec<Task>, Failure> {
        let task = task.clone();
        self.read("list the tasks beside a task", move |db| tasks_beside(db, &task, limit)).await
    }

    async fn artifacts_beside(
        &self,
        project: &ProjectId,
        place: Option<&ConversationId>,
        task: Option<&TaskId>,
        readers: &[Principal],
        limit: usize,
    ) -> Result<Vec<Artifact>, Failure> {
        let (project, place, task, readers) = (project.clone(), place.cloned(), task.cloned(), readers.to_vec());
        self.read("list the artifacts beside something", move |db| {
            artifacts_beside(db, &project, place.as_ref(), task.as_ref(), &readers, limit)
        })
        .await
    }
}

/// The conversations in which an agent was called and that all readers may read, the last one first.
///
/// The table has a row for each conversation, not for each call, so that a busy hidden one is passed in one step.
pub(in crate::sqlite) fn called_places(
    db: &Connection,
    project: &ProjectId,
    agent: &AgentId,
    readers: &[Principal],
    limit: usize,
) -> StoreResult<Vec<ConversationId>> {
    let agent_no = member_no(db, &agent.clone().into())?;
    let (Some(agent_no), Some(project_no)) = (agent_no, project_no(db, project)?) else { return Ok(Vec::new()) };
    let mut sight = CommonSight::of(db, readers, project_no)?;
    let mut statement = db.prepare_cached(CALLED_PLACES)?;
    let mut rows = statement.query([agent_no])?;
    let mut places = Vec::new();
    while places.len() < limit
        && let Some(row) = rows.next()?
    {
        if sight.is_readable(row.get(0)?)? {
            places.push(row.parsed(1)?);
        }
    }
    Ok(places)
}

pub(super) const CALLED_PLACES: &str = "SELECT called_place.conversation_no, conversation.id
     FROM called_place
     JOIN conversation ON conversation.no = called_place.conversation_no
     WHERE called_place.agent_no = ?1
     ORDER BY called_place.called_ms DESC, called_place.log_offset DESC";

/// The parts of a task, of its larger task, and of its batch, newest first.
pub(in crate::sqlite) fn tasks_beside(db: &Connection, task: &Task, limit: usize) -> StoreResult<Vec<Task>> {
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

/// The plus keeps the index of the project out of it, by which all of its tasks would be read.
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

/// The artifacts of a place or a task that all readers may see, newest first.
pub(in crate::sqlite) fn artifacts_beside(
    db: &Connection,
    project: &ProjectId,
    place: Option<&ConversationId>,
    task: Option<&TaskId>,
    readers: &[Principal],
    limit: usize,
) -> StoreResult<Vec<Artifact>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(Vec::new()) };
    let mut sight = CommonSight::of(db, readers, project_no)?;
    let mut found: BTreeMap<i64, Artifact> = BTreeMap::new();
    if let Some(place) = place {
        let place_no = conversation_no(db, place)?.unwrap_or(0);
        found.extend(seen(db, &mut sight, ARTIFACTS_IN, params![place_no, project_no], limit)?);
    }
    if let Some(task) = task {
        found.extend(seen(db, &mut sight, ARTIFACTS_OF_TASK, params![task.as_str(), project_no], limit)?);
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

/// The first of them that may be seen. What belongs to no conversation is seen by all who see the project.
fn seen(
    db: &Connection,
    sight: &mut CommonSight<'_>,
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
        let place: Option<i64> = row.get(2)?;
        let is_seen = match place {
            Some(place) => sight.is_readable(place)?,
            None => sight.sees_project()?,
        };
        if is_seen {
            found.push((row.get(0)?, row.json(1)?));
        }
    }
    Ok(found)
}

fn newest(db: &Connection, sql: &str, params: impl Params) -> StoreResult<Vec<(i64, Task)>> {
    db.prepare_cached(sql)?.query_and_then(params, |row| Ok((row.get(0)?, row.json(1)?)))?.collect()
}
