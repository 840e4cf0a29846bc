//! Open calls of agents: listing them, and closing one without an answer.

use std::collections::HashMap;

use parlour_core::{
    Code, Refusal, Timestamp,
    access::{self, Principal},
    call::{Call, PassedCall},
    event::Change,
    id::{AgentId, ConversationId, MessageId},
    limits,
    paging::{Page, PageRequest},
    scope::Scope,
    text,
    write::Write,
};

use crate::{
    Failure,
    calling::{CallService, open_after},
    failure::{replace_refusal, unexpected_change},
};

impl CallService {
    /// Lists an agent's open calls, oldest first. For the agent itself, and for administrators, who see only calls in
    /// conversations that they may read. Calls older than `calls.expire_seconds` of the project are no longer open.
    pub(crate) async fn open_calls(
        &self,
        caller: &Principal,
        agent: &AgentId,
        page: &PageRequest,
    ) -> Result<Page<Call>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (agent, project) = self.access.load_visible_agent(caller, agent).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        let after = open_after(&project.policy.calls, self.clock.now());
        if caller.member.agent() == Some(&agent.id) {
            return self.store.open_calls(&agent.id, after, page).await;
        }
        self.check_key(caller, page).await?;
        self.readable_calls(caller, &agent.id, after, page).await
    }

    /// Closes the caller's call by this message without an answer. A closed call does not change.
    pub(crate) async fn pass_call(
        &self,
        caller: &Principal,
        message: &MessageId,
        reason: Option<String>,
    ) -> Result<PassedCall, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        text::check_text(reason.as_deref().unwrap_or_default(), limits::REASON_CHARS_MAX)
            .map_err(|refusal| refusal.at("reason"))?;
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let refuse = || Refusal::forbidden("only an agent that a message has called can pass on it");
        let agent = caller.member.agent().ok_or_else(refuse)?.clone();
        let (message, _) = self.access.load_visible_message(caller, message).await?;
        let passed = PassedCall { agent_id: agent, message_id: message.id, conversation_id: message.to, reason };
        match self.writer.append(caller, &message.project_id, Write::PassCall(passed)).await?.change {
            Change::CallPassed(passed) => Ok(*passed),
            other => Err(unexpected_change(&other)),
        }
    }

    /// A page of the calls in conversations that the caller may read.
    ///
    /// It skips hidden calls one by one, so the cost can grow with the number of open calls. For administrators only.
    async fn readable_calls(
        &self,
        caller: &Principal,
        agent: &AgentId,
        after: Timestamp,
        page: &PageRequest,
    ) -> Result<Page<Call>, Failure> {
        let (mut kept, mut next) = (Vec::new(), Some(page.clone()));
        let mut readable: HashMap<ConversationId, bool> = HashMap::new();
        while let Some(page) = next.take_if(|page| kept.len() <= page.limit()) {
            let found = self.store.open_calls(agent, after, &page).await?;
            for call in found.items {
                let conversation = call.conversation_id.clone();
                let is_readable = match readable.get(&conversation) {
                    Some(is_readable) => *is_readable,
                    None => self.access.may_read(caller, &conversation).await?,
                };
                readable.insert(conversation, is_readable);
                kept.extend(Some(call).filter(|_| is_readable));
            }
            next = found.next.map(|key| PageRequest::new(Some(key), Some(page.limit()))).transpose()?;
        }
        Ok(Page::from_probe(kept, page.limit(), |call| call.message_id.to_string()))
    }

    /// Refuses the key of a message that the caller may not read, like an unknown key.
    async fn check_key(&self, caller: &Principal, page: &PageRequest) -> Result<(), Failure> {
        let Some(key) = page.after() else { return Ok(()) };
        let refuse = || Refusal::new(Code::BadQuery, "this is no cursor of this list").at("cursor");
        let id: MessageId = key.parse().map_err(|_| refuse())?;
        self.access.load_visible_message(caller, &id).await.map(drop).map_err(replace_refusal(refuse()))
    }
}
