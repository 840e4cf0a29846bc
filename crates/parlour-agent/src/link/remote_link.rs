//! The link of an agent outside of the hub's process, over the HTTP API.

use async_trait::async_trait;
use parlour_core::{
    Code,
    call::Call,
    checkpoint::{Checkpoint, CheckpointDelivery, RunFinished},
    context::{ContextRequest, Pack},
    delivery::DeliveryStep,
    id::{AgentId, ArtifactId, ConversationId, MemberId, MessageId, ProjectId, RunId, TaskId},
    inbox::InboxFilter,
    limits,
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    post::PostMessage,
    presence::PresenceUpdate,
    run::{FinishRun, Run, RunFilter, RunState, StartRun},
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch, TaskStatus},
};

use super::{FollowUpTask, HubEvent, HubEvents, HubLink, LinkError, RunCalls, Upload, WAIT_SECONDS};
use crate::{
    Client, ClientError, PageAt, QuestionFilter,
    answers::Finished,
    live::{Live, LiveItem, Start},
    requests::NewTask,
};

/// The link of a client.
///
/// Idempotent requests are retried as the client is configured. Creating a task and uploading a file are retried only
/// if the hub was certainly not reached.
#[derive(Clone, Debug)]
pub struct RemoteLink {
    pub(super) client: Client,
    pub(super) agent: AgentId,
    pub(super) project: ProjectId,
}

impl RemoteLink {
    /// Creates the link of the agent to which the client's token belongs.
    pub fn new(client: Client, agent: AgentId, project: ProjectId) -> Self {
        Self { client, agent, project }
    }

    pub(super) async fn tried<T, F>(&self, call: impl FnMut() -> F) -> Result<T, LinkError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.client.retry().run(call).await.map_err(LinkError::from)
    }

    /// Sends a request that is not idempotent: retried only if the hub was not reached.
    async fn tried_once<T, F>(&self, call: impl FnMut() -> F) -> Result<T, LinkError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.client.retry().run_unheard(call).await.map_err(LinkError::from)
    }
}

#[async_trait]
impl HubLink for RemoteLink {
    async fn agent(&self) -> Result<Agent, LinkError> {
        self.tried(|| self.client.agent(&self.agent)).await
    }

    async fn agents(&self) -> Result<Vec<Agent>, LinkError> {
        Ok(self.tried(|| self.client.agents(&self.project)).await?.items)
    }

    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        Ok(self.tried(|| self.client.project(&self.project)).await?.policy.streams.lease_seconds)
    }

    async fn open_calls(&self) -> Result<Vec<Call>, LinkError> {
        Ok(self.tried(|| self.client.calls(&self.agent)).await?.items)
    }

    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError> {
        self.tried(|| self.client.pass_call(message, reason.as_deref())).await.map(drop)
    }

    async fn message(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.tried(|| self.client.message(id)).await
    }

    async fn view(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.tried(|| self.client.message_view(id)).await
    }

    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        self.tried(|| self.client.context(&self.agent, ask)).await
    }

    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        // The client retries posts itself.
        Ok(self.client.post_message(id, request).await?.message)
    }

    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError> {
        self.tried(|| self.client.add_chunk(id, &chunk)).await.map(drop)
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        self.tried(|| self.client.beat_stream(id)).await.map(drop)
    }

    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError> {
        self.tried(|| self.client.start_step(id, &step)).await.map(drop)
    }

    async fn finish_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError> {
        self.tried(|| self.client.finish_step(id, step_id, &end)).await.map(drop)
    }

    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError> {
        Ok(self.tried(|| self.client.complete_stream(id, &end)).await?.into())
    }

    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        Ok(self.tried(|| self.client.fail_stream(id, &end)).await?.message)
    }

    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError> {
        Ok(self.tried(|| self.client.cancel_stream(id, &end)).await?.message)
    }

    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError> {
        Ok(self.tried_once(|| self.client.upload(&self.project, &file)).await?.id)
    }

    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError> {
        let assignee = MemberId::from(self.agent.clone());
        let is_mine = |task: &Task| task.status == TaskStatus::Open && task.assignee.as_ref() == Some(&assignee);
        let tasks = self.tried(|| self.client.tasks(&self.project)).await?.items;
        Ok(tasks.into_iter().filter(is_mine).collect())
    }

    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError> {
        self.tried(|| self.client.update_task(id, &patch)).await
    }

    async fn follow_up(&self, task: FollowUpTask) -> Result<Task, LinkError> {
        let request = NewTask {
            project_id: task.parent.project_id,
            title: task.title,
            description: task.description,
            assignee: Some(task.assignee),
            parent_id: Some(task.parent.id),
            thread_id: task.parent.thread_id,
        };
        self.tried_once(|| self.client.create_task(&request)).await
    }

    fn follow(&self) -> Box<dyn HubEvents> {
        Box::new(RemoteEvents(Live::follow_events(&self.client, &self.project, Start::Now)))
    }
}

