//! What an engine is asked: the calls, and as much of the conversation as it may see.

use std::collections::HashSet;

use parlour_core::{
    Code, audience,
    call::Call,
    id::{ConversationId, MessageId},
    limits,
    message::Message,
    task::Task,
};

use super::shared::Shared;
use crate::{
    engine::{Besides, Mode, Prompt},
    link::LinkError,
    streaming::patiently,
};

/// Messages are read beyond those that are shown, because some of them no model may see.
const READ_PER_SHOWN: usize = 2;

/// The prompt for these calls. Calls whose message is gone are left out; none is left when all are.
pub(super) async fn of_calls(shared: &Shared, calls: Vec<Call>) -> Result<Prompt, LinkError> {
    let conversation = calls[0].conversation_id.clone();
    let mut history = read_history(shared, &conversation).await?;
    for call in &calls {
        if history.iter().all(|message| message.id != call.message_id) {
            history.extend(read_called(shared, &call.message_id).await?);
        }
    }
    history.sort_by_key(|message| message.seq);
    let is_there = |call: &Call| history.iter().any(|message| message.id == call.message_id);
    let calls: Vec<_> = calls.into_iter().filter(is_there).collect();
    let last = calls.last().and_then(|last| history.iter().find(|message| message.id == last.message_id));
    let mode = last.map(mode_of).unwrap_or_default();
    Ok(Prompt { agent: shared.agent(), calls, history, task: None, mode, besides: Besides::default() })
}

/// The prompt for a task, with what was said in its thread.
pub(super) async fn of_task(shared: &Shared, task: Task) -> Result<Prompt, LinkError> {
    let history = match &task.thread_id {
        Some(thread) => read_history(shared, &thread.clone().into()).await?,
        None => Vec::new(),
    };
    Ok(Prompt {
        agent: shared.agent(),
        calls: Vec::new(),
        history,
        task: Some(task),
        mode: Mode::Auto,
        besides: Besides::default(),
    })
}

/// The messages in a prompt that the agent has not read yet. Where that cannot be learnt, nothing is said of any.
pub(super) async fn unread_of(shared: &Shared, prompt: &Prompt, conversation: &ConversationId) -> Vec<MessageId> {
    let unread: HashSet<_> = shared.link.unread(conversation).await.unwrap_or_default().into_iter().collect();
    let shown = prompt.history.iter().map(|message| &message.id);
    shown.filter(|id| unread.contains(*id)).cloned().collect()
}

async fn read_history(shared: &Shared, conversation: &ConversationId) -> Result<Vec<Message>, LinkError> {
    let shown = shared.options.history_len;
    let read = shown.saturating_mul(READ_PER_SHOWN).clamp(1, limits::PAGE_ITEMS_MAX);
    let mut messages = patiently(|| shared.link.history(conversation, read)).await?;
    messages.retain(audience::may_reach_model);
    let surplus = messages.len().saturating_sub(shown);
    Ok(messages.split_off(surplus))
}

/// The message of a call, unless it is gone or no model may see it.
async fn read_called(shared: &Shared, id: &MessageId) -> Result<Option<Message>, LinkError> {
    match patiently(|| shared.link.message(id)).await {
        Ok(message) => Ok(Some(message).filter(audience::may_reach_model)),
        Err(error) if error.is(Code::NotFound) || error.is(Code::Removed) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How far the sender of a message wants an agent to go.
fn mode_of(message: &Message) -> Mode {
    match message.metadata.get("execution_mode").and_then(|mode| mode.as_str()) {
        Some("plan") => Mode::Plan,
        _ => Mode::Auto,
    }
}
