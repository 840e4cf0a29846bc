//! Tasks of a project.

use std::sync::Arc;

use parlour_core::{
    Refusal,
    access::Principal,
    event::Change,
    id::{AgentId, BatchId, MemberId, ProjectId, TaskId, ThreadId},
    limits, loop_guard,
    name::Name,
    paging::{Page, PageRequest},
    scope::Scope,
    task::{Batch, Task, TaskPatch, TaskStatus},
    timeline::TimelineEntry,
    write::Write,
};

use crate::{
    Failure,
    access::Access,
    calling::open_after,
    event_writer::EventWriter,
    failure::{replace_refusal, unexpected_change},
    infrastructure::Infrastructure,
    ports::{Clock, Ids, Store},
    project_state::ProjectStates,
};

/// A request to create a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    pub project_id: ProjectId,
    pub title: String,
    pub description: Option<String>,
    pub status: TaskStatus,
    pub assignee: Option<MemberId>,
    /// The task that it is a part of.
    pub parent_id: Option<TaskId>,
    pub batch_id: Option<BatchId>,
    /// The thread that discusses it.
    pub thread_id: Option<ThreadId>,
}

/// Creates, changes and lists tasks and batches.
pub struct TaskService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) writer: EventWriter,
    pub(super) projects: Arc<ProjectStates>,
}

impl TaskService {
    /// A service over these parts.
    pub fn new(parts: &Infrastructure) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            writer: parts.writer.clone(),
            projects: Arc::clone(&parts.projects),
        }
    }
}

