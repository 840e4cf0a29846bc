//! Runs of agents: their life, and what happened in them.

use parlour_core::{
    checkpoint::{Checkpoint, RunFinished},
    id::{MessageId, ProjectId, RunId, TaskId},
    paging::Page,
    run::{FinishRun, Run, RunFilter, StartRun},
    timeline::TimelineEntry,
};
use serde_json::{Map, Value, json};

use super::{
    Client,
    query::{PageAt, Query},
};
use crate::ClientError;

impl Client {
    /// Begins a run. Where the request holds an id, the call is repeated while the hub cannot be reached or asks for
    /// patience: the id makes that harmless.
    pub async fn start_run(&self, request: &StartRun) -> Result<Run, ClientError> {
        match request.id {
            Some(_) => self.retry.run(|| self.post("/runs", request)).await,
            None => self.post("/runs", request).await,
        }
    }

    /// Reads a run; one that is paused is waited for, at most so many seconds, until it is not.
    pub async fn run(&self, id: &RunId, wait_seconds: u64) -> Result<Run, ClientError> {
        let query = Query::default().with("seconds", (wait_seconds > 0).then_some(wait_seconds));
        self.get(&format!("/runs/{id}"), &query.pairs()).await
    }

    /// Reads a page of runs, newest first. An agent may leave out the project: it is its own.
    pub async fn runs(
        &self,
        project: Option<&ProjectId>,
        filter: &RunFilter,
        page: &PageAt,
    ) -> Result<Page<Run>, ClientError> {
        let query = Query::page(page)
            .with("project_id", project)
            .with("agent_id", filter.agent_id.as_ref())
            .with("task_id", filter.task_id.as_ref())
            .with_flag("open", filter.only_open);
        self.get("/runs", &query.pairs()).await
    }

    /// Asks for a run whether it may go on, and renews its lease.
    pub async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, ClientError> {
        self.act(&format!("/runs/{id}/checkpoint")).await
    }

    /// Renews the lease of a run from the middle of a step.
    pub async fn beat_run(&self, id: &RunId) -> Result<Run, ClientError> {
        self.act(&format!("/runs/{id}/beat")).await
    }

    /// Lets a paused run go on: from this message, or from all that pause it. It is never repeated by itself: the second
    /// time it would be refused.
    pub async fn resume_run(&self, id: &RunId, message: Option<&MessageId>) -> Result<Run, ClientError> {
        self.post(&format!("/runs/{id}/resume"), &only("message_id", message)).await
    }

    /// Ends a run, and answers what its agent has not read. It may be repeated: a run that has ended so keeps its end.
    pub async fn finish_run(&self, id: &RunId, request: &FinishRun) -> Result<RunFinished, ClientError> {
        let path = format!("/runs/{id}/finish");
        self.retry.run(|| self.post(&path, request)).await
    }

    /// Stops a run: one's own, or as a person any that one sees.
    pub async fn cancel_run(&self, id: &RunId, reason: Option<&str>) -> Result<Run, ClientError> {
        self.post(&format!("/runs/{id}/cancel"), &only("reason", reason)).await
    }

    /// Reads a page of what happened in a run, oldest first.
    pub async fn run_timeline(&self, id: &RunId, page: &PageAt) -> Result<Page<TimelineEntry>, ClientError> {
        self.get(&format!("/runs/{id}/timeline"), &Query::page(page).pairs()).await
    }

    /// Reads a page of what happened to a task and in its runs, oldest first.
    pub async fn task_timeline(&self, id: &TaskId, page: &PageAt) -> Result<Page<TimelineEntry>, ClientError> {
        self.get(&format!("/tasks/{id}/timeline"), &Query::page(page).pairs()).await
    }
}

/// A request with this field, when it has a value.
fn only(field: &str, value: Option<impl serde::Serialize>) -> Map<String, Value> {
    value.map(|value| (field.to_owned(), json!(value))).into_iter().collect()
}
