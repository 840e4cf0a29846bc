//! One call of a tool: who calls, and what helps to answer.

use parlour_core::{
    Refusal,
    access::{Principal, Role},
    id::AgentId,
    limits,
    paging::PageRequest,
};
use parlour_hub::Hub;
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::Peer,
};

use super::{desk::Desk, endpoint::Visitor};

/// One call of a tool.
pub(super) struct Turn<'a> {
    pub(super) hub: &'a Hub,
    pub(super) caller: &'a Principal,
    pub(super) desk: &'a Desk,
    pub(super) progress: Progress,
}

impl<'a> Turn<'a> {
    pub(super) fn new(hub: &'a Hub, visitor: &'a Visitor, progress: Progress) -> Self {
        Self { hub, caller: &visitor.caller, desk: &visitor.desk, progress }
    }

    /// The calling agent; people have no runs and no inbox of their own.
    pub(super) fn agent(&self) -> Result<&AgentId, Refusal> {
        self.caller.member.agent().ok_or_else(|| Refusal::forbidden("only agents have runs; this token is a person's"))
    }

    /// Whether a model of an agent is at the other end.
    pub(super) fn is_agent(&self) -> bool {
        matches!(self.caller.role, Role::Agent(_))
    }
}

/// The page that a tool was asked for.
pub(super) fn page(limit: Option<usize>, cursor: Option<String>) -> Result<PageRequest, Refusal> {
    let limit = limit.unwrap_or(limits::MCP_PAGE_ITEMS_DEFAULT);
    if !(1..=limits::MCP_PAGE_ITEMS_MAX).contains(&limit) {
        let most = limits::MCP_PAGE_ITEMS_MAX;
        return Err(Refusal::out_of_bounds(format!("limit is {limit}; it may be 1 to {most}")).at("limit"));
    }
    PageRequest::new(cursor, Some(limit))
}

/// Tells a client that asked for it how a long call goes on.
pub(super) struct Progress(Option<(Peer<RoleServer>, ProgressToken)>);

impl Progress {
    pub(super) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self(token.map(|token| (peer, token)))
    }

    /// Says how far it is. A client that does not take it loses nothing.
    pub(super) async fn tell(&self, done: u64, total: u64, text: &str) {
        let Some((peer, token)) = &self.0 else { return };
        #[expect(clippy::cast_precision_loss, reason = "seconds of one call are few")]
        let note = ProgressNotificationParam::new(token.clone(), done as f64).with_total(total as f64);
        if let Err(error) = peer.notify_progress(note.with_message(text)).await {
            tracing::debug!(%error, "a client did not take a note of progress");
        }
    }
}
