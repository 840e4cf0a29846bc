//! The loop guard of a conversation: what it has stopped, and lifting it.

use parlour_core::{
    Timestamp,
    access::Principal,
    id::{ConversationId, MessageId},
    loop_guard::GuardMark,
    message::Message,
    scope::Scope,
};

use crate::{Failure, Hub};

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
        self.admit(caller, Scope::MessagesRead)?;
        let _ = id;
        Err(parlour_core::Refusal::invalid("not built yet").into())
    }

    /// Lifts the loop guard in a conversation and answers the host message that says so: for people who may write there.
    pub async fn reset_loop_guard(&self, caller: &Principal, id: &ConversationId) -> Result<Message, Failure> {
        self.admit(caller, Scope::MessagesWrite)?;
        let _ = id;
        Err(parlour_core::Refusal::invalid("not built yet").into())
    }
}
