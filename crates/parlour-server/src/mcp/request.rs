//! One MCP request: its caller, the state of its client, and the notices that a tool result carries.
//!
//! Every tool result of an agent ends with the messages that block it, so an agent that only calls tools is paused too.
//! A message of a result is reported as queued at once and as injected with the next request of the same client: only
//! then is it certain that the result arrived.

use std::sync::Arc;

use parlour_core::{
    Code, Refusal,
    access::{Principal, Role},
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    id::{AgentId, MessageId},
    limits,
    paging::PageRequest,
};
use parlour_hub::{
    Hub,
    use_cases::{BlockingNotice, ReportDeliveries},
};
use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, ProgressNotificationParam, ProgressToken},
    service::Peer,
};
use serde_json::{Value, json};

use super::client_state::ClientState;

/// The field of a structured result that repeats the notices: some clients show a model nothing else.
const NOTICES_FIELD: &str = "you_received";

/// The authenticated client of a request; the endpoint attaches it to the request.
#[derive(Clone)]
pub(super) struct McpClient {
    pub(super) caller: Principal,
    pub(super) state: Arc<ClientState>,
}

/// One request to a tool or a resource.
pub(super) struct McpRequest<'a> {
    pub(super) hub: &'a Hub,
    pub(super) caller: &'a Principal,
    pub(super) client: &'a ClientState,
    pub(super) progress: ProgressReporter,
}

impl<'a> McpRequest<'a> {
    pub(super) fn new(hub: &'a Hub, client: &'a McpClient, progress: ProgressReporter) -> Self {
        Self { hub, caller: &client.caller, client: &client.state, progress }
    }

    /// The calling agent; people have no runs.
    pub(super) fn agent(&self) -> Result<&AgentId, Refusal> {
        let refuse = || Refusal::forbidden("only agents have runs; this token belongs to a person");
        self.caller.member.agent().ok_or_else(refuse)
    }

    pub(super) fn is_agent(&self) -> bool {
        matches!(self.caller.role, Role::Agent(_))
    }

    /// Reports the messages of earlier results as injected: the client has received them, because it calls again.
    pub(super) async fn confirm_deliveries(&self) {
        let confirmed = self.client.take_unconfirmed();
        for delivered_via in [DeliveryPath::Tool, DeliveryPath::Checkpoint, DeliveryPath::Nudge] {
            let of_path = confirmed.iter().filter(|(_, path)| *path == delivered_via);
            let ids: Vec<_> = of_path.map(|(id, _)| id.clone()).collect();
            let step = DeliveryStep {
                delivered_via: Some(delivered_via),
                run_id: self.client.run(),
                ..DeliveryStep::to(DeliveryState::Injected)
            };
            self.report(ids, step).await;
        }
    }

    /// Reports these messages, which the result of this request contains, as queued.
    pub(super) async fn queue_deliveries(&self, ids: impl IntoIterator<Item = MessageId>, delivered_via: DeliveryPath) {
        let added = self.client.add_unconfirmed(ids, delivered_via);
        self.report(added, DeliveryStep::to(DeliveryState::Queued)).await;
    }

    /// Renews the lease of the client's run; returns a note for the model when the run has ended.
    pub(super) async fn renew_run(&self) -> Option<String> {
        let run = self.client.run()?;
        let ended = self.hub.beat_run(self.caller, &run).await.err()?;
        let refusal = ended.refusal().filter(|refusal| matches!(refusal.code, Code::RunEnded | Code::NotFound))?;
        self.client.clear_run(&run);
        Some(format!(
            "Your run {run} has ended: {}. Stop this work unless somebody asks you to continue.",
            refusal.detail
        ))
    }

    /// Appends the note about the run and the messages that block the agent to a result.
    pub(super) async fn append_notices(&self, mut result: CallToolResult, run_note: Option<String>) -> CallToolResult {
        let blocking = self.blocking_notice().await;
        let blocking_text = blocking.as_ref().map(|notice| notice.text.clone());
        let notices: Vec<String> = run_note.into_iter().chain(blocking_text).collect();
        if notices.is_empty() {
            return result;
        }
        if let Some(Value::Object(fields)) = &mut result.structured_content {
            fields.insert(NOTICES_FIELD.to_owned(), json!(notices.join("\n\n")));
        }
        result.content.extend(notices.into_iter().map(ContentBlock::text));
        let ids = blocking.into_iter().flat_map(|notice| notice.messages).map(|brief| brief.message_id);
        self.queue_deliveries(ids, DeliveryPath::Tool).await;
        result
    }

    /// The messages that block the calling agent, without those that a checkpoint has just returned.
    async fn blocking_notice(&self) -> Option<BlockingNotice> {
        if !self.is_agent() {
            return None;
        }
        let (run, returned) = (self.client.run(), self.client.unconfirmed_via(DeliveryPath::Checkpoint));
        self.hub.pending_blocks(self.caller, run.as_ref(), &returned).await.unwrap_or_else(|failure| {
            tracing::debug!(%failure, "cannot read the blocking messages of an agent");
            None
        })
    }

    async fn report(&self, message_ids: Vec<MessageId>, step: DeliveryStep) {
        if message_ids.is_empty() {
            return;
        }
        let report = ReportDeliveries { agent_id: None, message_ids, step };
        if let Err(failure) = self.hub.report_deliveries(self.caller, report).await {
            tracing::debug!(%failure, "cannot report a delivery");
        }
    }
}

/// The page that a tool's arguments `limit` and `cursor` select.
pub(super) fn page(limit: Option<usize>, cursor: Option<String>) -> Result<PageRequest, Refusal> {
    let limit = limit.unwrap_or(limits::MCP_PAGE_ITEMS_DEFAULT);
    if !(1..=limits::MCP_PAGE_ITEMS_MAX).contains(&limit) {
        let most = limits::MCP_PAGE_ITEMS_MAX;
        return Err(Refusal::out_of_bounds(format!("limit is {limit}; it must be 1 to {most}")).at("limit"));
    }
    PageRequest::new(cursor, Some(limit))
}

/// Sends progress notifications to a client that asked for them.
pub(super) struct ProgressReporter(Option<(Peer<RoleServer>, ProgressToken)>);

impl ProgressReporter {
    pub(super) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self(token.map(|token| (peer, token)))
    }

    /// Sends one notification; failures are ignored.
    pub(super) async fn notify(&self, done: u64, total: u64, text: &str) {
        let Some((peer, token)) = &self.0 else { return };
        #[expect(clippy::cast_precision_loss, reason = "the seconds of one call are few")]
        let progress = ProgressNotificationParam::new(token.clone(), done as f64).with_total(total as f64);
        if let Err(error) = peer.notify_progress(progress.with_message(text)).await {
            tracing::debug!(%error, "cannot send a progress notification");
        }
    }
}
