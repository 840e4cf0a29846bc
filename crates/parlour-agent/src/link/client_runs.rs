//! Runs, questions and deliveries of an agent that runs outside of the hub.

use async_trait::async_trait;
use parlour_core::{
    Code,
    checkpoint::{Checkpoint, RunFinished},
    delivery::DeliveryStep,
    id::{ConversationId, MessageId, RunId},
    inbox::InboxFilter,
    limits,
    message::Message,
    run::{FinishRun, Run, RunFilter, RunState, StartRun},
};

use super::{ClientLink, LinkError, RunLink, WAIT_SECONDS};
use crate::{Asked, PageAt};

/// The first page, as long as pages can be.
static WHOLE_PAGE: PageAt = PageAt { limit: Some(limits::PAGE_ITEMS_MAX), cursor: None };

#[async_trait]
impl RunLink for ClientLink {
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError> {
        // The client repeats it by itself: it has an id.
        Ok(self.client.start_run(request).await?)
    }

    async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, LinkError> {
        self.tried(|| self.client.checkpoint(id)).await
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
        // The client repeats it by itself.
        Ok(self.client.finish_run(id, end).await?)
    }

    async fn cancel_run(&self, id: &RunId, reason: Option<String>) -> Result<(), LinkError> {
        let cancelled = self.tried(|| self.client.cancel_run(id, reason.as_deref())).await;
        match cancelled {
            // The answer to an earlier try was lost.
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
        let asked = Asked::MeIn(self.project.clone());
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

impl ClientLink {
    async fn is_cancelled(&self, id: &RunId) -> bool {
        self.tried(|| self.client.run(id, 0)).await.is_ok_and(|run| run.state == RunState::Cancelled)
    }
}
