//! Reads of tasks, batches, artifacts and the graph of a project.

use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    artifact::Artifact,
    conversation::Conversation,
    graph::{Graph, GraphBuilder},
    id::{ArtifactId, BatchId, ProjectId, TaskId},
    limits,
    message::Message,
    paging::{Page, PageRequest},
    task::{Batch, Task},
};
use parlour_hub::{Failure, ports::Work};
use rusqlite::{Connection, Row, named_params, params};
use serde::de::DeserializeOwned;

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, readable, sees_project},
    error::StoreResult,
    lookup::{as_i64, number, page_start, probe, project_no},
    read::directory,
    rows::{
        ReadColumn,
        conversation::{conversation_from, select_conversation},
        message::load_message_by_no,
        project::load_project,
    },
};

#[async_trait]
impl Work for SqliteStore {
    async fn task(&self, id: &TaskId) -> Result<Option<Task>, Failure> {
        let id = id.clone();
        self.read("read a task", move |db| task(db, &id)).await
    }

    async fn tasks(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Task>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list tasks", move |db| tasks(db, &project, &page)).await
    }

    async fn recent_tasks(&self, project: &ProjectId, limit: usize) -> Result<Vec<Task>, Failure> {
        let project = project.clone();
        self.read("read the latest tasks", move |db| recent_tasks(db, &project, limit)).await
    }

    async fn batch(&self, id: &BatchId) -> Result<Option<Batch>, Failure> {
        let id = id.clone();
        self.read("read a batch", move |db| batch(db, &id)).await
    }

    async fn batches(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Batch>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list batches", move |db| batches(db, &project, &page)).await
    }

    async fn artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>, Failure> {
        let id = id.clone();
        self.read("read an artifact", move |db| artifact(db, &id)).await
    }

    async fn artifacts(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Artifact>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list artifacts", move |db| artifacts(db, &project, &caller, &page)).await
    }

    async fn graph(&self, project: &ProjectId, caller: &Principal) -> Result<Graph, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("read the graph of a project", move |db| graph(db, &project, &caller)).await
    }
}

/// Reads a task.
pub(in crate::sqlite) fn task(db: &Connection, id: &TaskId) -> StoreResult<Option<Task>> {
    load(db, "SELECT data\nFROM task\nWHERE id = ?1", id.as_str())
}

/// Reads a batch.
pub(in crate::sqlite) fn batch(db: &Connection, id: &BatchId) -> StoreResult<Option<Batch>> {
    load(db, "SELECT data\nFROM batch\nWHERE id = ?1", id.as_str())
}

/// Reads an artifact's record.
pub(in crate::sqlite) fn artifact(db: &Connection, id: &ArtifactId) -> StoreResult<Option<Artifact>> {
    load(db, "SELECT data\nFROM artifact\nWHERE id = ?1", id.as_str())
}

/// Lists the tasks of a project.
pub(in crate::sqlite) fn tasks(db: &Connection, project: &ProjectId, page: &PageRequest) -> StoreResult<Page<Task>> {
    let own = "SELECT no\nFROM task\nWHERE id = ?1 AND project_no = ?2";
    let sql = "SELECT data
         FROM task
         WHERE project_no = ?1 AND no > ?2
         ORDER BY no
         LIMIT ?3";
    list(db, own, sql, project, page, |task: &Task| task.id.to_string())
}

/// The latest tasks of a project, newest first.
fn recent_tasks(db: &Connection, project: &ProjectId, limit: usize) -> StoreResult<Vec<Task>> {
    let sql = "SELECT data
         FROM task
         WHERE project_no = ?1
         ORDER BY no DESC
         LIMIT ?2";
    let project_no = project_no(db, project)?.unwrap_or(0);
    db.prepare_cached(sql)?.query_and_then([project_no, as_i64(limit as u64)], |row| row.json(0))?.collect()
}

