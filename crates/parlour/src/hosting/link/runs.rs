//! Runs, questions and deliveries of an agent of this hub.

use async_trait::async_trait;
use parlour_agent::link::{LinkError, RunCalls, WAIT_SECONDS};
use parlour_core::{
    checkpoint::{Checkpoint, CheckpointDelivery, RunFinished},
    delivery::DeliveryStep,
    id::{ConversationId, MessageId, RunId},
    inbox::InboxFilter,
    limits,
    message::Message,
    paging::PageRequest,
    run::{FinishRun, Run, RunFilter, StartRun},
};
use parlour_hub::use_cases::{QuestionQuery, ReportDeliveries};

use super::{LocalLink, all_pages, with_retry};

#[async_trait]
impl RunCalls for LocalLink {
    async fn start_run(&self, request: &StartRun) -> Result<Run, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.start_run(&caller, request.clone())).await
    }

    async fn checkpoint(&self, id: &RunId) -> Result<Checkpoint, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.checkpoint(&caller, id, CheckpointDelivery::SeparateRun)).await
    }

    async fn beat_run(&self, id: &RunId) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.beat_run(&caller, id)).await.map(drop)
    }

    async fn await_run(&self, id: &RunId) -> Result<Run, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.wait_run(&caller, id, WAIT_SECONDS)).await
    }

    async fn resume_run(&self, id: &RunId, message: &MessageId) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.resume_run(&caller, id, Some(message))).await.map(drop)
    }

    async fn finish_run(&self, id: &RunId, end: &FinishRun) -> Result<RunFinished, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.finish_run(&caller, id, end.clone())).await
    }

    async fn cancel_run(&self, id: &RunId, reason: Option<String>) -> Result<(), LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.cancel_run(&caller, id, reason.clone())).await.map(drop)
    }

    async fn open_runs(&self) -> Result<Vec<Run>, LinkError> {
        let caller = &self.caller();
        let filter = &RunFilter { agent_id: Some(self.agent.clone()), only_open: true, ..RunFilter::default() };
        all_pages(|page| async move { self.hub.runs(caller, &self.project, filter, &page).await }).await
    }

    async fn open_questions(&self) -> Result<Vec<Message>, LinkError> {
        let caller = &self.caller();
        let query = &QuestionQuery { project_id: Some(self.project.clone()), whole_project: false };
        let open = all_pages(|page| async move { self.hub.questions(caller, query, &page).await }).await?;
        Ok(open.into_iter().map(|open| open.message).collect())
    }

    async fn await_answer(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        with_retry(|| self.hub.wait_question(&caller, id, WAIT_SECONDS)).await
    }

    async fn unread(&self, id: &ConversationId) -> Result<Vec<MessageId>, LinkError> {
        let caller = self.caller();
        let filter = InboxFilter { conversation_id: Some(id.clone()), ..InboxFilter::default() };
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("the largest page is allowed");
        let (unread, _) = with_retry(|| self.hub.inbox(&caller, &self.agent, &filter, &page)).await?;
        Ok(unread.items.into_iter().map(|entry| entry.message.id).collect())
    }

    async fn report_deliveries(&self, messages: &[MessageId], step: &DeliveryStep) -> Result<(), LinkError> {
        let caller = self.caller();
        for some in messages.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
            let request = ReportDeliveries { agent_id: None, message_ids: some.to_vec(), step: step.clone() };
            with_retry(|| self.hub.report_deliveries(&caller, request.clone())).await?;
        }
        Ok(())
    }
}
