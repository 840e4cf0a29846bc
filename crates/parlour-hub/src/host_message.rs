//! Messages of the hub itself.

use parlour_core::{
    Timestamp,
    author::Author,
    call::Calls,
    id::{ConversationId, MessageId, ProjectId},
    message::Message,
    post::PostMessage,
    write::NewMessage,
};
use serde_json::Value;

/// A message of the hub: it calls nobody, is delivered to no inbox and reaches no model.
pub(crate) fn host_message(
    id: MessageId,
    project: &ProjectId,
    to: &ConversationId,
    body: String,
    content: Option<Value>,
    at: Timestamp,
) -> NewMessage {
    let request = PostMessage { id: Some(id.clone()), body, content, ..PostMessage::default() };
    let digest = request.digest();
    let plain = Message::plain(id, project.clone(), to.clone(), Author::host(), request.body, at);
    let message = Message { content: request.content, ..plain };
    NewMessage {
        message,
        digest,
        deliveries: Vec::new(),
        calls: Calls::default(),
        answers: None,
        answers_also: Vec::new(),
    }
}
