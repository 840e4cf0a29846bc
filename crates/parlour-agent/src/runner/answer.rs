//! Answers the calls of one conversation with one message: opens the message, builds the prompt, runs the engine and
//! sets the final state of the message.

use std::{any::Any, panic::AssertUnwindSafe, slice, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use parlour_core::{
    Code,
    call::Call,
    engine::Usage,
    id::{ConversationId, MessageId},
    limits,
    live::{Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
};
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    RunnerEvent,
    answer_control::AnswerControl,
    answer_writer::{AnswerWriter, NewAnswer},
    prompt,
    run_lease::{NewRun, RunLease},
    shared::{self, SharedState, fresh_id},
};
use crate::{
    answers::AnswerProblem,
    engine::{Completion, EngineError, Prompt},
    link::LinkError,
    streaming::{Ending, StreamError, retry_while_away},
};

const GONE: &str = "what was asked is no longer there";

/// Whether the supervisor must retry a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkResult {
    Settled,
    /// The hub could not be reached: retry later.
    Later,
    /// The hub refused the work: do not retry.
    Refused,
}

/// Result of answering calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnswerResult {
    pub(super) done: WorkResult,
    /// Whether the answer settled the question that it replies to.
    pub(super) settled_question: bool,
    /// Whether another process of the agent writes or wrote the answer.
    pub(super) is_elsewhere: bool,
}

impl AnswerResult {
    fn to(done: WorkResult) -> Self {
        Self { done, settled_question: false, is_elsewhere: false }
    }
}

/// Answers these calls, oldest first; the answer is a reply to the last one.
pub(super) async fn answer(
    shared: &Arc<SharedState>,
    answer_id: MessageId,
    calls: Vec<Call>,
    control: Arc<AnswerControl>,
) -> AnswerResult {
    let Some(last) = calls.last() else { return AnswerResult::to(WorkResult::Settled) };
    let may_be_silent = calls.iter().all(|call| call.reason.is_optional());
    let mut writer = AnswerWriter::new(shared, new_answer(shared, answer_id.clone(), &calls), &control);
    // An answer is required, so open the message at once: people see that the agent works.
    if !may_be_silent && let Err(error) = writer.open().await {
        return not_opened(shared, &calls, &error).await;
    }
    let called = match prompt::read_called(shared, &calls).await {
        Ok(called) if called.is_empty() => return fail_early(shared, writer, None, &calls, GONE).await,
        Ok(called) => called,
        Err(error) if error.is_retryable() && !writer.is_opened() => return AnswerResult::to(WorkResult::Later),
        Err(error) => return fail_early(shared, writer, None, &calls, &prompt::why_not(shared, &error)).await,
    };
    let request = NewRun {
        answer: Some(answer_id),
        label: format!("Answer {}", last.from.name),
        conversation: Some(last.conversation_id.clone()),
        message: Some(last.message_id.clone()),
        task: None,
    };
    // Start the run before building the prompt: the hub stores the context of the model with the run.
    let mut lease = RunLease::begin(shared, &control, request).await;
    let mut prompt = match prompt::of_calls(shared, called, lease.run()).await {
        Ok(built) if built.prompt.calls.is_empty() => {
            return fail_early(shared, writer, Some(lease), &calls, GONE).await;
        }
        Ok(built) => lease.use_prompt(built),
        // A retry continues the same run.
        Err(error) if error.is_retryable() && !writer.is_opened() => return AnswerResult::to(WorkResult::Later),
        Err(error) => return fail_early(shared, writer, Some(lease), &calls, &prompt::why_not(shared, &error)).await,
    };
    prompt.run_id = lease.run().cloned();
    let result = run_engine(shared, &prompt, &mut writer, &lease).await;
    lease.report_rest().await;
    finish(shared, &control, lease, writer, result, prompt, &calls).await
}

