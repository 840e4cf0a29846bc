//! Reactions to messages.

use parlour_core::{
    access::{self, Principal},
    id::MessageId,
    message::Message,
    reaction::check_emoji,
    scope::Scope,
    write::Write,
};

use crate::{Failure, Hub};

impl Hub {
    /// Adds the caller's reaction to a message; adding it again changes nothing.
    pub async fn react(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::React(id.clone(), emoji.to_owned(), caller.member.clone());
        self.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// Takes the caller's reaction back; taking it back again changes nothing.
    pub async fn unreact(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::Unreact(id.clone(), emoji.to_owned(), caller.member.clone());
        self.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// The message as it is now, for who has reacted to it.
    async fn reacted(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let (mut message, _) = self.load_visible_message(caller, id).await?;
        self.fill_streaming_text(&mut message).await?;
        Ok(access::shown_to(caller, message))
    }

    async fn load_message_to_react(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        check_emoji(emoji)?;
        let (message, membership) = self.load_visible_message(caller, id).await?;
        access::check_present(&message)?;
        access::check_write(&membership)?;
        Ok(message)
    }
}
