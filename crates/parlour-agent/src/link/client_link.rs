//! The link of an agent that runs outside of the hub: everything goes over the native API.

use async_trait::async_trait;
use parlour_core::{
    Code,
    call::Call,
    context::{ContextRequest, Pack},
    id::{AgentId, ArtifactId, MemberId, MessageId, ProjectId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    post::PostMessage,
    presence::PresenceUpdate,
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch, TaskStatus},
};

use super::{FollowUp, Link, LinkError, News, NewsItem, Upload};
use crate::{
    Client, ClientError,
    answers::Finished,
    live::{Live, LiveItem, Start},
    requests::NewTask,
};

/// The hub of a client, as its agent's runner sees it.
///
/// What is harmless to repeat is tried as often as the client's patience says; giving a task and keeping a file are
/// not, so they are tried again only when the hub was certainly not reached.
#[derive(Clone, Debug)]
pub struct ClientLink {
    pub(super) client: Client,
    pub(super) agent: AgentId,
    pub(super) project: ProjectId,
}

impl ClientLink {
    /// The link of this agent, whose token the client carries.
    pub fn new(client: Client, agent: AgentId, project: ProjectId) -> Self {
        Self { client, agent, project }
    }

    pub(super) async fn tried<T, F>(&self, call: impl FnMut() -> F) -> Result<T, LinkError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.client.retry().run(call).await.map_err(LinkError::from)
    }

    /// A call that must not be made twice: repeated only when nobody has heard it.
    async fn tried_once<T, F>(&self, call: impl FnMut() -> F) -> Result<T, LinkError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.client.retry().run_unheard(call).await.map_err(LinkError::from)
    }
}

#[async_trait]
impl Link for ClientLink {
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
        // The client repeats posts by itself.
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

    async fn follow_up(&self, task: FollowUp) -> Result<Task, LinkError> {
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

    fn follow(&self) -> Box<dyn News> {
        Box::new(LiveNews(Live::follow_events(&self.client, &self.project, Start::Now)))
    }
}

/// Live events as news.
struct LiveNews(Live);

#[async_trait]
impl News for LiveNews {
    async fn next(&mut self) -> Result<NewsItem, LinkError> {
        loop {
            match self.0.next().await {
                Ok(LiveItem::Event(event)) => return Ok(NewsItem::Event(event)),
                Ok(LiveItem::Live(_) | LiveItem::Gap(_)) => return Ok(NewsItem::Live),
                Ok(LiveItem::Reconnecting(lost)) => return Ok(NewsItem::Lost(lost.why.to_string())),
                Ok(_) => {}
                Err(error) => return Err(LinkError::Over(error.to_string())),
            }
        }
    }

    fn be_present(&self, request: PresenceUpdate) {
        self.0.be_present(request);
    }
}

impl From<ClientError> for LinkError {
    /// A no that may pass, and silence, mean that the hub is away for the moment.
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
