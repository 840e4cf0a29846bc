//! The link between the runner of a hosted agent and the hub: direct calls of use cases as that agent.

use std::{
    io::Cursor,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use parlour_agent::{
    answers::{AnswerProblem, Finished},
    link::{FollowUpTask, HubEvents, HubLink, LinkError, Upload},
};
use parlour_core::{
    access::Principal,
    call::Call,
    context::{ContextRequest, Pack},
    id::{AgentId, ArtifactId, MemberId, MessageId, ProjectId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    post::PostMessage,
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch, TaskStatus},
};
use parlour_hub::{
    Hub,
    use_cases::{NewArtifact, NewTask},
};

mod events;
mod retry;
mod runs;
#[cfg(test)]
mod tests;

use events::LocalEvents;
use retry::{all_pages, with_retry};

/// The use cases of the hub, called as one of its agents.
pub(super) struct LocalLink {
    hub: Arc<Hub>,
    agent: AgentId,
    project: ProjectId,
    /// The principal of the agent; its name can change while it runs.
    caller: Mutex<Principal>,
}

impl LocalLink {
    pub(super) fn new(hub: &Arc<Hub>, agent: &Agent) -> Self {
        Self {
            hub: Arc::clone(hub),
            agent: agent.id.clone(),
            project: agent.project_id.clone(),
            caller: Mutex::new(hub.act_as(agent)),
        }
    }

    /// Updates the name of the agent.
    pub(super) fn renew(&self, agent: &Agent) {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = self.hub.act_as(agent);
    }

    fn caller(&self) -> Principal {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl HubLink for LocalLink {
    async fn agent(&self) -> Result<Agent, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.agent(&caller, &self.agent)).await
    }

    async fn agents(&self) -> Result<Vec<Agent>, LinkError> {
        let caller = &self.caller();
        all_pages(|page| async move { self.hub.agents(caller, &self.project, &page).await }).await
    }

    async fn lease_seconds(&self) -> Result<u64, LinkError> {
        let caller = self.caller();
        Ok(with_retry(|| self.hub.project(&caller, &self.project)).await?.policy.streams.lease_seconds)
    }

    async fn open_calls(&self) -> Result<Vec<Call>, LinkError> {
        let caller = &self.caller();
        all_pages(|page| async move { self.hub.open_calls(caller, &self.agent, &page).await }).await
    }

    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.pass_call(&caller, message, reason.clone())).await.map(drop)
    }

    async fn message(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.message(&caller, id)).await
    }

    async fn view(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.message_view(&caller, id)).await
    }

    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        let caller = self.caller();
        Ok(with_retry(|| self.hub.context(&caller, &self.agent, ask)).await?.pack)
    }

    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        let caller = self.caller();
        let request = PostMessage { id: Some(id.clone()), ..request.clone() };
        Ok(with_retry(|| self.hub.post_message(&caller, request.clone())).await?.message)
    }

    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.add_chunk(&caller, id, chunk.clone())).await.map(drop)
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.beat_stream(&caller, id)).await.map(drop)
    }

    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.start_step(&caller, id, step.clone())).await.map(drop)
    }

    async fn finish_step(&self, id: &MessageId, step_id: &str, end: FinishStep) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.finish_step(&caller, id, step_id, end.clone())).await.map(drop)
    }

    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError> {
        let caller = self.caller();
        let ended = with_retry(|| self.hub.complete_stream(&caller, id, end.clone())).await?;
        let problem = ended.answer_problem;
        Ok(Finished {
            message: ended.message,
            position: Some(ended.position),
            mention_problems: ended.mention_problems,
            answer_problem: problem
                .map(|refusal| AnswerProblem { code: refusal.code.as_str().to_owned(), detail: refusal.detail }),
        })
    }

    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(with_retry(|| self.hub.fail_stream(&caller, id, end.clone())).await?.message)
    }

    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError> {
        let caller = self.caller();
        Ok(with_retry(|| self.hub.cancel_stream(&caller, id, end.clone())).await?.message)
    }

    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError> {
        let caller = self.caller();
        let Upload { conversation_id, filename, media_type, content } = file;
        let request =
            NewArtifact { project_id: self.project.clone(), filename, media_type, conversation_id, task_id: None };
        let keep = || self.hub.create_artifact(&caller, request.clone(), Box::pin(Cursor::new(content.clone())));
        Ok(with_retry(keep).await?.id)
    }

    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError> {
        let (caller, own) = (&self.caller(), MemberId::from(self.agent.clone()));
        let tasks = all_pages(|page| async move { self.hub.tasks(caller, &self.project, &page).await }).await?;
        let is_own = |task: &Task| task.status == TaskStatus::Open && task.assignee.as_ref() == Some(&own);
        let mut tasks: Vec<_> = tasks.into_iter().filter(is_own).collect();
        tasks.sort_by_key(|task| task.created_at);
        Ok(tasks)
    }

    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.update_task(&caller, id, patch.clone())).await
    }

    async fn follow_up(&self, task: FollowUpTask) -> Result<Task, LinkError> {
        let caller = self.caller();
        let FollowUpTask { parent, title, description, assignee } = task;
        let request = NewTask {
            project_id: parent.project_id,
            title,
            description,
            status: TaskStatus::Open,
            assignee: Some(assignee),
            parent_id: Some(parent.id),
            batch_id: parent.batch_id,
            thread_id: parent.thread_id,
        };
        with_retry(|| self.hub.create_task(&caller, request.clone())).await
    }

    fn follow(&self) -> Box<dyn HubEvents> {
        Box::new(LocalEvents::new(&self.hub, self.caller(), &self.project))
    }
}
