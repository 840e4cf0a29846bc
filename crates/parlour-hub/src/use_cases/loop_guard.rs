//! The loop guard of a conversation: what it has stopped, and lifting it.

use parlour_core::{
    Timestamp,
    access::{self, Principal},
    event::Change,
    id::{ConversationId, MessageId},
    limits,
    loop_guard::{self, GuardMark},
    message::Message,
    scope::Scope,
    write::Write,
};

use super::projects::unexpected_change;
use crate::{Failure, Hub, host_message::host_message, ports::HistoryRange};

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
        self.require_scope(caller, Scope::MessagesRead)?;
        self.load_visible_conversation(caller, id).await?;
        let window = self.store.messages(id, HistoryRange::Newest, limits::GUARD_WINDOW_MAX).await?;
        let stops = loop_guard::standing_stops(&window, self.clock.now()).into_iter();
        let stop =
            |(mark, told): (GuardMark, &Message)| GuardStop { mark, message_id: told.id.clone(), at: told.created_at };
        Ok(stops.map(stop).collect())
    }

    /// Lifts the loop guard in a conversation and answers the host message that says so: for people who may write there.
    pub async fn reset_loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Message, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        caller.person()?;
        let (conversation, membership) = self.load_visible_conversation(caller, id).await?;
        access::check_write(&membership)?;
        let project = conversation.project_id();
        self.charge_post(project)?;
        let mark = GuardMark::Reset { by: caller.member.clone() };
        let text = loop_guard::reset_text(&caller.author());
        let message_id = MessageId::from_bits(self.ids.next_bits());
        let new = host_message(message_id, project, id, text, Some(mark.content()), self.clock.now());
        match self.append(caller, project, Write::PostMessage(new)).await?.change {
            Change::MessagePosted(message) => Ok(*message),
            other => Err(unexpected_change(&other)),
        }
    }
}
