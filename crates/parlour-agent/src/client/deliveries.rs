//! Deliveries: what has become of a message, and the reports of those who know.

use parlour_core::{
    delivery::{Delivery, DeliveryState, DeliveryStep},
    id::{AgentId, MemberId, MessageId},
    limits,
    paging::Page,
};

use super::{Client, query::Query};
use crate::{ClientError, requests::ReportDeliveries};

impl Client {
    /// What has become of a message for each of its recipients.
    pub async fn deliveries(&self, id: &MessageId) -> Result<Vec<Delivery>, ClientError> {
        self.read_deliveries(id, &Query::default()).await
    }

    /// The same as soon as all of them, or the one to this recipient, have come so far or will not; after so many
    /// seconds as they are.
    pub async fn await_deliveries(
        &self,
        id: &MessageId,
        state: DeliveryState,
        recipient: Option<&MemberId>,
        seconds: u64,
    ) -> Result<Vec<Delivery>, ClientError> {
        let query = Query::default().with_word("wait", Some(state)).with("recipient", recipient);
        self.read_deliveries(id, &query.with("seconds", Some(seconds))).await
    }

    /// Reports what was really done with messages of an agent, the caller itself when none is named. Answers them as
    /// they are now.
    ///
    /// Any number is taken, in calls of a bounded size. What was reported before changes nothing, so the calls are
    /// repeated while the hub cannot be reached or asks for patience.
    pub async fn report_deliveries(
        &self,
        agent: Option<&AgentId>,
        messages: &[MessageId],
        step: &DeliveryStep,
    ) -> Result<Vec<Delivery>, ClientError> {
        let mut deliveries = Vec::with_capacity(messages.len());
        for some in messages.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
            let request = ReportDeliveries::new(agent, some, step);
            let page: Page<Delivery> = self.retry.run(|| self.post("/deliveries", &request)).await?;
            deliveries.extend(page.items);
        }
        Ok(deliveries)
    }

    async fn read_deliveries(&self, id: &MessageId, query: &Query) -> Result<Vec<Delivery>, ClientError> {
        let page: Page<Delivery> = self.get(&format!("/messages/{id}/deliveries"), &query.pairs()).await?;
        Ok(page.items)
    }
}
