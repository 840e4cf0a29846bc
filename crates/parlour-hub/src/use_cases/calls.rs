//! Calls: who is to answer what, and agents that do not.

use std::collections::HashMap;

use parlour_core::{
    Code, Refusal, Timestamp,
    access::{self, Principal},
    call::{Call, PassedCall},
    event::Change,
    id::{AgentId, ConversationId, MessageId},
    limits,
    loop_guard::{self, GuardMark},
    message::Message,
    paging::{Page, PageRequest},
    scope::Scope,
    text,
    write::Write,
};

use crate::{
    Failure, Hub,
    calling::open_after,
    failure::{replace_refusal, unexpected_change},
    host_message::host_message,
    ports::HistoryRange,
};

impl Hub {
    /// Lists an agent's open calls, oldest first: for the agent itself and administrators, who see only those in
    /// conversations that they may read. Calls older than `calls.expire_seconds` of the project are no longer open.
    pub async fn open_calls(
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

    /// Closes the caller's call by this message without an answer. One that is no longer open stays as it is.
    pub async fn pass_call(
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

    /// A page of those calls that stand in conversations which the caller may read; its key is one of them too.
    ///
    /// It reads on past what is hidden, so it may cost as much as there are open calls: for administrators only.
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
                let place = call.conversation_id.clone();
                let is_readable = match readable.get(&place) {
                    Some(is_readable) => *is_readable,
                    None => self.access.may_read(caller, &place).await?,
                };
                readable.insert(place, is_readable);
                kept.extend(Some(call).filter(|_| is_readable));
            }
            next = found.next.map(|key| PageRequest::new(Some(key), Some(page.limit()))).transpose()?;
        }
        Ok(Page::from_probe(kept, page.limit(), |call| call.message_id.to_string()))
    }

    /// Refuses a key that names a message which the caller may not read, as one that never was.
    async fn check_key(&self, caller: &Principal, page: &PageRequest) -> Result<(), Failure> {
        let Some(key) = page.after() else { return Ok(()) };
        let refuse = || Refusal::new(Code::BadQuery, "this is no cursor of this list").at("cursor");
        let id: MessageId = key.parse().map_err(|_| refuse())?;
        self.access.load_visible_message(caller, &id).await.map(drop).map_err(replace_refusal(refuse()))
    }
}

/// A stop of the loop guard that still stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardStop {
    /// What was stopped, and by which rule.
    pub mark: GuardMark,
    /// The host message that tells it.
    pub message_id: MessageId,
    /// When.
    pub at: Timestamp,
}

impl Hub {
    /// The stops in a conversation since a person spoke there or lifted the guard, newest first, as far as the last
    /// `GUARD_WINDOW_MAX` messages tell.
    pub async fn loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Vec<GuardStop>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_conversation(caller, id).await?;
        let window = self.store.messages(id, HistoryRange::Newest, limits::GUARD_WINDOW_MAX).await?;
        let stops = loop_guard::standing_stops(&window, self.clock.now()).into_iter();
        let stop =
            |(mark, told): (GuardMark, &Message)| GuardStop { mark, message_id: told.id.clone(), at: told.created_at };
        Ok(stops.map(stop).collect())
    }

    /// Lifts the loop guard in a conversation and answers the host message that says so: for people who may write there.
    pub async fn reset_loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        caller.person()?;
        let (conversation, membership) = self.access.load_visible_conversation(caller, id).await?;
        access::check_write(&membership)?;
        let project = conversation.project_id();
        self.rates.charge_post(project)?;
        let mark = GuardMark::Reset { by: caller.member.clone() };
        let text = loop_guard::reset_text(&caller.author());
        let message_id = MessageId::from_bits(self.ids.next_bits());
        let new = host_message(message_id, project, id, text, Some(mark.content()), self.clock.now());
        match self.writer.append(caller, project, Write::PostMessage(new)).await?.change {
            Change::MessagePosted(message) => Ok(*message),
            other => Err(unexpected_change(&other)),
        }
    }
}
