//! Runs of agents: their life, and what happened in them.

use parlour_core::{
    call::{Call, PassedCall},
    checkpoint::{Checkpoint, RunFinished},
    id::{AgentId, ConversationId, MessageId, ProjectId, RunId, TaskId},
    message::Message,
    paging::Page,
    question::{AnswerRequest, OpenQuestion},
    run::{FinishRun, Run, RunFilter, StartRun},
    task::{Task, TaskPatch},
    timeline::TimelineEntry,
};
use serde_json::{Map, Value, json};

use super::{Client, PageAt, Query};
use crate::{ClientError, answers::LoopGuard, requests::NewTask};

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

impl Client {
    /// Lists all open calls of an agent, oldest first: for the agent itself and administrators.
    pub async fn calls(&self, agent: &AgentId) -> Result<Page<Call>, ClientError> {
        self.whole_list(&format!("/agents/{agent}/calls"), &[]).await
    }

    /// Closes the caller's call by this message without an answer; one that is no longer open stays as it is.
    pub async fn pass_call(&self, message: &MessageId, reason: Option<&str>) -> Result<PassedCall, ClientError> {
        let request: Map<String, Value> =
            reason.map(|reason| ("reason".to_owned(), json!(reason))).into_iter().collect();
        self.post(&format!("/messages/{message}/pass"), &request).await
    }

    /// Lists what the loop guard has stopped in a conversation and not let go yet, newest first.
    pub async fn loop_guard(&self, id: &ConversationId) -> Result<LoopGuard, ClientError> {
        self.get(&format!("/conversations/{id}/loop-guard"), &[]).await
    }

    /// Lifts the loop guard in a conversation; the answer is the host message that says so there.
    pub async fn reset_loop_guard(&self, id: &ConversationId) -> Result<Message, ClientError> {
        self.act(&format!("/conversations/{id}/loop-guard/reset")).await
    }
}

/// Which open questions are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// Those that address the caller, in all projects.
    #[default]
    Me,
    /// Those of one project that address the caller.
    MeIn(ProjectId),
    /// All of one project that the caller may read.
    AnybodyIn(ProjectId),
}

impl Client {
    /// Reads a page of open questions, the soonest to expire first.
    pub async fn questions(&self, asked: &Asked, page: &PageAt) -> Result<Page<OpenQuestion>, ClientError> {
        let (project, is_whole) = match asked {
            Asked::Me => (None, false),
            Asked::MeIn(project) => (Some(project), false),
            Asked::AnybodyIn(project) => (Some(project), true),
        };
        let query = Query::page(page).with("project_id", project).with_flag("whole_project", is_whole);
        self.get("/questions", &query.pairs()).await
    }

    /// Answers a question, or says that the caller will not. It is never repeated by itself: a question is answered
    /// once, so the second time would be refused.
    pub async fn answer(&self, id: &MessageId, request: &AnswerRequest) -> Result<Message, ClientError> {
        self.post(&format!("/messages/{id}/answer"), request).await
    }

    /// Reads a message as soon as its question is closed, or after so many seconds as it is.
    pub async fn await_answer(&self, id: &MessageId, seconds: u64) -> Result<Message, ClientError> {
        let query = Query::default().with("seconds", Some(seconds));
        self.get(&format!("/messages/{id}/answer"), &query.pairs()).await
    }

    /// Takes a question back.
    pub async fn withdraw(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.act(&format!("/messages/{id}/withdraw")).await
    }
}

impl Client {
    /// Gives a task. It is never repeated by itself: a task has no id of its giver's, so it would be given twice.
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

    /// Changes a task.
    pub async fn update_task(&self, id: &TaskId, patch: &TaskPatch) -> Result<Task, ClientError> {
        self.patch(&format!("/tasks/{id}"), patch).await
    }
}