/// Ends the answer without running the engine.
async fn fail_early(
    shared: &Arc<SharedState>,
    writer: AnswerWriter,
    lease: Option<RunLease>,
    calls: &[Call],
    reason: &str,
) -> AnswerResult {
    let result = EngineResult::failed(reason);
    let (done, end) = if writer.is_opened() {
        (WorkResult::Settled, close(shared, writer, result).await.end)
    } else {
        (stay_silent(shared, calls, &result).await, AnswerEnd::Failed(reason.to_owned()))
    };
    if let Some(lease) = lease {
        lease.end(end, None).await;
    }
    AnswerResult::to(done)
}

/// Ends the message and then the run.
async fn finish(
    shared: &Arc<SharedState>,
    control: &Arc<AnswerControl>,
    lease: RunLease,
    writer: AnswerWriter,
    result: EngineResult,
    prompt: Prompt,
    calls: &[Call],
) -> AnswerResult {
    let usage = result.usage.clone();
    if let Some(error) = writer.not_opened().cloned() {
        let result = not_opened(shared, calls, &error).await;
        // If two processes share the run, the one that writes the answer ends it.
        if !result.is_elsewhere {
            lease.end(AnswerEnd::Failed(error.to_string()), usage).await;
        }
        return result;
    }
    if !writer.is_opened() {
        let done = stay_silent(shared, calls, &result).await;
        lease.end(end_without_message(shared, &result.how), usage).await;
        return AnswerResult::to(done);
    }
    let mut ended = close(shared, writer, result).await;
    if let (Some(problem), Some(last)) = (ended.problem.take(), calls.last()) {
        ended = retry_rejected_answer(shared, control, &lease, prompt, problem.detail, last).await.unwrap_or(ended);
    }
    lease.end(ended.end, usage).await;
    AnswerResult { settled_question: ended.settled_question, ..AnswerResult::to(WorkResult::Settled) }
}

/// Runs the engine once more with the reason why the hub rejected its answer to the question.
async fn retry_rejected_answer(
    shared: &Arc<SharedState>,
    control: &Arc<AnswerControl>,
    lease: &RunLease,
    mut prompt: Prompt,
    problem: String,
    last: &Call,
) -> Option<ClosedMessage> {
    prompt.rejected_answer = Some(problem);
    let mut writer = AnswerWriter::new(shared, new_answer(shared, fresh_id(), slice::from_ref(last)), control);
    writer.open().await.ok()?;
    let result = run_engine(shared, &prompt, &mut writer, lease).await;
    Some(close(shared, writer, result).await)
}

/// The message that answers these calls. There is at least one.
fn new_answer(shared: &SharedState, id: MessageId, calls: &[Call]) -> NewAnswer {
    let asker = calls.last().map(|last| last.from.name.clone()).unwrap_or_default();
    NewAnswer { id, request: answer_request(calls, &shared.claim), asker }
}

fn end_without_message(shared: &SharedState, how: &AnswerOutcome) -> AnswerEnd {
    match how {
        AnswerOutcome::Finished => AnswerEnd::Complete,
        AnswerOutcome::Unwanted | AnswerOutcome::Cancelled(_) => AnswerEnd::Cancelled(None),
        how => AnswerEnd::Failed(reason(shared, how)),
    }
}

/// The request replies to the last call and lists the others: all of them were in the prompt.
fn answer_request(calls: &[Call], claim: &str) -> PostMessage {
    let Some((last, others)) = calls.split_last() else { return PostMessage::default() };
    PostMessage {
        stream: true,
        reply_to: Some(last.message_id.clone()),
        answers: others.iter().map(|call| call.message_id.clone()).collect(),
        correlation_id: last.correlation_id.clone(),
        metadata: json!({ "claim": claim }).as_object().cloned().unwrap_or_default(),
        ..new_message_in(&last.conversation_id)
    }
}

