//! The hub as the runner of one of its own agents sees it: the use cases themselves, called as that agent.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use parlour_agent::{
    answers::Finished,
    link::{FollowUpTask, HubEvents, HubLink, LinkError, Upload},
};
use parlour_core::{
    access::Principal,
    call::Call,
    context::{ContextRequest, Pack},
    id::{AgentId, ArtifactId, MessageId, ProjectId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    post::PostMessage,
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch},
};
use parlour_hub::Hub;

mod answers;
mod calls;
mod files;
mod messages;
mod news;
mod presence;
mod runs;
mod tasks;
#[cfg(test)]
mod tests;
mod tried;

use news::LocalEvents;
use tried::{all_pages, tried};

/// The hub, as one of its own agents.
pub(super) struct LocalLink {
    hub: Arc<Hub>,
    agent: AgentId,
    project: ProjectId,
    /// Who the agent is to the hub. Its name may change while it runs.
    caller: Mutex<Principal>,
}

impl LocalLink {
    /// The link of this agent.
    pub(super) fn new(hub: &Arc<Hub>, agent: &Agent) -> Self {
        Self {
            hub: Arc::clone(hub),
            agent: agent.id.clone(),
            project: agent.project_id.clone(),
            caller: Mutex::new(hub.act_as(agent)),
        }
    }

    /// Takes over how the agent is called now.
    pub(super) fn renew(&self, agent: &Agent) {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = self.hub.act_as(agent);
    }

    fn caller(&self) -> Principal {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Each group of methods stands in a file of its own; here they only come together.
#[async_trait]
impl HubLink for LocalLink {
    async fn agent(&self) -> Result<Agent, LinkError> {
        self.read_agent().await
    }

    async fn agents(&self) -> Result<Vec<Agent>, LinkError> {
        self.read_agents().await
    }

    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        self.read_lease().await
    }

    async fn open_calls(&self) -> Result<Vec<Call>, LinkError> {
        self.read_calls().await
    }

    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError> {
        self.pass_call(message, reason).await
    }

    async fn message(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.read_message(id).await
    }

    async fn view(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.read_view(id).await
    }

    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        self.ask_context(ask).await
    }

    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        self.post_message(id, request).await
    }

    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError> {
        self.add_to_answer(id, chunk).await
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        self.beat_answer(id).await
    }

    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError> {
        self.begin_step(id, step).await
    }

    async fn finish_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError> {
        self.end_step(id, step_id, end).await
    }

    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError> {
        self.complete_answer(id, end).await
    }

    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        self.fail_answer(id, end).await
    }

    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError> {
        self.cancel_answer(id, end).await
    }

    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError> {
        self.keep_file(file).await
    }

    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError> {
        self.read_tasks().await
    }

    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError> {
        self.change_task(id, patch).await
    }

    async fn follow_up(&self, task: FollowUpTask) -> Result<Task, LinkError> {
        self.give_task(task).await
    }

    fn follow(&self) -> Box<dyn HubEvents> {
        Box::new(LocalEvents::new(&self.hub, self.caller(), &self.project))
    }
}
