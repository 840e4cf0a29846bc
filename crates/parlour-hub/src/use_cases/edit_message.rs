//! Changing and removing messages. The history keeps that it happened.

use parlour_core::{
    Code, Refusal,
    access::{self, Principal},
    event::Change,
    id::{MemberId, MessageId},
    inbox::{Listeners, deliveries},
    limits,
    mention::MentionProblem,
    message::{Message, State},
    model_visibility,
    reaction::check_emoji,
    scope::Scope,
    text,
    write::{NewText, Write},
};

use crate::{Failure, Hub, calling::report_wide_mention, failure::run_to_completion, failure::unexpected_change};

/// A request to change a message's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditMessage {
    /// The new text.
    pub body: String,
}

impl Hub {
    /// Changes the text of the caller's own message. Agents that are mentioned only now are told, and nobody is called.
    pub async fn edit_message(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: EditMessage,
    ) -> Result<(Message, Vec<MentionProblem>), Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        check_body(&request.body)?;
        let (message, membership) = self.access.load_visible_message(caller, id).await?;
        access::check_edit(caller, &message)?;
        check_not_streaming(&message)?;
        access::check_write(&membership)?;
        let found = self.calls.resolve_mentions(&message.project_id, &request.body, &[]).await?;
        let mut found = self.calls.keep_readable_mentions(&message.to, membership.visibility, found).await?;
        report_wide_mention(&mut found);
        let is_fresh = |member: &&MemberId| model_visibility::may_wake(&message) && !message.mentions.contains(member);
        let fresh: Vec<MemberId> = found.members.iter().filter(is_fresh).cloned().collect();
        let text = NewText {
            body: request.body,
            mentions: found.members,
            deliveries: deliveries(Some(&caller.member), &fresh, &Listeners::default()),
        };
        let write = Write::EditMessage(id.clone(), text);
        match self.writer.append(caller, &message.project_id, write).await?.change {
            Change::MessageEdited(message) => Ok((*message, found.problems)),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Removes a message: it keeps its place, its text is gone. One that is being written ends with that. Removing it
    /// again changes nothing.
    pub async fn remove_message(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        let project = self.access.load_visible_project(caller, &message.project_id).await?;
        access::check_remove(caller, &message, &project)?;
        match self.writer.append(caller, &project.id, Write::RemoveMessage(id.clone())).await?.change {
            Change::MessageRemoved(message) => {
                self.streams.forget_stream(id);
                if message.blocking {
                    let (run_supervisor, id) = (self.run_supervisor.clone(), id.clone());
                    run_to_completion("release runs", async move {
                        run_supervisor.release(&id).await;
                        Ok(())
                    })
                    .await?;
                }
                Ok(*message)
            }
            other => Err(unexpected_change(&other)),
        }
    }
}

/// Refuses to change a text that still grows: its producer would write on at a place that is gone.
fn check_not_streaming(message: &Message) -> Result<(), Refusal> {
    if message.state != State::Streaming {
        return Ok(());
    }
    let detail = format!("message {} is still being written: end it before you change it", message.id);
    Err(Refusal::new(Code::StreamOpen, detail))
}

fn check_body(body: &str) -> Result<(), Refusal> {
    text::check_not_blank(body)
        .and_then(|()| text::check_bytes(body, limits::MESSAGE_BODY_BYTES_MAX))
        .map_err(|refusal| refusal.at("body"))
}

impl Hub {
    /// Adds the caller's reaction to a message; adding it again changes nothing.
    pub async fn react(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::React(id.clone(), emoji.to_owned(), caller.member.clone());
        self.writer.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// Takes the caller's reaction back; taking it back again changes nothing.
    pub async fn unreact(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::Unreact(id.clone(), emoji.to_owned(), caller.member.clone());
        self.writer.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// The message as it is now, for who has reacted to it.
    async fn reacted(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let (mut message, _) = self.access.load_visible_message(caller, id).await?;
        self.streams.fill_streaming_text(&mut message).await?;
        Ok(access::shown_to(caller, message))
    }

    async fn load_message_to_react(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        check_emoji(emoji)?;
        let (message, membership) = self.access.load_visible_message(caller, id).await?;
        access::check_present(&message)?;
        access::check_write(&membership)?;
        Ok(message)
    }
}