/// An empty message for this conversation.
pub(super) fn new_message_in(conversation: &ConversationId) -> PostMessage {
    let mut request = PostMessage::default();
    match conversation.clone() {
        ConversationId::Channel(id) => request.channel_id = Some(id),
        ConversationId::Thread(id) => request.thread_id = Some(id),
        ConversationId::Dm(id) => request.dm_id = Some(id),
    }
    request
}

/// Handles a refused or failed start of the answer.
async fn not_opened(shared: &SharedState, calls: &[Call], error: &LinkError) -> AnswerResult {
    if error.is(Code::ClientIdReused) {
        shared.emit(RunnerEvent::Passed("another process has taken the call".to_owned()));
        return AnswerResult { is_elsewhere: true, ..AnswerResult::to(WorkResult::Settled) };
    }
    if error.is_retryable() {
        shared.emit(RunnerEvent::Lost(error.to_string()));
        return AnswerResult::to(WorkResult::Later);
    }
    AnswerResult::to(match error {
        LinkError::Over(_) => WorkResult::Settled,
        _ => pass(shared, calls, Some(format!("the hub did not take an answer: {error}"))).await,
    })
}

/// Passes the calls, because the engine wrote nothing and no answer is required.
async fn stay_silent(shared: &SharedState, calls: &[Call], result: &EngineResult) -> WorkResult {
    match &result.how {
        // The calls stay open for the next process, or nobody waits for them.
        AnswerOutcome::ShutDown | AnswerOutcome::Unwanted | AnswerOutcome::Cancelled(_) => WorkResult::Settled,
        AnswerOutcome::Finished => pass(shared, calls, None).await,
        how => pass(shared, calls, Some(reason(shared, how))).await,
    }
}

/// Reports to the hub that these calls are not answered.
pub(super) async fn pass(shared: &SharedState, calls: &[Call], reason: Option<String>) -> WorkResult {
    let reason = reason.map(|reason| shared::clean_reason(&reason));
    for call in calls {
        if let Err(error) = retry_while_away(|| shared.link.pass(&call.message_id, reason.clone())).await {
            shared.emit(RunnerEvent::Lost(error.to_string()));
            return if error.is_retryable() { WorkResult::Later } else { WorkResult::Settled };
        }
    }
    shared.emit(RunnerEvent::Passed(reason.unwrap_or_else(|| "it had nothing to say".to_owned())));
    WorkResult::Settled
}

/// Time limit for an engine to return after it was stopped; then it is dropped.
const ENGINE_STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// Result of running the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineResult {
    pub(super) how: AnswerOutcome,
    pub(super) usage: Option<Usage>,
    /// The final text, if it differs from the written one.
    pub(super) body: Option<String>,
}

/// Why the engine's work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerOutcome {
    Finished,
    EngineError(String),
    Panicked,
    /// The time limit was exceeded.
    TimeUp,
    /// The message was removed, stopped or answered elsewhere.
    Unwanted,
    /// The run was cancelled, with the reason.
    Cancelled(String),
    /// The text exceeded the size limit.
    TooLong,
    ShutDown,
}

type Caught = Result<Result<Completion, EngineError>, Box<dyn Any + Send>>;