/// Lists the batches of a project.
pub(in crate::sqlite) fn batches(db: &Connection, project: &ProjectId, page: &PageRequest) -> StoreResult<Page<Batch>> {
    let own = "SELECT no\nFROM batch\nWHERE id = ?1 AND project_no = ?2";
    let sql = "SELECT data
         FROM batch
         WHERE project_no = ?1 AND no > ?2
         ORDER BY no
         LIMIT ?3";
    list(db, own, sql, project, page, |batch: &Batch| batch.id.to_string())
}

/// Lists the artifacts of a project that the caller may see.
pub(in crate::sqlite) fn artifacts(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<Artifact>> {
    let viewer = ReaderRow::of(db, caller)?;
    let after = page_start(page, |key| visible_artifact_no(db, project, viewer, key))?;
    let found = visible_artifacts(db, project, viewer, after, probe(page))?;
    Ok(Page::from_probe(found, page.limit(), |artifact: &Artifact| artifact.id.to_string()))
}

/// The number of an artifact that the viewer may see.
fn visible_artifact_no(db: &Connection, project: &ProjectId, viewer: ReaderRow, id: &str) -> StoreResult<Option<i64>> {
    let sql = concat!(
        "SELECT artifact.no
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.id = :id AND artifact.project_no = :project AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")"
    );
    let params = named_params! {
        ":id": id, ":project": project_no(db, project)?.unwrap_or(0),
        ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    number(db, sql, params)
}

/// Up to `limit` artifacts that the viewer may see, after the one with this number.
pub(super) fn visible_artifacts(
    db: &Connection,
    project: &ProjectId,
    viewer: ReaderRow,
    after: i64,
    limit: i64,
) -> StoreResult<Vec<Artifact>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT artifact.data
         FROM artifact
         LEFT JOIN conversation ON conversation.no = artifact.conversation_no
         LEFT JOIN conversation AS access ON access.no = conversation.access_no
         WHERE artifact.project_no = :project AND artifact.no > :after AND ",
        sees_project!(),
        " AND (artifact.conversation_no IS NULL OR ",
        readable!(),
        ")
         ORDER BY artifact.no
         LIMIT :limit"
    ))?;
    let params = named_params! {
        ":project": project_no(db, project)?.unwrap_or(0), ":after": after, ":limit": limit,
        ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    statement.query_and_then(params, |row| row.json(0))?.collect()
}

fn load<T: DeserializeOwned>(db: &Connection, sql: &str, id: &str) -> StoreResult<Option<T>> {
    db.prepare_cached(sql)?.query_and_then([id], |row| row.json(0))?.next().transpose()
}

fn list<T: DeserializeOwned>(
    db: &Connection,
    own: &str,
    sql: &str,
    project: &ProjectId,
    page: &PageRequest,
    key: impl Fn(&T) -> String,
) -> StoreResult<Page<T>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let after = page_start(page, |key| number(db, own, params![key, project_no]))?;
    let params = [project_no, after, probe(page)];
    let items = db.prepare_cached(sql)?.query_and_then(params, |row| row.json(0))?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(items, page.limit(), key))
}

/// One more row of each kind than the graph can show, so that the core detects that it is incomplete.
const ROWS_MAX: i64 = limits::GRAPH_NODES_MAX as i64 + 1;

