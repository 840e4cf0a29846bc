//! Builds the prompt of an engine from calls or a task and the context pack of the hub.
//!
//! All texts of others come from [`HubLink::context`](crate::link::HubLink::context), which redacts them. Only the
//! execution mode is read from the calling message itself.

use std::collections::HashSet;

use parlour_core::{
    Code,
    call::Call,
    context::{ContextFormat, ContextRequest, Level, Pack, Reason, Receipt, SubjectType},
    id::{ConversationId, MessageId, RunId},
    limits,
    message::Message,
    model_visibility,
    task::Task,
};

use super::shared::SharedState;
use crate::{
    engine::{Mode, Prompt},
    link::LinkError,
    streaming::retry_while_away,
};

/// Attempts to build a pack while messages of the calls are deleted.
const LOOKS_MAX: usize = 3;

/// A prompt, and the unread messages that it contains.
pub(super) struct BuiltPrompt {
    pub(super) prompt: Prompt,
    pub(super) shown: Vec<MessageId>,
}

/// Calls with their messages.
#[derive(Clone, Debug, Default)]
pub(super) struct CalledMessages(Vec<(Call, Message)>);

impl CalledMessages {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn ids(&self) -> Vec<MessageId> {
        self.0.iter().map(|(_, message)| message.id.clone()).collect()
    }
}

/// Reads the messages of these calls; omits calls whose message is deleted or hidden from models.
pub(super) async fn read_called(shared: &SharedState, calls: &[Call]) -> Result<CalledMessages, LinkError> {
    let mut called = CalledMessages::default();
    for call in calls {
        match retry_while_away(|| shared.link.message(&call.message_id)).await {
            Ok(message) if model_visibility::may_reach_model(&message) => called.0.push((call.clone(), message)),
            Ok(_) => {}
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(called)
}

/// The prompt of these calls for a run. It has no calls if all messages were deleted meanwhile.
pub(super) async fn of_calls(
    shared: &SharedState,
    mut called: CalledMessages,
    run: Option<&RunId>,
) -> Result<BuiltPrompt, LinkError> {
    for look in 1.. {
        let mut ids = called.ids();
        let Some(last) = ids.pop() else { break };
        let ask = ContextRequest { message_id: Some(last), together_with: ids, ..usual(shared) };
        match ask_for(shared, ask, run).await {
            // A message was deleted just now: answer the others.
            Err(error) if is_gone(&error) && look < LOOKS_MAX => {
                let calls: Vec<_> = called.0.iter().map(|(call, _)| call.clone()).collect();
                called = read_called(shared, &calls).await?;
            }
            outcome => return Ok(with_calls(shared, called, outcome?).await),
        }
    }
    Ok(BuiltPrompt { prompt: prompt(shared, None, Vec::new()), shown: Vec::new() })
}

/// The prompt of a task for a run, with the messages of its thread.
pub(super) async fn of_task(shared: &SharedState, task: Task, run: Option<&RunId>) -> Result<BuiltPrompt, LinkError> {
    let conversation: Option<ConversationId> = task.thread_id.clone().map(ConversationId::from);
    let ask = ContextRequest { task_id: Some(task.id.clone()), conversation_id: conversation.clone(), ..usual(shared) };
    let Pack { text, messages, receipt, task: shown_task, .. } = ask_for(shared, ask, run).await?;
    let shown = shown_unread(shared, &receipt, conversation.as_ref()).await;
    let task = Some(shown_task.unwrap_or_else(|| without_words(task)));
    Ok(BuiltPrompt { prompt: Prompt { task, ..prompt(shared, Some(text), messages) }, shown })
}

/// Why no prompt could be built, for people.
pub(super) fn why_not(shared: &SharedState, error: &LinkError) -> String {
    let name = shared.agent().name;
    match error {
        LinkError::Refused { detail, .. } if error.is(Code::BudgetTooSmall) => format!(
            "the context budget of {name} is too small: {detail}. Raise it in the settings of the project or of the agent"
        ),
        error => format!("the hub returned no context for {name}: {error}"),
    }
}

async fn with_calls(shared: &SharedState, called: CalledMessages, pack: Pack) -> BuiltPrompt {
    let Pack { text, messages, receipt, .. } = pack;
    let is_shown = |call: &Call| messages.iter().any(|message| message.id == call.message_id);
    let kept: Vec<_> = called.0.into_iter().filter(|(call, _)| is_shown(call)).collect();
    let mode = kept.last().map(|(_, message)| mode_of(message)).unwrap_or_default();
    let place = kept.last().map(|(call, _)| call.conversation_id.clone());
    let shown = shown_unread(shared, &receipt, place.as_ref()).await;
    let calls = kept.into_iter().map(|(call, _)| call).collect();
    BuiltPrompt { prompt: Prompt { calls, mode, ..prompt(shared, Some(text), messages) }, shown }
}

fn prompt(shared: &SharedState, pack: Option<String>, history: Vec<Message>) -> Prompt {
    Prompt {
        agent: shared.agent(),
        calls: Vec::new(),
        pack,
        history,
        task: None,
        mode: Mode::Auto,
        run_id: None,
        rejected_answer: None,
    }
}

/// A request for a pack with the message list.
fn usual(shared: &SharedState) -> ContextRequest {
    let messages_max = shared.options.history_len.clamp(1, limits::CONTEXT_LIST_MESSAGES_MAX);
    ContextRequest {
        format: ContextFormat::Native,
        messages_max: Some(messages_max as u64),
        command: shared.engine.command(),
        ..ContextRequest::default()
    }
}

/// Requests a pack for a run; without a run if that has ended. A pack without a run is not recorded.
async fn ask_for(shared: &SharedState, ask: ContextRequest, run: Option<&RunId>) -> Result<Pack, LinkError> {
    let kept = ContextRequest { run_id: run.cloned(), ..ask.clone() };
    match retry_while_away(|| shared.link.context(&kept)).await {
        // The end of the run is handled elsewhere.
        Err(error) if run.is_some() && error.is(Code::RunEnded) => retry_while_away(|| shared.link.context(&ask)).await,
        outcome => outcome,
    }
}

/// The unread messages whose text is in the pack, according to its receipt. Messages that are only listed as a handle are
/// not counted.
async fn shown_unread(shared: &SharedState, receipt: &Receipt, place: Option<&ConversationId>) -> Vec<MessageId> {
    // If the hub does not answer, only the receipt tells which messages are unread.
    let unread: HashSet<String> = match place {
        Some(place) => shared.link.unread(place).await.unwrap_or_default().iter().map(ToString::to_string).collect(),
        None => HashSet::new(),
    };
    let items = receipt.items.iter().filter(|item| item.subject_type == SubjectType::Message);
    let shown = items.filter(|item| item.level.is_some_and(|level| level != Level::Handle));
    let new = shown.filter(|item| item.reasons.contains(&Reason::Unread) || unread.contains(&item.id));
    new.filter_map(|item| item.id.parse().ok()).collect()
}

/// A task without its texts, if the hub returned no redacted ones.
fn without_words(task: Task) -> Task {
    Task { title: format!("the task {}", task.id), description: None, ..task }
}

fn is_gone(error: &LinkError) -> bool {
    error.is(Code::NotFound) || error.is(Code::Removed)
}

/// The execution mode that the sender of a message requests.
fn mode_of(message: &Message) -> Mode {
    match message.metadata.get("execution_mode").and_then(|mode| mode.as_str()) {
        Some("plan") => Mode::Plan,
        _ => Mode::Auto,
    }
}
