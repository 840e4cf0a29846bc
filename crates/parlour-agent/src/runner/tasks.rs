//! Works on a task that is assigned to the agent.
//!
//! The runner claims a task by changing it from open to working; the hub lets only one process do that. The result is
//! posted in the task's thread. If there is no thread, or the agent may not write there, the result is appended to
//! the description as far as it fits. A task that is still `working` after its process died cannot be told from one
//! that another process works on, so it is left: a person opens it again.

use std::sync::Arc;

use parlour_core::{
    Code,
    handoff::{Handoff, find_handoffs},
    id::{ConversationId, MessageId},
    limits,
    member::Agent,
    name::Name,
    post::{NewMessageContext, PostMessage},
    task::{Task, TaskPatch, TaskStatus},
};

use super::{
    RunnerEvent,
    answer::{self, AnswerEnd, AnswerOutcome, EngineResult, WorkResult, new_message_in, run_engine},
    answer_control::AnswerControl,
    answer_writer::{AnswerWriter, NewAnswer},
    prompt,
    run_lease::{NewRun, RunLease},
    shared::{self, SharedState, fresh_id},
};
use crate::{link::FollowUpTask, streaming::retry_while_away};

/// Claims the task and works on it. `answer_id` is the id of the message with the result.
pub(super) async fn do_task(
    shared: &Arc<SharedState>,
    answer_id: MessageId,
    task: Task,
    control: Arc<AnswerControl>,
) -> WorkResult {
    let task = match claim_task(shared, task).await {
        Ok(task) => task,
        Err(done) => return done,
    };
    let mut writer = open_result_message(shared, answer_id, &task, &control).await;
    let result_message = writer.id().cloned();
    let (engine_result, lease) = work(shared, &control, &task, &mut writer).await;
    let usage = engine_result.usage.clone();
    let text = writer.text().to_owned();
    // A cut text keeps its marks: the message contains only a part of it.
    let body = remove_handoff_mentions(&text).filter(|_| !writer.is_cut());
    let engine_result = EngineResult { body, ..engine_result };
    let outcome = if result_message.is_some() {
        answer::close(shared, writer, engine_result).await.end
    } else {
        end_without_thread(shared, &writer, &engine_result)
    };
    lease.end(outcome.clone(), usage).await;
    finish(shared, &task, result_message.as_ref(), &outcome, &text).await;
    if outcome == AnswerEnd::Complete {
        create_follow_ups(shared, &task, result_message.as_ref(), &text).await;
    }
    WorkResult::Settled
}

/// Runs the engine for the task, as a run of its own.
async fn work(
    shared: &Arc<SharedState>,
    control: &Arc<AnswerControl>,
    task: &Task,
    writer: &mut AnswerWriter,
) -> (EngineResult, RunLease) {
    let request = NewRun {
        answer: writer.id().cloned(),
        label: task.title.clone(),
        conversation: task.thread_id.clone().map(ConversationId::from),
        task: Some(task.id.clone()),
        ..NewRun::default()
    };
    let mut lease = RunLease::begin(shared, control, request).await;
    let mut prompt = match prompt::of_task(shared, task.clone(), lease.run()).await {
        Ok(built) => lease.use_prompt(built),
        Err(error) => return (EngineResult::failed(&prompt::why_not(shared, &error)), lease),
    };
    prompt.run_id = lease.run().cloned();
    let engine_result = run_engine(shared, &prompt, writer, &lease).await;
    lease.report_rest().await;
    (engine_result, lease)
}

/// Claims the task for this process.
async fn claim_task(shared: &SharedState, task: Task) -> Result<Task, WorkResult> {
    let patch =
        TaskPatch { status: Some(TaskStatus::Working), if_status: Some(TaskStatus::Open), ..TaskPatch::default() };
    match shared.link.update_task(&task.id, patch).await {
        Ok(taken) => {
            shared.emit(RunnerEvent::Task(format!("taken up: {}", taken.title)));
            // An update does not always contain the thread.
            Ok(Task { thread_id: taken.thread_id.clone().or(task.thread_id), ..taken })
        }
        Err(error) if error.is(Code::TaskMoved) => {
            shared.emit(RunnerEvent::Passed(format!("somebody else has taken up the task: {}", task.title)));
            Err(WorkResult::Settled)
        }
        Err(error) => {
            shared.emit(RunnerEvent::Lost(error.to_string()));
            Err(if error.is_retryable() { WorkResult::Later } else { WorkResult::Refused })
        }
    }
}

/// Posts in the task's thread that the task was claimed, and opens the message for the result.
async fn open_result_message(
    shared: &Arc<SharedState>,
    id: MessageId,
    task: &Task,
    control: &Arc<AnswerControl>,
) -> AnswerWriter {
    let Some(thread) = &task.thread_id else { return AnswerWriter::without_message(shared, control) };
    let body = format!("{} has taken up “{}”.", shared.agent().name, task.title);
    let Some(notice) = post_notice(shared, task, None, body).await else {
        return AnswerWriter::without_message(shared, control);
    };
    // A reply to its own notice: otherwise the hub would take it for the answer to an open call of this thread.
    let request =
        PostMessage { stream: true, reply_to: Some(notice), ..new_message_about(task, &thread.clone().into()) };
    let mut writer = AnswerWriter::new(shared, NewAnswer { id, request, asker: task.title.clone() }, control);
    match writer.open().await {
        Ok(()) => writer,
        Err(_) => AnswerWriter::without_message(shared, control),
    }
}

