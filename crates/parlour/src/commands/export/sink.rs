//! Where exported messages go.

use serde_json::Value;

use super::Stop;

/// Takes messages one after another. What is not finished leaves nothing behind.
pub(super) trait Sink {
    /// Writes a message of this conversation.
    fn write(&mut self, conversation: &Conversation<'_>, value: Value) -> Result<(), Stop>;

    /// Writes what told of the steps of the message before, where the system has a place for it.
    fn write_told(&mut self, _conversation: &Conversation<'_>, _event: &Value) -> Result<(), Stop> {
        Ok(())
    }

    /// Puts everything into its place.
    fn finish(&mut self) -> Result<(), Stop>;

    /// How many were written.
    fn written(&self) -> u64;

    /// How many found no room.
    fn unwritten(&self) -> u64 {
        0
    }
}

/// What a conversation is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversation<'a> {
    /// As the system that is written for knows it.
    pub(super) foreign: &'a str,
    /// As it is called here.
    pub(super) title: &'a str,
}
