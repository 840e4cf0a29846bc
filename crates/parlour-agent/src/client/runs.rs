//! Runs, calls, the loop guard, questions and tasks.

use parlour_core::{
    call::{Call, PassedCall},
    checkpoint::{Checkpoint, CheckpointDelivery, RunFinished},
    id::{AgentId, ConversationId, MessageId, ProjectId, RunId, TaskId},
    message::Message,
    paging::Page,
    question::{AnswerRequest, OpenQuestion},
    run::{FinishRun, Run, RunFilter, StartRun},
    task::{Task, TaskPatch},
    timeline::TimelineEntry,
};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{Client, PageAt, QueryParams};
use crate::{ClientError, answers::LoopGuard, requests::NewTask};

impl Client {
    /// Starts a run. A request with an id is idempotent and retried while the hub is unreachable or busy.
    pub async fn start_run(&self, request: &StartRun) -> Result<Run, ClientError> {
        match request.id {
            Some(_) => self.retry.run(|| self.post("/runs", request)).await,
            None => self.post("/runs", request).await,
        }
    }

    /// Reads a run; waits at most `seconds` for a paused one to continue.
    pub async fn run(&self, id: &RunId, wait_seconds: u64) -> Result<Run, ClientError> {
        let query = QueryParams::default().with("seconds", (wait_seconds > 0).then_some(wait_seconds));
        self.get(&format!("/runs/{id}"), &query.pairs()).await
    }

    /// Reads a page of runs, newest first. For an agent the project defaults to its own.
    pub async fn runs(
        &self,
        project: Option<&ProjectId>,
        filter: &RunFilter,
        page: &PageAt,
    ) -> Result<Page<Run>, ClientError> {
        let query = QueryParams::page(page)
            .with("project_id", project)
            .with("agent_id", filter.agent_id.as_ref())
            .with("task_id", filter.task_id.as_ref())
            .with_flag("open", filter.only_open);
        self.get("/runs", &query.pairs()).await
    }

    /// Asks whether a run may continue, and renews its lease.
    pub async fn checkpoint(&self, id: &RunId, delivery: CheckpointDelivery) -> Result<Checkpoint, ClientError> {
        let delivery = match delivery {
            CheckpointDelivery::Checkpoint => None,
            CheckpointDelivery::OtherText => Some("other_text"),
            CheckpointDelivery::SeparateRun => Some("separate_run"),
        };
        let query = QueryParams::default().with("delivery", delivery);
        self.call(Method::POST, &format!("/runs/{id}/checkpoint"), &query.pairs(), None::<&()>).await
    }

    /// Renews the lease of a run from the middle of a step.
    pub async fn beat_run(&self, id: &RunId) -> Result<Run, ClientError> {
        self.act(&format!("/runs/{id}/beat")).await
    }

    /// Resumes a paused run from one pausing message, or from all of them. Not retried: a second call would be refused.
    pub async fn resume_run(&self, id: &RunId, message: Option<&MessageId>) -> Result<Run, ClientError> {
        self.post(&format!("/runs/{id}/resume"), &only("message_id", message)).await
    }

    /// Ends a run and returns the unread counts of its agent. Idempotent: an ended run keeps its end.
    pub async fn finish_run(&self, id: &RunId, request: &FinishRun) -> Result<RunFinished, ClientError> {
        let path = format!("/runs/{id}/finish");
        self.retry.run(|| self.post(&path, request)).await
    }

    /// Cancels a run: the caller's own, or, for a person, any visible one.
    pub async fn cancel_run(&self, id: &RunId, reason: Option<&str>) -> Result<Run, ClientError> {
        self.post(&format!("/runs/{id}/cancel"), &only("reason", reason)).await
    }

    /// Reads a page of the timeline of a run, oldest first.
    pub async fn run_timeline(&self, id: &RunId, page: &PageAt) -> Result<Page<TimelineEntry>, ClientError> {
        self.get(&format!("/runs/{id}/timeline"), &QueryParams::page(page).pairs()).await
    }