impl TaskService {
    /// Creates a task. A task of an agent has at most `TASK_DEPTH_MAX` ancestors, so that agents cannot delegate without
    /// end. A task that an agent assigns to another agent also follows from the task that it was given last, with or
    /// without a parent; a call or a task of a person starts a new chain.
    pub async fn create_task(&self, caller: &Principal, request: NewTask) -> Result<Task, Failure> {
        self.access.require_scope(caller, Scope::TasksWrite)?;
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        let now = self.clock.now();
        let task = Task {
            id: TaskId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            title: request.title,
            description: request.description.filter(|text| !text.is_empty()),
            status: request.status,
            assignee: request.assignee,
            parent_id: request.parent_id,
            batch_id: request.batch_id,
            thread_id: request.thread_id,
            created_by: caller.member.clone(),
            created_at: now,
            updated_at: now,
        };
        task.check()?;
        self.check_task_refs(caller, &task).await?;
        if caller.member.agent().is_some() {
            self.check_task_depth(task.parent_id.clone()).await?;
            self.check_delegation(&task).await?;
        }
        match self.writer.append(caller, &project.id, Write::CreateTask(task)).await?.change {
            Change::TaskCreated(task) => Ok(*task),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a task.
    pub async fn task(&self, caller: &Principal, id: &TaskId) -> Result<Task, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_task(caller, id).await
    }

    /// Lists the tasks of a project.
    pub async fn tasks(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Task>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        let mut tasks = self.store.tasks(project, page).await?;
        for task in &mut tasks.items {
            *task = self.access.without_hidden_thread(caller, task.clone()).await?;
        }
        Ok(tasks)
    }

    /// Changes a task. For every member of the project.
    pub async fn update_task(&self, caller: &Principal, id: &TaskId, patch: TaskPatch) -> Result<Task, Failure> {
        self.access.require_scope(caller, Scope::TasksWrite)?;
        let task = self.access.load_visible_task(caller, id).await?;
        let patched = task.patched(&patch, self.clock.now())?;
        let touched = Task { parent_id: None, batch_id: None, ..patched };
        let unchanged = touched.assignee == task.assignee && touched.thread_id == task.thread_id;
        if !unchanged {
            self.check_task_refs(caller, &touched).await?;
        }
        match self.writer.append(caller, &task.project_id, Write::UpdateTask(id.clone(), patch)).await?.change {
            Change::TaskUpdated(task) => self.access.without_hidden_thread(caller, *task).await,
            other => Err(unexpected_change(&other)),
        }
    }

    /// Lists the timeline of a task and its runs, oldest first.
    pub async fn task_timeline(
        &self,
        caller: &Principal,
        id: &TaskId,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_task(caller, id).await?;
        self.store.task_timeline(id, caller, page).await
    }

    /// Refuses a task of an agent with too many ancestors.
    async fn check_task_depth(&self, parent: Option<TaskId>) -> Result<(), Failure> {
        let mut above = parent;
        for _ in 0..=limits::TASK_DEPTH_MAX {
            let Some(id) = above else { return Ok(()) };
            above = self.store.task(&id).await?.and_then(|task| task.parent_id);
        }
        let most = limits::TASK_DEPTH_MAX;
        let detail =
            format!("a task that an agent gives stands below at most {most} others; from here on a person gives it");
        Err(Refusal::out_of_bounds(detail).at("parent_id").into())
    }

    /// Refuses a task that an agent assigns to another agent after too many assignments between agents in a row.
    async fn check_delegation(&self, task: &Task) -> Result<(), Failure> {
        let (Some(creator), Some(assignee)) = (task.created_by.agent(), &task.assignee) else { return Ok(()) };
        if assignee.agent().is_none() || *assignee == task.created_by {
            return Ok(());
        }
        let recent = self.store.recent_tasks(&task.project_id, limits::GUARD_CALLS_MAX).await?;
        let after = open_after(&self.projects.policy(&task.project_id).await?.calls, task.created_at);
        let chain = loop_guard::delegation_chain(&recent, creator, after);
        if chain.len() < limits::TASK_DEPTH_MAX {
            return Ok(());
        }
        let agents: Vec<AgentId> = chain.iter().filter_map(|task| task.assignee.as_ref()?.agent().cloned()).collect();
        let calls = self.store.recent_calls(&agents, limits::GUARD_CALLS_MAX).await?;
        if loop_guard::delegation_depth(&chain, &calls) < limits::TASK_DEPTH_MAX {
            return Ok(());
        }
        let most = limits::TASK_DEPTH_MAX;
        let detail = format!(
            "agents have assigned each other {most} tasks in a row; mention one of them or assign the task as a person"
        );
        Err(Refusal::out_of_bounds(detail).at("assignee").into())
    }

    /// Refuses references outside the project, and threads that the caller cannot see.
    async fn check_task_refs(&self, caller: &Principal, task: &Task) -> Result<(), Failure> {
        let project = &task.project_id;
        if let Some(assignee) = &task.assignee
            && !self.store.is_member(project, assignee).await?
        {
            return Err(Refusal::not_found("member", assignee).at("assignee").into());
        }
        if let Some(id) = &task.parent_id
            && self.store.task(id).await?.is_none_or(|parent| parent.project_id != *project)
        {
            return Err(Refusal::not_found("task", id).at("parent_id").into());
        }
        if let Some(id) = &task.batch_id
            && self.store.batch(id).await?.is_none_or(|batch| batch.project_id != *project)
        {
            return Err(Refusal::not_found("batch", id).at("batch_id").into());
        }
        if let Some(id) = &task.thread_id {
            let refuse = || Refusal::not_found("thread", id).at("thread_id");
            let seen = self
                .access
                .load_visible_conversation(caller, &id.clone().into())
                .await
                .map_err(replace_refusal(refuse()));
            if seen?.0.project_id() != project {
                return Err(refuse().into());
            }
        }
        Ok(())
    }
}

/// A request to create a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    pub project_id: ProjectId,
    pub name: Name,
}

impl TaskService {
    /// Creates a batch.
    pub async fn create_batch(&self, caller: &Principal, request: NewBatch) -> Result<Batch, Failure> {
        self.access.require_scope(caller, Scope::TasksWrite)?;
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        let batch = Batch {
            id: BatchId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: request.name,
            created_by: caller.member.clone(),
            created_at: self.clock.now(),
        };
        match self.writer.append(caller, &project.id, Write::CreateBatch(batch)).await?.change {
            Change::BatchCreated(batch) => Ok(*batch),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a batch.
    pub async fn batch(&self, caller: &Principal, id: &BatchId) -> Result<Batch, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        let refuse = || Refusal::not_found("batch", id);
        let batch = self.store.batch(id).await?.ok_or_else(refuse)?;
        self.access.require_visible_project(caller, &batch.project_id, refuse()).await?;
        Ok(batch)
    }

    /// Lists the batches of a project.
    pub async fn batches(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Batch>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.batches(project, page).await
    }
}
