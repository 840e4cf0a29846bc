//! Edits, removals and reactions. The history records each of them.

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

use crate::{
    Failure,
    calling::report_wide_mention,
    failure::{run_to_completion, unexpected_change},
    use_cases::MessageService,
};

/// A request to edit the text of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditMessage {
    pub body: String,
}

impl MessageService {
    /// Edits the caller's own message. Newly mentioned agents get it into their inbox; no agent is called. Open calls of
    /// agents that the text no longer mentions are closed. Members that only the list of mentions named stay mentioned.
    pub(crate) async fn edit_message(
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
        let found = self.calls.resolve_edited_mentions(&message, &request.body).await?;
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

    /// Removes the text of a message; its number stays. An open stream ends. Repeating it changes nothing.
    pub(crate) async fn remove_message(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
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

/// Refuses to edit a streaming message: the next chunk of its producer would not fit.
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

impl MessageService {
    /// Adds the caller's reaction to a message; adding it again changes nothing.
    pub(crate) async fn react(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::React(id.clone(), emoji.to_owned(), caller.member.clone());
        self.writer.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// Removes the caller's reaction; removing it again changes nothing.
    pub(crate) async fn unreact(&self, caller: &Principal, id: &MessageId, emoji: &str) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let message = self.load_message_to_react(caller, id, emoji).await?;
        let write = Write::Unreact(id.clone(), emoji.to_owned(), caller.member.clone());
        self.writer.append(caller, &message.project_id, write).await?;
        self.reacted(caller, id).await
    }

    /// The message after a reaction.
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