/// The graph of a project, without nodes and edges that the caller may not read.
pub(in crate::sqlite) fn graph(db: &Connection, id: &ProjectId, caller: &Principal) -> StoreResult<Graph> {
    let mut graph_builder = GraphBuilder::default();
    let is_seen = caller.is_admin() || directory::is_member(db, id, &caller.member)?;
    let Some(project) = load_project(db, id)?.filter(|_| is_seen) else { return Ok(graph_builder.finish()) };
    let (project_no, viewer) = (project_no(db, id)?.unwrap_or(0), ReaderRow::of(db, caller)?);
    graph_builder.add_project(&project);
    for (member, name) in directory::roster(db, id)? {
        graph_builder.add_member(id, &member, &name);
    }
    let batches = "SELECT data\nFROM batch\nWHERE project_no = ?1\nORDER BY no\nLIMIT ?2";
    rows(db, batches, project_no, |row| row.json(0))?.iter().for_each(|batch| graph_builder.add_batch(batch));
    let tasks = "SELECT data\nFROM task\nWHERE project_no = ?1\nORDER BY no\nLIMIT ?2";
    rows(db, tasks, project_no, |row| row.json(0))?.iter().for_each(|task| graph_builder.add_task(task));
    let artifacts = visible_artifacts(db, id, viewer, 0, ROWS_MAX)?;
    artifacts.iter().for_each(|artifact| graph_builder.add_artifact(artifact));
    add_conversations(db, &mut graph_builder, project_no, viewer)?;
    Ok(graph_builder.finish())
}

/// Adds the readable conversations with their newest linked messages.
fn add_conversations(
    db: &Connection,
    graph_builder: &mut GraphBuilder,
    project_no: i64,
    viewer: ReaderRow,
) -> StoreResult<()> {
    let conversations = readable_conversations(db, project_no, viewer)?;
    for (no, conversation) in &conversations {
        graph_builder.add_conversation(conversation);
        if matches!(conversation, Conversation::Channel(_)) {
            let sql = "SELECT member.id
                 FROM conversation_member
                 JOIN member ON member.no = conversation_member.member_no
                 WHERE conversation_member.conversation_no = ?1
                 ORDER BY conversation_member.member_no
                 LIMIT ?2";
            graph_builder.add_seats(&conversation.id(), &rows(db, sql, *no, |row| row.parsed(0))?);
        }
    }
    for message in newest_linked(db, conversations.iter().map(|(no, _)| *no))? {
        graph_builder.add_message(&message);
    }
    Ok(())
}

fn readable_conversations(
    db: &Connection,
    project_no: i64,
    viewer: ReaderRow,
) -> StoreResult<Vec<(i64, Conversation)>> {
    let mut statement = db.prepare_cached(select_conversation!(
        "WHERE conversation.project_no = :project AND ",
        readable!(),
        "\nORDER BY conversation.type, conversation.no\nLIMIT :limit"
    ))?;
    let params = named_params! {
        ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin, ":limit": ROWS_MAX
    };
    statement.query_and_then(params, |row| Ok((row.get(0)?, conversation_from(db, row)?)))?.collect()
}

/// The newest messages that open a thread, carry an artifact or mention someone, over all these conversations.
fn newest_linked(db: &Connection, conversation_nos: impl Iterator<Item = i64>) -> StoreResult<Vec<Message>> {
    let mut statement = db.prepare_cached(
        "SELECT no
         FROM message
         WHERE conversation_no = ?1 AND is_linked = 1 AND no > ?2
         ORDER BY no DESC
         LIMIT ?3",
    )?;
    let (mut newest, mut floor): (Vec<i64>, i64) = (Vec::new(), 0);
    for conversation_no in conversation_nos {
        let params = [conversation_no, floor, as_i64(limits::GRAPH_MESSAGES_MAX as u64)];
        for message_no in statement.query_map(params, |row| row.get(0))? {
            newest.push(message_no?);
        }
        newest.sort_unstable_by(|left, right| right.cmp(left));
        newest.truncate(limits::GRAPH_MESSAGES_MAX);
        // With enough messages found, older ones need not be read.
        floor = if newest.len() == limits::GRAPH_MESSAGES_MAX { newest[newest.len() - 1] } else { 0 };
    }
    newest.into_iter().map(|no| Ok(load_message_by_no(db, no)?.message)).collect()
}

fn rows<T>(db: &Connection, sql: &str, no: i64, read: impl Fn(&Row<'_>) -> StoreResult<T>) -> StoreResult<Vec<T>> {
    db.prepare_cached(sql)?.query_and_then([no, ROWS_MAX], |row| read(row))?.collect()
}
