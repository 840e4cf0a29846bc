//! Answers the calls of one conversation with one message.

use std::sync::Arc;

use parlour_core::{
    Code,
    call::Call,
    id::{ConversationId, MessageId},
    post::PostMessage,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    Report, closing,
    making::{How, Made, make},
    pen::{Opening, Pen},
    prompt,
    shared::Shared,
    words,
};
use crate::{link::LinkError, streaming::patiently};

/// Whether a thing to do is off the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It is.
    Settled,
    /// The hub could not be reached: what is still open there is to be done later.
    Later,
    /// The hub does not let the agent do it: it is not tried again.
    Refused,
}

/// Answers these calls: none is empty, oldest first. The answer is a reply to the last one.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    answer_id: MessageId,
    calls: Vec<Call>,
    ended: CancellationToken,
) -> Done {
    let Some(last) = calls.last() else { return Done::Settled };
    let may_be_silent = calls.iter().all(|call| call.reason.is_optional());
    let opening = Opening { id: answer_id, wish: wish(last, &shared.claim), asker: last.from.name.clone() };
    let mut pen = Pen::new(shared, opening, ended);
    // Somebody waits: let people see at once that the agent is at work.
    if !may_be_silent && let Err(error) = pen.open().await {
        return not_opened(shared, &calls, &error).await;
    }
    let made = match prompt::of_calls(shared, calls.clone()).await {
        Ok(prompt) if prompt.calls.is_empty() => Made::failed("what was asked is no longer there"),
        Ok(prompt) => make(shared, &prompt, &mut pen).await,
        Err(error) if error.is_retryable() && !pen.is_opened() => return Done::Later,
        Err(error) => Made::failed(&format!("the conversation could not be read: {error}")),
    };
    if let Some(error) = pen.not_opened().cloned() {
        return not_opened(shared, &calls, &error).await;
    }
    if !pen.is_opened() {
        return stay_silent(shared, &calls, &made).await;
    }
    closing::close(shared, pen, made).await;
    Done::Settled
}

/// The wish for the answer to a call.
fn wish(call: &Call, claim: &str) -> PostMessage {
    PostMessage {
        stream: true,
        reply_to: Some(call.message_id.clone()),
        correlation_id: call.correlation_id.clone(),
        metadata: json!({ "claim": claim }).as_object().cloned().unwrap_or_default(),
        ..wish_in(&call.conversation_id)
    }
}

/// An empty wish for a message there.
pub(super) fn wish_in(conversation: &ConversationId) -> PostMessage {
    let mut wish = PostMessage::default();
    match conversation.clone() {
        ConversationId::Channel(id) => wish.channel_id = Some(id),
        ConversationId::Thread(id) => wish.thread_id = Some(id),
        ConversationId::Dm(id) => wish.dm_id = Some(id),
    }
    wish
}

/// The hub did not take the beginning of the answer.
async fn not_opened(shared: &Shared, calls: &[Call], error: &LinkError) -> Done {
    if error.is(Code::ClientIdReused) {
        shared.tell(Report::Passed("another process has taken the call".to_owned()));
        return Done::Settled;
    }
    if error.is_retryable() {
        shared.tell(Report::Lost(error.to_string()));
        return Done::Later;
    }
    match error {
        LinkError::Over(_) => Done::Settled,
        _ => pass(shared, calls, Some(format!("the hub did not take an answer: {error}"))).await,
    }
}

/// The agent need not answer, and has written nothing.
async fn stay_silent(shared: &Shared, calls: &[Call], made: &Made) -> Done {
    match &made.how {
        // Whoever runs the agent next asks it again; and nobody waits for what is not wanted.
        How::Stopped | How::Unwanted => Done::Settled,
        How::Whole => pass(shared, calls, None).await,
        how => pass(shared, calls, Some(closing::reason(shared, how))).await,
    }
}

/// Says of each of these calls that it is not answered.
pub(super) async fn pass(shared: &Shared, calls: &[Call], reason: Option<String>) -> Done {
    let reason = reason.map(|reason| words::reason(&reason));
    for call in calls {
        if let Err(error) = patiently(|| shared.link.pass(&call.message_id, reason.clone())).await {
            shared.tell(Report::Lost(error.to_string()));
            return if error.is_retryable() { Done::Later } else { Done::Settled };
        }
    }
    shared.tell(Report::Passed(reason.unwrap_or_else(|| "it had nothing to say".to_owned())));
    Done::Settled
}
