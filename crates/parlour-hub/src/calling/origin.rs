use std::slice;

use parlour_core::{
    Timestamp,
    call::{self, Call},
    cause::{self, ClaimedCause, Trigger},
    id::{AgentId, MessageId},
    limits,
    message::Message,
    name::Name,
    policy::CallRules,
};

use crate::{Failure, Hub, ports::PostContext};

/// An agent that writes a message, and what it says of the chain that led to it.
pub(super) struct AgentAuthor<'a> {
    pub(super) id: &'a AgentId,
    pub(super) name: &'a Name,
    pub(super) claimed: Option<&'a ClaimedCause>,
}

impl Hub {
    /// Notes on a message of an agent what it follows from, and answers the message whose call it takes.
    pub(super) async fn record_cause(
        &self,
        author: &AgentAuthor<'_>,
        message: &mut Message,
        post_context: &PostContext,
        rules: &CallRules,
    ) -> Result<Option<MessageId>, Failure> {
        let mut recent = self.recent_calls_of(author.id, message.reply_to.is_some()).await?;
        let after = open_after(rules, message.created_at);
        recent.retain(|call| call.called_at > after);
        let recent = self.visible_to_all_readers(post_context, recent).await?;
        let reply_to = self.find_message(message.reply_to.as_ref()).await?;
        let origin = cause::origin(&recent, &message.to, reply_to.as_ref());
        let source = match &origin {
            Trigger::Call(id) | Trigger::Consequence(id) if message.reply_to.as_ref() == Some(id) => reply_to,
            Trigger::Call(id) | Trigger::Consequence(id) => self.find_message(Some(id)).await?,
            Trigger::Itself => None,
        };
        // Who speaks by itself has nothing to record: an agent's message without a cause counts as its first.
        let is_first = origin == Trigger::Itself && author.claimed.is_none();
        message.cause =
            (!is_first).then(|| cause::cause_after(source.as_ref(), author.id, author.name, author.claimed));
        let Trigger::Call(call) = origin else { return Ok(None) };
        message.correlation_id = message.correlation_id.take().or_else(|| source?.correlation_id);
        Ok(Some(call).filter(|_| call::is_answer(message)))
    }

    /// The last calls of an agent. That there are none at all is remembered, because most who post much are never called;
    /// whoever replies may have been called just now.
    async fn recent_calls_of(&self, id: &AgentId, is_reply: bool) -> Result<Vec<Call>, Failure> {
        let agent = slice::from_ref(id);
        if !is_reply {
            let load = async { Ok(self.store.recent_calls(agent, 1).await?.is_empty().then_some(())) };
            if self.never_called.get_or_load(id, load).await?.is_some() {
                return Ok(Vec::new());
            }
        }
        self.store.recent_calls(agent, limits::GUARD_CALLS_MAX).await
    }

    async fn find_message(&self, id: Option<&MessageId>) -> Result<Option<Message>, Failure> {
        match id {
            Some(id) => self.store.message(id).await,
            None => Ok(None),
        }
    }
}

/// Calls up to this moment have waited too long.
pub(crate) fn open_after(rules: &CallRules, now: Timestamp) -> Timestamp {
    let wait_ms = i64::try_from(rules.expire_seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_sub(wait_ms))
}