/// Runs the engine and, meanwhile, the lease of the run. If something else ends the answer, the engine is stopped and
/// gets a few seconds to return. If the engine finishes while its run is paused, the result is held until it continues.
pub(super) async fn run_engine(
    shared: &SharedState,
    prompt: &Prompt,
    writer: &mut AnswerWriter,
    lease: &RunLease,
) -> EngineResult {
    let (ended, full, stop) = (writer.ended().clone(), writer.full().clone(), CancellationToken::new());
    let control = writer.control().clone();
    let mut signals = control.signals();
    let answering = AssertUnwindSafe(shared.engine.answer(prompt, writer, stop.clone())).catch_unwind();
    tokio::pin!(answering);
    let mut outcome = None;
    let working = async {
        outcome = Some((&mut answering).await);
        if matches!(outcome, Some(Ok(Ok(_)))) {
            control.mark_prompt_read();
        }
        control.wait_until_open().await;
    };
    let how = tokio::select! {
        biased;
        () = working => None,
        () = ended.cancelled() => Some(AnswerOutcome::Unwanted),
        () = full.cancelled() => Some(AnswerOutcome::TooLong),
        () = shared.stopping.cancelled() => Some(AnswerOutcome::ShutDown),
        why = lease.drive() => Some(AnswerOutcome::Cancelled(why)),
        () = signals.worked_for(shared.options.answer_time_max) => Some(AnswerOutcome::TimeUp),
    };
    if let Some(outcome) = outcome {
        return engine_result(outcome, how.or_else(|| interruption(&ended, &full)));
    }
    stop.cancel();
    match timeout(ENGINE_STOP_TIME_MAX, answering).await {
        Ok(outcome) => engine_result(outcome, how),
        Err(_) => EngineResult { how: how.unwrap_or(AnswerOutcome::ShutDown), usage: None, body: None },
    }
}

/// The interruption that makes the engine return early, if any.
fn interruption(ended: &CancellationToken, full: &CancellationToken) -> Option<AnswerOutcome> {
    match () {
        () if full.is_cancelled() => Some(AnswerOutcome::TooLong),
        () if ended.is_cancelled() => Some(AnswerOutcome::Unwanted),
        () => None,
    }
}

fn engine_result(outcome: Caught, cut: Option<AnswerOutcome>) -> EngineResult {
    let (how, usage) = match outcome {
        Ok(Ok(Completion { usage })) => (AnswerOutcome::Finished, usage),
        Ok(Err(EngineError { reason, usage })) => (AnswerOutcome::EngineError(reason), usage),
        Err(_) => (AnswerOutcome::Panicked, None),
    };
    EngineResult { how: cut.unwrap_or(how), usage, body: None }
}

/// Final state of an answer's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    Complete,
    Failed(String),
    Cancelled(Option<String>),
}

impl AnswerEnd {
    /// The reason why the answer is incomplete; `None` if it is complete.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Failed(reason) => Some(reason.clone()),
            Self::Cancelled(reason) => Some(reason.clone().unwrap_or_else(|| "it was stopped".to_owned())),
        }
    }
}

/// An answer's message after its end.
#[derive(Clone, Debug)]
pub(super) struct ClosedMessage {
    pub(super) end: AnswerEnd,
    /// Whether it settled the question that it replies to.
    pub(super) settled_question: bool,
    /// Why the hub did not accept it as the answer to the question.
    pub(super) problem: Option<AnswerProblem>,
}

impl EngineResult {
    pub(super) fn failed(reason: &str) -> Self {
        Self { how: AnswerOutcome::EngineError(reason.to_owned()), usage: None, body: None }
    }
}

/// Ends the open message and emits the result.
pub(super) async fn close(shared: &SharedState, writer: AnswerWriter, result: EngineResult) -> ClosedMessage {
    let Some(id) = writer.id().cloned() else {
        return ClosedMessage::without_message(AnswerEnd::Failed(reason(shared, &result.how)));
    };
    let outcome = match ending(shared, &writer, result) {
        Some(ending) => writer.end(ending).await,
        None => Err(writer.why_ended().await.unwrap_or(StreamError::Over)),
    };
    let (settled_question, problem) = match &outcome {
        Ok(finished) => (finished.message.answer_to.is_some(), finished.answer_problem.clone()),
        Err(_) => (false, None),
    };
    let (state, reason) = match outcome {
        Ok(finished) => state_and_reason(finished.message),
        Err(error) => explain(shared, &id, error).await,
    };
    shared.emit(RunnerEvent::Ended { answer_id: id, state, reason: reason.clone() });
    let end = match state {
        State::Complete => AnswerEnd::Complete,
        State::Cancelled => AnswerEnd::Cancelled(reason),
        _ => AnswerEnd::Failed(reason.unwrap_or_else(|| "it was stopped".to_owned())),
    };
    ClosedMessage { end, settled_question, problem }
}

