//! Tasks of a project.

use parlour_core::{
    Refusal,
    access::Principal,
    event::Change,
    id::{BatchId, MemberId, ProjectId, TaskId, ThreadId},
    limits,
    name::Name,
    paging::{Page, PageRequest},
    scope::Scope,
    task::{Batch, Task, TaskPatch, TaskStatus},
    write::Write,
};

use crate::{
    Failure, Hub,
    failure::{replace_refusal, unexpected_change},
};

/// A request to give a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// The project.
    pub project_id: ProjectId,
    /// What is to be done, in a line.
    pub title: String,
    /// What is to be done, at length.
    pub description: Option<String>,
    /// How far it is.
    pub status: TaskStatus,
    /// Who is to do it.
    pub assignee: Option<MemberId>,
    /// The larger task it is a part of.
    pub parent_id: Option<TaskId>,
    /// The batch it belongs to.
    pub batch_id: Option<BatchId>,
    /// The thread where it is talked about.
    pub thread_id: Option<ThreadId>,
}

impl Hub {
    /// Gives a task. What an agent gives stands below at most `TASK_DEPTH_MAX` others: agents that hand work on to each
    /// other come to an end.
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

    /// Changes a task. Every member of the project may: work is shared.
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

    /// Refuses a task of an agent below too many others.
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

    /// Refuses a task that refers to something outside its project, or to a thread that the caller cannot see.
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

/// A request to make a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// The project.
    pub project_id: ProjectId,
    /// What its tasks have in common.
    pub name: Name,
}

impl Hub {
    /// Makes a batch.
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
