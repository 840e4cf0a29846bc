//! Blocking messages ride on every result, so an agent that only ever calls tools is paused too. The context engine makes
//! their text.
//!
//! Nothing is claimed by hope. That a message stands in a result is reported as queued; that it was put before the model
//! is reported when the same client calls again, because only then its result has arrived.

use parlour_core::{
    Code,
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    id::MessageId,
};
use parlour_hub::use_cases::{BlockingNotice, ReportDeliveries};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::turn::Turn;

/// Where the words for the model stand in a structured result: some clients show it nothing else.
const FIELD: &str = "you_received";

impl Turn<'_> {
    /// Reports what the client was given with its earlier results: it has taken them, because it calls again.
    pub(super) async fn confirm_given(&self) {
        let taken = self.desk.taken();
        for delivered_via in [DeliveryPath::Tool, DeliveryPath::Checkpoint, DeliveryPath::Nudge] {
            let ids: Vec<_> = taken.iter().filter(|(_, by)| *by == delivered_via).map(|(id, _)| id.clone()).collect();
            let step = DeliveryStep {
                delivered_via: Some(delivered_via),
                run_id: self.desk.run(),
                ..DeliveryStep::to(DeliveryState::Injected)
            };
            self.report(ids, step).await;
        }
    }

    /// Notes that these messages stand in the result of this call.
    pub(super) async fn give(&self, ids: impl IntoIterator<Item = MessageId>, delivered_via: DeliveryPath) {
        let fresh = self.desk.give(ids, delivered_via);
        self.report(fresh, DeliveryStep::to(DeliveryState::Queued)).await;
    }

    /// Renews the lease of the client's run; says when the run has ended, so that the model stops.
    pub(super) async fn beat(&self) -> Option<String> {
        let run = self.desk.run()?;
        let ended = self.hub.beat_run(self.caller, &run).await.err()?;
        let refusal = ended.refusal().filter(|refusal| matches!(refusal.code, Code::RunEnded | Code::NotFound))?;
        self.desk.end(&run);
        Some(format!("Your run {run} has ended: {}. Stop this work unless somebody asks you to go on.", refusal.detail))
    }

    /// Puts what blocks the agent on a result, and what is to be said of its run.
    pub(super) async fn ride(&self, mut result: CallToolResult, note: Option<String>) -> CallToolResult {
        let rider = self.pending().await;
        let text = rider.as_ref().map(|rider| rider.text.clone());
        let said: Vec<String> = note.into_iter().chain(text).collect();
        if said.is_empty() {
            return result;
        }
        if let Some(Value::Object(fields)) = &mut result.structured_content {
            fields.insert(FIELD.to_owned(), json!(said.join("\n\n")));
        }
        result.content.extend(said.into_iter().map(ContentBlock::text));
        let named = rider.into_iter().flat_map(|rider| rider.messages).map(|brief| brief.message_id);
        self.give(named, DeliveryPath::Tool).await;
        result
    }

    /// What blocks the calling agent by others, save what a checkpoint just told.
    async fn pending(&self) -> Option<BlockingNotice> {
        if !self.is_agent() {
            return None;
        }
        let (run, told) = (self.desk.run(), self.desk.given_by(DeliveryPath::Checkpoint));
        self.hub.pending_blocks(self.caller, run.as_ref(), &told).await.unwrap_or_else(|failure| {
            tracing::debug!(%failure, "what blocks an agent cannot be told with a result");
            None
        })
    }

    async fn report(&self, message_ids: Vec<MessageId>, step: DeliveryStep) {
        if message_ids.is_empty() {
            return;
        }
        let report = ReportDeliveries { agent_id: None, message_ids, step };
        if let Err(failure) = self.hub.report_deliveries(self.caller, report).await {
            tracing::debug!(%failure, "a delivery was not reported");
        }
    }
}
