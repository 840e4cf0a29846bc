//! Runs of Coder, as its runner sees them.

use async_trait::async_trait;
use parlour_agent::link::{LinkError, RunCalls, WAIT_SECONDS};
use parlour_core::{
    checkpoint::{Checkpoint, RunFinished},
    delivery::DeliveryStep,
    id::{ConversationId, MessageId, RunId},
    message::Message,
    run::{FinishRun, Run, RunState, StartRun},
};

use crate::{fake_hub::FakeHubState, fake_link::FakeLink};

#[async_trait]
impl RunCalls for FakeLink {
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError> {
        self.call(|hub| hub.start_run(request))
    }

    async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, LinkError> {
        self.call(|hub| hub.checkpoint(id))
    }

    async fn beat_run(&self, id: &RunId) -> Result<(), LinkError> {
        self.call(|hub| hub.beat_run(id))
    }

    async fn await_run(&self, id: &RunId) -> Result<Run, LinkError> {
        self.call(|hub| hub.run(id))?;
        self.0.wait(WAIT_SECONDS, |hub| hub.run(id).is_ok_and(|run| run.state != RunState::Paused)).await;
        self.call(|hub| hub.run(id))
    }

    async fn resume_run(&self, id: &RunId, message: &MessageId) -> Result<(), LinkError> {
        self.call(|hub| hub.resume_run(id, message))
    }

    async fn finish_run(&self, id: &RunId, end: &FinishRun) -> Result<RunFinished, LinkError> {
        self.call(|hub| hub.finish_run(id, end))
    }

    async fn cancel_run(&self, id: &RunId, reason: Option<String>) -> Result<(), LinkError> {
        self.call(|hub| hub.cancel_run(id, reason))
    }

    async fn open_runs(&self) -> Result<Vec<Run>, LinkError> {
        self.call(|hub| Ok(hub.work.runs.iter().filter(|run| run.state.is_open()).cloned().collect()))
    }

    async fn open_questions(&self) -> Result<Vec<Message>, LinkError> {
        self.call(|hub| Ok(open_questions(hub)))
    }

    async fn await_answer(&self, id: &MessageId) -> Result<Message, LinkError> {
        self.call(|hub| hub.message(id))?;
        let is_closed = |hub: &FakeHubState| {
            hub.message(id).is_ok_and(|message| message.question.is_some_and(|question| !question.is_open()))
        };
        self.0.wait(WAIT_SECONDS, is_closed).await;
        self.call(|hub| hub.message(id))
    }

    async fn unread(&self, id: &ConversationId) -> Result<Vec<MessageId>, LinkError> {
        self.call(|hub| {
            let is_here = |unread: &&MessageId| hub.message(unread).is_ok_and(|message| message.to == *id);
            Ok(hub.work.unread.iter().filter(is_here).cloned().collect())
        })
    }

    async fn report_deliveries(&self, messages: &[MessageId], step: &DeliveryStep) -> Result<(), LinkError> {
        self.call(|hub| hub.report(messages, step))
    }
}

fn open_questions(hub: &FakeHubState) -> Vec<Message> {
    let is_open = |message: &&Message| {
        message.from.name != "Coder" && message.question.as_ref().is_some_and(|question| question.is_open())
    };
    hub.messages.iter().filter(is_open).cloned().collect()
}
