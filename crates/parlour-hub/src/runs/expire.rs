use parlour_core::{
    Code,
    attribution::Attribution,
    delivery::{DeliveryReport, DeliveryState, DeliveryStep},
    id::{AgentId, MemberId, MessageId},
    message::Message,
    question::{Question, Settlement},
    write::Write,
};

use super::{RunSupervisor, run_supervisor::ignore_refusals};
use crate::Failure;

/// Why a delivery has expired.
const WHY: &str = "its question expired before it was seen";

impl RunSupervisor {
    /// Ends a question whose time is over: what its agents have not seen has expired, its default counts, and whoever
    /// waits goes on. The question is ended last of these writes, so a hub that dies between them does all of it again.
    pub(crate) async fn expire(&self, id: &MessageId) -> Result<(), Failure> {
        let Some(message) = self.store.message(id).await? else { return Ok(()) };
        let Some(question) = message.question.as_ref().filter(|question| question.is_open()) else { return Ok(()) };
        self.report_unseen(&message, question).await?;
        let settled = self.settle(Attribution::of_host(self.clock.now()), &message, Settlement::Expired).await;
        ignore_refusals(settled, &[Code::QuestionClosed, Code::Removed, Code::NotFound])?;
        self.release(id).await;
        Ok(())
    }

    async fn report_unseen(&self, message: &Message, question: &Question) -> Result<(), Failure> {
        let deliveries = self.store.deliveries(&message.id, &[]).await?;
        let is_unseen = |agent: &&AgentId| {
            let delivery = deliveries.iter().find(|one| one.recipient.agent() == Some(*agent));
            delivery.is_some_and(|one| one.state < DeliveryState::Seen)
        };
        for agent in question.addressees.iter().filter_map(MemberId::agent).filter(is_unseen) {
            let step = DeliveryStep { why: Some(WHY.to_owned()), ..DeliveryStep::to(DeliveryState::Expired) };
            let report = DeliveryReport {
                agent_id: agent.clone(),
                conversation_id: message.to.clone(),
                message_ids: vec![message.id.clone()],
                step,
            };
            let attribution = Attribution::of_host(self.clock.now());
            let reported = self.append(&message.project_id, attribution, Write::ReportDeliveries(report)).await;
            ignore_refusals(reported, &[Code::NotFound, Code::Removed])?;
        }
        Ok(())
    }
}