impl ClosedMessage {
    pub(super) fn without_message(end: AnswerEnd) -> Self {
        Self { end, settled_question: false, problem: None }
    }
}

/// The request that ends the message; `None` if the message has already ended.
fn ending(
    shared: &SharedState,
    writer: &AnswerWriter,
    EngineResult { how, usage, body }: EngineResult,
) -> Option<Ending> {
    match how {
        AnswerOutcome::Unwanted => None,
        AnswerOutcome::Cancelled(why) => Some(Ending::Cancel(Cancel { reason: Some(shared::clean_reason(&why)) })),
        AnswerOutcome::Finished if !writer.is_blank() => {
            Some(Ending::Complete(Complete { body, usage, ..Complete::default() }))
        }
        how => Some(Ending::Fail(Fail { reason: reason(shared, &how), body: None, usage })),
    }
}

/// The reason why the answer is incomplete, for people.
pub(super) fn reason(shared: &SharedState, how: &AnswerOutcome) -> String {
    let name = shared.agent().name;
    match how {
        AnswerOutcome::Finished => format!("{name} had nothing to say"),
        AnswerOutcome::EngineError(reason) => shared::clean_reason(reason),
        AnswerOutcome::Panicked => format!("{name} broke down: its program has a fault"),
        AnswerOutcome::TimeUp => {
            format!("{name} was stopped: an answer may take {}", format_duration(shared.options.answer_time_max))
        }
        AnswerOutcome::TooLong => {
            format!("{name} was stopped: an answer may have {} MiB", limits::ANSWER_BYTES_MAX / (1024 * 1024))
        }
        AnswerOutcome::ShutDown => format!("{name} was stopped"),
        AnswerOutcome::Cancelled(why) => shared::clean_reason(why),
        AnswerOutcome::Unwanted => "nobody wants the answer any more".to_owned(),
    }
}

fn format_duration(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} seconds"),
    }
}

fn state_and_reason(message: Message) -> (State, Option<String>) {
    (message.state, message.reason)
}

/// The final state of a message that could not be ended as requested.
async fn explain(shared: &SharedState, id: &MessageId, error: StreamError<LinkError>) -> (State, Option<String>) {
    match error {
        StreamError::Ended(message) => state_and_reason(*message),
        // The hub rejected the final text: end the message as failed instead of leaving it open.
        StreamError::Call(error @ LinkError::Refused { .. }) => fail(shared, id, &error.to_string()).await,
        StreamError::Over => end_unwanted(shared, id).await,
        error => (State::Interrupted, Some(error.to_string())),
    }
}

/// The final state of a message that is no longer wanted. If only its task was withdrawn, the message is still open
/// and is ended here.
async fn end_unwanted(shared: &SharedState, id: &MessageId) -> (State, Option<String>) {
    match read_end(shared, id).await {
        (State::Streaming, _) => fail(shared, id, &reason(shared, &AnswerOutcome::Unwanted)).await,
        end => end,
    }
}

async fn fail(shared: &SharedState, id: &MessageId, reason: &str) -> (State, Option<String>) {
    let end = Fail { reason: shared::clean_reason(reason), ..Fail::default() };
    match retry_while_away(|| shared.link.fail(id, end.clone())).await {
        Ok(message) => state_and_reason(message),
        Err(_) => read_end(shared, id).await,
    }
}

async fn read_end(shared: &SharedState, id: &MessageId) -> (State, Option<String>) {
    match retry_while_away(|| shared.link.message(id)).await {
        Ok(message) => state_and_reason(message),
        Err(error) => (State::Interrupted, Some(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_a_fitting_unit() {
        let told = |seconds| format_duration(Duration::from_secs(seconds));
        assert_eq!([told(600), told(90), told(5)], ["10 minutes", "90 seconds", "5 seconds"]);
    }
}
