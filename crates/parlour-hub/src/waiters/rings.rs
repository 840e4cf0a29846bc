use parlour_core::{event::Change, message::Message};

use super::Topic;

/// What those wait for who should look again after this change.
pub(super) fn topics_of(change: &Change) -> Vec<Topic> {
    let mut topics: Vec<Topic> = change.conversation_id().map(Topic::Conversation).into_iter().collect();
    match change {
        Change::MessagePosted(message) | Change::MessageFinished(message) => topics.extend(answered_by(message)),
        Change::MessageEdited(message) | Change::MessageRemoved(message) => {
            topics.push(Topic::Message(message.id.clone()));
        }
        Change::QuestionChanged(mark) => topics.push(Topic::Message(mark.message_id.clone())),
        Change::RunStarted(run) | Change::RunPaused(run) | Change::RunResumed(run) | Change::RunEnded(run) => {
            topics.push(Topic::Run(run.id.clone()));
        }
        _ => {}
    }
    topics
}

/// The messages that this one may have answered. An answer in a thread is to the message above it, which stands in
/// another conversation.
fn answered_by(message: &Message) -> impl Iterator<Item = Topic> {
    let question = message.answer_to.as_ref().map(|answer| answer.message_id.clone());
    let cause = message.cause.as_ref().and_then(|cause| cause.message_id.clone());
    [message.reply_to.clone(), question, cause].into_iter().flatten().map(Topic::Message)
}
