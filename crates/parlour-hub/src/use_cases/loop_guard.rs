//! Stops of the loop guard in a conversation, and their reset by a person.

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

use super::MessageService;
use crate::{Failure, failure::unexpected_change, host_message::host_message, ports::HistoryRange};

/// A stop of the loop guard that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardStop {
    pub mark: GuardMark,
    /// The host message about it.
    pub message_id: MessageId,
    pub at: Timestamp,
}

impl MessageService {
    /// The stops in a conversation since a person posted there or reset the guard, newest first, among the last
    /// `GUARD_WINDOW_MAX` messages.
    pub(crate) async fn loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Vec<GuardStop>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_conversation(caller, id).await?;
        let window = self.store.messages(id, HistoryRange::Newest, limits::GUARD_WINDOW_MAX).await?;
        let stops = loop_guard::active_stops(&window, self.clock.now()).into_iter();
        let stop =
            |(mark, told): (GuardMark, &Message)| GuardStop { mark, message_id: told.id.clone(), at: told.created_at };
        Ok(stops.map(stop).collect())
    }

    /// Resets the loop guard in a conversation and returns the host message about it. For people who may post there.
    pub(crate) async fn reset_loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Message, Failure> {
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
