//! Calls: who is to answer what, agents that do not, and the loop guard.

use parlour_core::{
    call::{Call, PassedCall},
    id::{AgentId, ConversationId, MessageId},
    message::Message,
    paging::Page,
};
use serde_json::{Map, Value, json};

use super::Client;
use crate::{ClientError, answers::LoopGuard};

impl Client {
    /// Lists all open calls of an agent, oldest first: for the agent itself and administrators.
    pub async fn calls(&self, agent: &AgentId) -> Result<Page<Call>, ClientError> {
        self.whole_list(&format!("/agents/{agent}/calls"), &[]).await
    }

    /// Closes the caller's call by this message without an answer; one that is no longer open stays as it is.
    pub async fn pass_call(&self, message: &MessageId, reason: Option<&str>) -> Result<PassedCall, ClientError> {
        let request: Map<String, Value> =
            reason.map(|reason| ("reason".to_owned(), json!(reason))).into_iter().collect();
        self.post(&format!("/messages/{message}/pass"), &request).await
    }

    /// Lists what the loop guard has stopped in a conversation and not let go yet, newest first.
    pub async fn loop_guard(&self, id: &ConversationId) -> Result<LoopGuard, ClientError> {
        self.get(&format!("/conversations/{id}/loop-guard"), &[]).await
    }

    /// Lifts the loop guard in a conversation; the answer is the host message that says so there.
    pub async fn reset_loop_guard(&self, id: &ConversationId) -> Result<Message, ClientError> {
        self.act(&format!("/conversations/{id}/loop-guard/reset")).await
    }
}
