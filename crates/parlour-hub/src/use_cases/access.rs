//! Looking things up for a caller: what it may not see is answered exactly like what does not exist.

use parlour_core::{
    Code, Refusal,
    access::{self, Membership, Principal},
    conversation::{Channel, Conversation},
    id::{ChannelId, ConversationId, MessageId, ProjectId},
    message::Message,
    project::Project,
    scope::Scope,
};

use crate::{Failure, Hub};

impl Hub {
    /// Refuses a caller whose token has expired or is not for this: the first line of every use case. Nothing is looked up
    /// before, so the answer says nothing about what exists. Live sessions keep their caller, so the time counts too.
    pub(crate) fn require_scope(&self, caller: &Principal, scope: Scope) -> Result<(), Refusal> {
        self.require_unexpired(caller)?;
        caller.check_scope(scope)
    }

    /// Refuses a caller whose token has expired.
    pub(crate) fn require_unexpired(&self, caller: &Principal) -> Result<(), Refusal> {
        match caller.grant.expires_at {
            Some(at) if at <= self.clock.now() => Err(Refusal::new(Code::Unauthenticated, "this token has expired")),
            _ => Ok(()),
        }
    }

    /// The project, if the caller sees it.
    pub(crate) async fn load_visible_project(&self, caller: &Principal, id: &ProjectId) -> Result<Project, Failure> {
        let refuse = || Refusal::not_found("project", id);
        let project = self.store.project(id).await?.ok_or_else(refuse)?;
        let is_member = self.store.is_member(id, &caller.member).await?;
        if access::may_see_project(caller, is_member) { Ok(project) } else { Err(refuse().into()) }
    }

    /// The conversation and how the caller stands to it, if it may be read.
    pub(crate) async fn load_visible_conversation(
        &self,
        caller: &Principal,
        id: &ConversationId,
    ) -> Result<(Conversation, Membership), Failure> {
        let found = self.store.conversation(id, &caller.member).await?;
        match found {
            Some((conversation, membership)) if access::may_read(caller, &membership) => Ok((conversation, membership)),
            _ => Err(refuse_conversation(id).into()),
        }
    }

    /// The channel and how the caller stands to it, if it may be read.
    pub(crate) async fn load_visible_channel(
        &self,
        caller: &Principal,
        id: &ChannelId,
    ) -> Result<(Channel, Membership), Failure> {
        match self.load_visible_conversation(caller, &id.clone().into()).await? {
            (Conversation::Channel(channel), membership) => Ok((channel, membership)),
            _ => Err(Refusal::not_found("channel", id).into()),
        }
    }

    /// The message and how the caller stands to its conversation, if it may be read.
    pub(crate) async fn load_visible_message(
        &self,
        caller: &Principal,
        id: &MessageId,
    ) -> Result<(Message, Membership), Failure> {
        let refuse = || Refusal::not_found("message", id);
        let message = self.store.message(id).await?.ok_or_else(refuse)?;
        match self.store.conversation(&message.to, &caller.member).await? {
            Some((_, membership)) if access::may_read(caller, &membership) => Ok((message, membership)),
            _ => Err(refuse().into()),
        }
    }
}

/// The same words whether it is absent or hidden.
pub(crate) fn refuse_conversation(id: &ConversationId) -> Refusal {
    match id {
        ConversationId::Channel(id) => Refusal::not_found("channel", id),
        ConversationId::Thread(id) => Refusal::not_found("thread", id),
        ConversationId::Dm(id) => Refusal::not_found("dm", id),
    }
}
