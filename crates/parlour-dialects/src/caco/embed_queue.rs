//! Embeds wait until the answer begins that they belong to.

use std::collections::VecDeque;

use parlour_core::limits;
use serde_json::Value;

/// Events before which waiting embeds are told. Nothing comes after `session.idle`, so none waits beyond it.
const TRIGGERS: [&str; 4] = ["assistant.message_delta", "assistant.message", "session.error", "session.idle"];

/// The embeds of one session that were made and not told yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct EmbedQueue(VecDeque<Value>);

impl EmbedQueue {
    /// Lets an embed wait. When too many do, the oldest comes back and is to be told at once.
    #[must_use]
    pub fn queue(&mut self, embed: Value) -> Option<Value> {
        self.0.push_back(embed);
        if self.0.len() > limits::EMBEDS_QUEUED_MAX { self.0.pop_front() } else { None }
    }

    /// The embeds that are to be told right before an event of this type; they no longer wait.
    #[must_use]
    pub fn take_before(&mut self, event_type: &str) -> VecDeque<Value> {
        if TRIGGERS.contains(&event_type) { std::mem::take(&mut self.0) } else { VecDeque::new() }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What still waits when a history ends without an event that would tell it.
    pub fn finish(self) -> VecDeque<Value> {
        self.0
    }
}