    /// Reads a page of the timeline of a task and its runs, oldest first.
    pub async fn task_timeline(&self, id: &TaskId, page: &PageAt) -> Result<Page<TimelineEntry>, ClientError> {
        self.get(&format!("/tasks/{id}/timeline"), &QueryParams::page(page).pairs()).await
    }
}

/// A request body with this field, if it has a value.
fn only(field: &str, value: Option<impl serde::Serialize>) -> Map<String, Value> {
    value.map(|value| (field.to_owned(), json!(value))).into_iter().collect()
}

impl Client {
    /// Lists all open calls of an agent, oldest first; for the agent itself and administrators.
    pub async fn calls(&self, agent: &AgentId) -> Result<Page<Call>, ClientError> {
        self.whole_list(&format!("/agents/{agent}/calls"), &[]).await
    }

    /// Closes the caller's open call by this message without an answer; has no effect on a closed call.
    pub async fn pass_call(&self, message: &MessageId, reason: Option<&str>) -> Result<PassedCall, ClientError> {
        let request: Map<String, Value> =
            reason.map(|reason| ("reason".to_owned(), json!(reason))).into_iter().collect();
        self.post(&format!("/messages/{message}/pass"), &request).await
    }

    /// Lists the active stops of the loop guard in a conversation, newest first.
    pub async fn loop_guard(&self, id: &ConversationId) -> Result<LoopGuard, ClientError> {
        self.get(&format!("/conversations/{id}/loop-guard"), &[]).await
    }

    /// Resets the loop guard in a conversation; returns the host message about it.
    pub async fn reset_loop_guard(&self, id: &ConversationId) -> Result<Message, ClientError> {
        self.act(&format!("/conversations/{id}/loop-guard/reset")).await
    }
}

/// Selects open questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QuestionFilter {
    /// Those addressed to the caller, in all projects.
    #[default]
    Me,
    /// Those addressed to the caller, in one project.
    MeIn(ProjectId),
    /// All in one project that the caller may read.
    AnybodyIn(ProjectId),
}

impl Client {
    /// Reads a page of open questions, the soonest to expire first.
    pub async fn questions(&self, asked: &QuestionFilter, page: &PageAt) -> Result<Page<OpenQuestion>, ClientError> {
        let (project, is_whole) = match asked {
            QuestionFilter::Me => (None, false),
            QuestionFilter::MeIn(project) => (Some(project), false),
            QuestionFilter::AnybodyIn(project) => (Some(project), true),
        };
        let query = QueryParams::page(page).with("project_id", project).with_flag("whole_project", is_whole);
        self.get("/questions", &query.pairs()).await
    }

    /// Answers or ignores a question. Not retried: a second answer would be refused.
    pub async fn answer(&self, id: &MessageId, request: &AnswerRequest) -> Result<Message, ClientError> {
        self.post(&format!("/messages/{id}/answer"), request).await
    }

    /// Reads a message when its question is closed, or after `seconds`.
    pub async fn await_answer(&self, id: &MessageId, seconds: u64) -> Result<Message, ClientError> {
        let query = QueryParams::default().with("seconds", Some(seconds));
        self.get(&format!("/messages/{id}/answer"), &query.pairs()).await
    }

    /// Withdraws a question.
    pub async fn withdraw(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.act(&format!("/messages/{id}/withdraw")).await
    }
}

impl Client {
    /// Creates a task. Not retried: a task has no client id, so a retry could create it twice.
    pub async fn create_task(&self, request: &NewTask) -> Result<Task, ClientError> {
        self.post("/tasks", request).await
    }

    /// Reads a task.
    pub async fn task(&self, id: &TaskId) -> Result<Task, ClientError> {
        self.get(&format!("/tasks/{id}"), &[]).await
    }

    /// Lists all tasks of a project, oldest first.
    pub async fn tasks(&self, project: &ProjectId) -> Result<Page<Task>, ClientError> {
        self.whole_list(&format!("/projects/{project}/tasks"), &[]).await
    }

    /// Updates a task.
    pub async fn update_task(&self, id: &TaskId, patch: &TaskPatch) -> Result<Task, ClientError> {
        self.patch(&format!("/tasks/{id}"), patch).await
    }
}
