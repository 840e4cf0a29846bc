//! The hub in memory as the runner of Coder sees it.

use async_trait::async_trait;
use parlour_agent::{
    answers::Finished,
    link::{FollowUpTask, HubEvent, HubEvents, HubLink, LinkError, Upload},
};
use parlour_core::{
    call::{Call, CallState},
    context::{ContextRequest, Pack},
    id::{ArtifactId, MessageId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::{Message, State},
    post::PostMessage,
    presence::PresenceUpdate,
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch, TaskStatus},
};
use tokio::sync::mpsc;

use crate::fake_hub::{FakeHub, FakeHubState, RequestFate, agent_id};

/// One process's link to the hub.
#[derive(Clone)]
pub(crate) struct FakeLink(pub(crate) FakeHub);

impl FakeLink {
    /// Makes a call, unless the hub is away or something gets lost.
    pub(crate) fn call<T>(&self, act: impl FnOnce(&mut FakeHubState) -> Result<T, LinkError>) -> Result<T, LinkError> {
        let away = || LinkError::Away("nobody answers".into());
        self.0.with(|hub| {
            if hub.is_away {
                return Err(away());
            }
            match hub.fates.pop().unwrap_or(RequestFate::Well) {
                RequestFate::Well => act(hub),
                RequestFate::RequestLost => Err(away()),
                RequestFate::AnswerLost => act(hub).and_then(|_| Err(away())),
            }
        })
    }
}

#[async_trait]
impl HubLink for FakeLink {
    async fn agent(&self) -> Result<Agent, LinkError> {
        self.call(|hub| Ok(hub.agents[0].clone()))
    }

    async fn agents(&self) -> Result<Vec<Agent>, LinkError> {
        self.call(|hub| Ok(hub.agents.clone()))
    }

    async fn open_calls(&self) -> Result<Vec<Call>, LinkError> {
        self.call(|hub| Ok(hub.calls.iter().filter(|call| call.state == CallState::Open).cloned().collect()))
    }

    async fn pass(&self, message: &MessageId, reason: Option<String>) -> Result<(), LinkError> {
        self.call(|hub| {
            hub.pass(message, reason);
            Ok(())
        })
    }

    async fn message(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.call(|hub| hub.message(id))
    }

    async fn view(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.call(|hub| hub.view(id))
    }

    async fn context(&self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        self.call(|hub| hub.context(ask))
    }

    async fn post(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        self.call(|hub| hub.post(id, request))
    }

    async fn add_chunk(&self, id: &MessageId, chunk: AddChunk) -> Result<(), LinkError> {
        self.call(|hub| hub.add(id, chunk.start, &chunk.text))
    }

    async fn beat(&self, id: &MessageId) -> Result<(), LinkError> {
        self.call(|hub| {
            hub.beats += 1;
            hub.check_open(id)
        })
    }

    async fn start_step(&self, id: &MessageId, step: StartStep) -> Result<(), LinkError> {
        self.call(|hub| {
            hub.steps.push(format!("start {}", step.name));
            hub.check_open(id)
        })
    }

    async fn finish_step(&self, id: &MessageId, step_id: &str, _end: FinishStep) -> Result<(), LinkError> {
        self.call(|hub| {
            hub.steps.push(format!("finish {step_id}"));
            hub.check_open(id)
        })
    }

    async fn complete(&self, id: &MessageId, end: Complete) -> Result<Finished, LinkError> {
        self.call(|hub| {
            hub.check_open(id)?;
            hub.change(id, |message| {
                message.usage = end.usage.clone();
                message.body = end.body.clone().unwrap_or_else(|| message.body.clone());
            });
            let answer_problem = hub.problem_of(id);
            let message = hub.end(id, State::Complete, None)?;
            Ok(Finished { answer_problem, ..Finished::from(message) })
        })
    }

    async fn cancel(&self, id: &MessageId, end: Cancel) -> Result<Message, LinkError> {
        self.call(|hub| hub.end(id, State::Cancelled, end.reason))
    }

    async fn fail(&self, id: &MessageId, end: Fail) -> Result<Message, LinkError> {
        self.call(|hub| {
            hub.change(id, |message| message.usage = end.usage.clone());
            hub.end(id, State::Failed, Some(end.reason))
        })
    }

    async fn upload(&self, file: Upload) -> Result<ArtifactId, LinkError> {
        self.call(|hub| {
            hub.uploads.push(file);
            Ok(ArtifactId::from_bits(hub.uploads.len() as u128))
        })
    }

    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError> {
        let is_mine = |task: &&Task| task.status == TaskStatus::Open && task.assignee == Some(agent_id().into());
        self.call(|hub| Ok(hub.tasks.iter().filter(is_mine).cloned().collect()))
    }

    async fn update_task(&self, id: &TaskId, patch: TaskPatch) -> Result<Task, LinkError> {
        self.call(|hub| hub.update_task(id, &patch))
    }

    async fn follow_up(&self, task: FollowUpTask) -> Result<Task, LinkError> {
        self.call(|hub| {
            let FollowUpTask { parent, title, description, assignee } = task;
            let (parent_id, thread_id, assignee) = (Some(parent.id), parent.thread_id, Some(assignee));
            let blank = hub.blank_task(&title);
            Ok(hub.create_task(Task { description, parent_id, thread_id, assignee, ..blank }))
        })
    }

    fn follow(&self) -> Box<dyn HubEvents> {
        Box::new(FakeEvents { hub: self.0.clone(), items: self.0.with(FakeHubState::follow) })
    }
}

struct FakeEvents {
    hub: FakeHub,
    items: mpsc::UnboundedReceiver<Result<HubEvent, LinkError>>,
}

#[async_trait]
impl HubEvents for FakeEvents {
    async fn next(&mut self) -> Result<HubEvent, LinkError> {
        self.items.recv().await.unwrap_or(Err(LinkError::Over("the hub is gone".into())))
    }

    fn set_presence(&self, request: PresenceUpdate) {
        self.hub.with(|hub| hub.presences.push(request));
    }
}
