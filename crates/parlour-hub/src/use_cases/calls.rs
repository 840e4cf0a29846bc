//! Calls: who is to answer what, and agents that do not.

use parlour_core::{
    access::Principal,
    call::{Call, PassedCall},
    id::{AgentId, MessageId},
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub};

impl Hub {
    /// Lists an agent's open calls, oldest first: for the agent itself and administrators, who see only those in
    /// conversations that they may read. Calls older than `calls.expire_seconds` of the project are no longer open.
    pub async fn open_calls(
        &self,
        caller: &Principal,
        agent: &AgentId,
        page: &PageRequest,
    ) -> Result<Page<Call>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (agent, page);
        Err(parlour_core::Refusal::invalid("not built yet").into())
    }

    /// Closes the caller's call by this message without an answer. One that is no longer open stays as it is.
    pub async fn pass_call(
        &self,
        caller: &Principal,
        message: &MessageId,
        reason: Option<String>,
    ) -> Result<PassedCall, Failure> {
        self.admit(caller, Scope::MessagesWrite)?;
        let _ = (message, reason);
        Err(parlour_core::Refusal::invalid("not built yet").into())
    }
}