/// Live events of the project.
struct RemoteEvents(Live);

#[async_trait]
impl HubEvents for RemoteEvents {
    async fn next(&mut self) -> Result<HubEvent, LinkError> {
        loop {
            match self.0.next().await {
                Ok(LiveItem::Event(event)) => return Ok(HubEvent::Event(event)),
                Ok(LiveItem::Live(_) | LiveItem::Gap(_)) => return Ok(HubEvent::Live),
                Ok(LiveItem::Reconnecting(lost)) => return Ok(HubEvent::Lost(lost.why.to_string())),
                Ok(_) => {}
                Err(error) => return Err(LinkError::Over(error.to_string())),
            }
        }
    }

    fn set_presence(&self, request: PresenceUpdate) {
        self.0.set_presence(request);
    }
}

impl From<ClientError> for LinkError {
    /// A retryable refusal and a missing response mean that the hub is away for the moment.
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Problem(problem) if problem.is(Code::Unauthenticated) => Self::Over(error.to_string()),
            ClientError::Problem(problem) if !problem.retryable => {
                let detail = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
                Self::Refused { code: problem.code.clone(), detail: detail.clone() }
            }
            _ => Self::Away(error.to_string()),
        }
    }
}

/// The first page, of maximum length.
static WHOLE_PAGE: PageAt = PageAt { limit: Some(limits::PAGE_ITEMS_MAX), cursor: None };

#[async_trait]
impl RunCalls for RemoteLink {
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError> {
        // The client retries it itself: the request has an id.
        Ok(self.client.start_run(request).await?)
    }

    async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, LinkError> {
        self.tried(|| self.client.checkpoint(id, CheckpointDelivery::SeparateRun)).await
    }

    async fn beat_run(&self, id: &RunId) -> Result<(), LinkError> {
        self.tried(|| self.client.beat_run(id)).await.map(drop)
    }

    async fn await_run(&self, id: &RunId) -> Result<Run, LinkError> {
        self.tried(|| self.client.run(id, WAIT_SECONDS)).await
    }

    async fn resume_run(&self, id: &RunId, message: &MessageId) -> Result<(), LinkError> {
        self.tried(|| self.client.resume_run(id, Some(message))).await.map(drop)
    }

    async fn finish_run(&self, id: &RunId, end: &FinishRun) -> Result<RunFinished, LinkError> {
        // The client retries it itself.
        Ok(self.client.finish_run(id, end).await?)
    }

    async fn cancel_run(&self, id: &RunId, reason: Option<String>) -> Result<(), LinkError> {
        let cancelled = self.tried(|| self.client.cancel_run(id, reason.as_deref())).await;
        match cancelled {
            // The response to an earlier attempt was lost.
            Err(error) if error.is(Code::RunEnded) && self.is_cancelled(id).await => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    async fn open_runs(&self) -> Result<Vec<Run>, LinkError> {
        let filter = RunFilter { agent_id: Some(self.agent.clone()), only_open: true, ..RunFilter::default() };
        // An agent has far fewer open runs than a page holds.
        Ok(self.tried(|| self.client.runs(Some(&self.project), &filter, &WHOLE_PAGE)).await?.items)
    }

    async fn open_questions(&self) -> Result<Vec<Message>, LinkError> {
        let asked = QuestionFilter::MeIn(self.project.clone());
        let page = self.tried(|| self.client.questions(&asked, &WHOLE_PAGE)).await?;
        Ok(page.items.into_iter().map(|open| open.message).collect())
    }

    async fn await_answer(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.tried(|| self.client.await_answer(id, WAIT_SECONDS)).await
    }

    async fn unread(&self, id: &ConversationId) -> Result<Vec<MessageId>, LinkError> {
        let filter = InboxFilter { conversation_id: Some(id.clone()), ..InboxFilter::default() };
        let page = self.tried(|| self.client.inbox(&self.agent, &filter, &WHOLE_PAGE)).await?;
        Ok(page.items.into_iter().map(|entry| entry.message.id).collect())
    }

    async fn report_deliveries(&self, messages: &[MessageId], step: &DeliveryStep) -> Result<(), LinkError> {
        Ok(self.client.report_deliveries(None, messages, step).await.map(drop)?)
    }
}

impl RemoteLink {
    async fn is_cancelled(&self, id: &RunId) -> bool {
        self.tried(|| self.client.run(id, 0)).await.is_ok_and(|run| run.state == RunState::Cancelled)
    }
}