/// Posts a notice in the thread of a task and returns its id; `None` if nothing can be posted there.
pub(super) async fn post_notice(
    shared: &SharedState,
    task: &Task,
    reply_to: Option<&MessageId>,
    body: String,
) -> Option<MessageId> {
    let thread = task.thread_id.clone()?;
    let (reply_to, is_notice) = (reply_to.cloned(), true);
    let request = PostMessage { body, reply_to, is_notice, ..new_message_about(task, &thread.into()) };
    let id = fresh_id();
    match retry_while_away(|| shared.link.post(&id, &request)).await {
        Ok(_) => Some(id),
        Err(error) => {
            shared.emit(RunnerEvent::Task(format!("nothing can be posted in the thread of {}: {error}", task.title)));
            None
        }
    }
}

fn new_message_about(task: &Task, conversation: &ConversationId) -> PostMessage {
    let context = NewMessageContext { task_id: Some(task.id.clone()), ..NewMessageContext::default() };
    PostMessage { context: Some(context), ..new_message_in(conversation) }
}

/// The end of a task whose result is not posted as a message.
fn end_without_thread(shared: &SharedState, writer: &AnswerWriter, engine_result: &EngineResult) -> AnswerEnd {
    match &engine_result.how {
        AnswerOutcome::Finished if !writer.is_blank() => AnswerEnd::Complete,
        AnswerOutcome::Cancelled(why) => AnswerEnd::Cancelled(Some(why.clone())),
        how => AnswerEnd::Failed(answer::reason(shared, how)),
    }
}

/// Sets the final status of the task, unless somebody has changed it meanwhile.
async fn finish(
    shared: &SharedState,
    task: &Task,
    result_message: Option<&MessageId>,
    outcome: &AnswerEnd,
    text: &str,
) {
    let (status, told) = match outcome.trouble() {
        None => (TaskStatus::Done, format!("done: {}", task.title)),
        Some(reason) => (TaskStatus::Failed, format!("failed: {}: {reason}", task.title)),
    };
    let description = result_message.is_none().then(|| described(shared, task, outcome, text));
    let patch =
        TaskPatch { status: Some(status), if_status: Some(TaskStatus::Working), description, ..TaskPatch::default() };
    let told = match retry_while_away(|| shared.link.update_task(&task.id, patch.clone())).await {
        Ok(_) => told,
        Err(error) => format!("{told} (it stays as it is: {error})"),
    };
    shared.emit(RunnerEvent::Task(told));
}

/// The description with the result appended. A text without room is cut and ends with `…`.
fn described(shared: &SharedState, task: &Task, outcome: &AnswerEnd, text: &str) -> String {
    let name = shared.agent().name;
    let before = task.description.as_deref().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let outcome = match outcome.trouble() {
        None => format!("Done by {name}:"),
        Some(reason) => format!("{name} has failed: {reason}"),
    };
    shared::cut_chars(format!("{before}{outcome}\n\n{text}").trim_end(), limits::DESCRIPTION_CHARS_MAX)
}

const HANDOFF_START: &str = "[HANDOFF:";

/// Removes the `@` of names in hand-off marks; `None` if there is none. The named agent gets a task and is not called
/// as well.
pub(super) fn remove_handoff_mentions(text: &str) -> Option<String> {
    let mut parts = text.split(HANDOFF_START);
    let mut remove_handoff_mentions = parts.next()?.to_owned();
    for part in parts {
        let name = part.trim_start();
        let blanks = &part[..part.len() - name.len()];
        remove_handoff_mentions.extend([HANDOFF_START, blanks, name.strip_prefix('@').unwrap_or(name)]);
    }
    (remove_handoff_mentions != text).then_some(remove_handoff_mentions)
}

/// Creates a task for each hand-off mark in this text and reports the results, in the task's thread if there is one.
pub(super) async fn create_follow_ups(shared: &SharedState, task: &Task, place: Option<&MessageId>, text: &str) {
    let handoffs = find_handoffs(text);
    if handoffs.is_empty() {
        return;
    }
    let agents = retry_while_away(|| shared.link.agents()).await.unwrap_or_default();
    let mut lines = Vec::new();
    for handoff in handoffs {
        lines.push(create_follow_up(shared, task, &agents, handoff).await);
    }
    if place.is_some() {
        post_notice(shared, task, place, lines.join("\n")).await;
    }
    lines.into_iter().for_each(|line| shared.emit(RunnerEvent::Task(line)));
}

/// Creates one task. It is not retried: a task that is created twice would be done twice.
async fn create_follow_up(shared: &SharedState, parent: &Task, agents: &[Agent], handoff: Handoff) -> String {
    let Handoff { name, title } = handoff;
    let Some(agent) = agents.iter().find(|agent| Name::fold(agent.name.as_str()) == Name::fold(&name)) else {
        return format!("“{title}” was not handed on: no agent here is called {name}.");
    };
    let description = Some(format!("Handed on by {} after “{}”.", shared.agent().name, parent.title));
    let assignee = agent.id.clone().into();
    let follow_up = FollowUpTask { parent: parent.clone(), title: title.clone(), description, assignee };
    match shared.link.follow_up(follow_up).await {
        Ok(_) => format!("“{title}” was handed on to {}.", agent.name),
        Err(error) => format!("“{title}” was not handed on to {}: {error}.", agent.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_off_mentions_nobody_and_the_other_text_stays() {
        let text = "Ask @Mara. [HANDOFF: @Critic \"RunCheck\"] [HANDOFF:@A b \"x\"] [HANDOFF: none]";
        let expected = "Ask @Mara. [HANDOFF: Critic \"RunCheck\"] [HANDOFF:A b \"x\"] [HANDOFF: none]";
        assert_eq!(remove_handoff_mentions(text).as_deref(), Some(expected));
        assert_eq!(remove_handoff_mentions("Ask @Mara. [HANDOFF: none]"), None);
    }
}
