//! The engine interface: an engine writes the answers of an agent. Implementations are in `engines`.

use std::{future::pending, time::Duration};

use async_trait::async_trait;
use parlour_core::{
    call::Call,
    engine::Usage,
    id::{MemberId, RunId},
    member::Agent,
    message::Message,
    question::{NewQuestion, QuestionState},
    step::{FinishStep, StartStep},
    task::Task,
};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

/// Writes the answers of an agent.
///
/// An engine writes its answer in parts and returns when it is complete. When `stop` is cancelled (the answer was
/// stopped, took too long, or the runner shuts down), it releases everything it started and returns within a few
/// seconds. An engine never fails silently: it returns an [`EngineError`] for people.
///
/// An answer can be paused: then writes wait until it continues. An engine that works on meanwhile, for example in
/// another process, must follow [`AnswerSink::signals`].
#[async_trait]
pub trait Engine: Send + Sync {
    /// A short description for people, for example `exec: claude -p`, shown with the agent's presence.
    fn runtime(&self) -> String;

    /// The command prefix that acts as the agent, if the engine has a shell and the agent's token. The hub's texts
    /// then name commands instead of tools.
    fn command(&self) -> Option<String> {
        None
    }

    /// Writes the answer.
    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError>;
}

/// The input of an engine.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The agent with its instructions.
    pub agent: Agent,
    /// The calls to answer, oldest first: several if they arrived in quick succession, none for a task.
    pub calls: Vec<Call>,
    /// Context from the hub besides the conversation: project, neighbours, task, files, news from elsewhere. Already
    /// quoted and bounded; belongs into the system prompt.
    pub pack: Option<String>,
    /// The last messages of the conversation, oldest first, with the texts that a model may see: without secrets,
    /// attachments and metadata. Contains the messages of the calls with their questions.
    pub history: Vec<Message>,
    /// The task to work on.
    pub task: Option<Task>,
    /// Whether the engine may act or only plan.
    pub mode: Mode,
    /// The run that the answer belongs to, if the hub accepted one.
    pub run_id: Option<RunId>,
    /// Why the hub rejected the agent's previous answer to the same question. The engine gets one more attempt.
    pub rejected_answer: Option<String>,
}

/// The execution mode of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Do the work.
    #[default]
    Auto,
    /// Describe what would be done; change nothing.
    Plan,
}

impl Prompt {
    /// Whether the agent may stay silent: every call is optional.
    pub fn is_optional(&self) -> bool {
        self.task.is_none() && self.calls.iter().all(|call| call.reason.is_optional())
    }
}

/// The output of an engine. Written text is shown to readers at once.
#[async_trait]
pub trait AnswerSink: Send {
    /// Appends to the text. An error means that the answer is no longer wanted: return soon.
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped>;

    /// Reports the start of a step, for example of a tool call.
    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped>;

    /// Reports the end of a step.
    async fn finish_step(&mut self, step_id: &str, end: FinishStep) -> Result<(), AnswerStopped>;

    /// The pause signals of this answer; by default it is never paused.
    fn signals(&self) -> EngineSignals {
        EngineSignals::default()
    }

    /// Asks a member a question and waits for the answer; the run is paused meanwhile. Not every answer supports it.
    async fn ask(&mut self, question: EngineQuestion) -> Result<QuestionReply, AskError> {
        let _ = question;
        Err(AskError::new("nothing can be asked here"))
    }
}

/// The answer was stopped or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer was stopped")]
pub struct AnswerStopped;

/// A complete answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Token usage, if a model was used.
    pub usage: Option<Usage>,
}

/// Why an answer is incomplete, in words for people. The text written so far stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct EngineError {
    /// The problem and what to do about it. Must not contain secrets: everybody in the conversation reads it.
    pub reason: String,
    /// Token usage up to the error.
    pub usage: Option<Usage>,
}

impl EngineError {
    /// An error without token usage.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), usage: None }
    }
}

impl From<AnswerStopped> for EngineError {
    fn from(stopped: AnswerStopped) -> Self {
        Self::new(stopped.to_string())
    }
}

/// A question of an engine to one member. It is posted as a blocking message in the conversation of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineQuestion {
    /// The addressee.
    pub whom: MemberId,
    /// The question in Markdown.
    pub body: String,
    /// Options, expiry and default.
    pub ask: NewQuestion,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionReply {
    /// How the question ended.
    pub state: QuestionState,
    /// The id of the chosen option.
    pub option: Option<String>,
    /// The value, if the question has a schema.
    pub value: Option<Value>,
    /// The text of a free answer.
    pub text: Option<String>,
    /// Whether the default was used because nobody answered.
    pub is_default: bool,
}

/// Why a question could not be asked, or its answer could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct AskError {
    /// The reason, for people.
    pub reason: String,
}

impl AskError {
    /// Creates the error.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Whether an answer is written, held or paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerFlow {
    /// Writes wait for the result of a checkpoint.
    pub is_held: bool,
    /// The run is paused.
    pub is_paused: bool,
    /// The engine waits for the answer to its own question.
    pub is_asking: bool,
}

impl AnswerFlow {
    /// Whether writes are accepted.
    pub fn is_open(self) -> bool {
        !self.is_held && !self.is_paused
    }

    /// Whether the time limit counts.
    pub fn is_timed(self) -> bool {
        !self.is_paused && !self.is_asking
    }
}

/// The processes that an engine has started for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineProcesses {
    /// There are none.
    #[default]
    None,
    /// They run.
    Running,
    /// They are stopped until the answer continues.
    Stopped,
}

/// Pause signals of one answer. The default is an answer that is never paused.
#[derive(Clone, Debug)]
pub struct EngineSignals {
    flow: watch::Receiver<AnswerFlow>,
    given: CancellationToken,
    processes: watch::Sender<EngineProcesses>,
}

impl Default for EngineSignals {
    fn default() -> Self {
        // The sender is dropped, so the value never changes.
        Self::new(watch::channel(AnswerFlow::default()).1, CancellationToken::new())
    }
}

impl EngineSignals {
    /// EngineSignals that follow this flow; `given` is cancelled when the prompt was handed over.
    pub fn new(flow: watch::Receiver<AnswerFlow>, given: CancellationToken) -> Self {
        Self { flow, given, processes: watch::Sender::default() }
    }

    /// The same signals; the state of the engine's processes is reported to this channel.
    #[must_use]
    pub fn reporting_to(self, processes: watch::Sender<EngineProcesses>) -> Self {
        Self { processes, ..self }
    }

    /// Reports the state of the engine's processes. A checkpoint waits until none of them runs.
    pub fn report_processes(&self, state: EngineProcesses) {
        self.processes.send_replace(state);
    }

    /// Records that the model or program got the prompt. Writing output implies it.
    pub fn mark_prompt_delivered(&self) {
        self.given.cancel();
    }

    /// Waits until the answer is held for a checkpoint or paused. Cancel-safe.
    pub async fn held(&mut self) {
        self.until(|flow| !flow.is_open()).await;
    }

    /// Waits until the answer is neither held nor paused. Cancel-safe.
    pub async fn released(&mut self) {
        self.until(AnswerFlow::is_open).await;
    }

    /// Waits until the answer was active for this time; pauses do not count.
    pub async fn worked_for(&mut self, time: Duration) {
        let mut left = time;
        loop {
            self.until(AnswerFlow::is_timed).await;
            let begun = Instant::now();
            tokio::select! {
                biased;
                () = sleep(left) => return,
                () = self.until(|flow| !flow.is_timed()) => left = left.saturating_sub(begun.elapsed()),
            }
        }
    }

    async fn until(&mut self, is_so: impl Fn(AnswerFlow) -> bool) {
        if self.flow.wait_for(|flow| is_so(*flow)).await.is_err() {
            // The sender is gone: the value never changes.
            pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_stops_during_pauses() {
        let (flow, follow) = watch::channel(AnswerFlow::default());
        let mut signals = EngineSignals::new(follow, CancellationToken::new());
        let begun = Instant::now();
        let pausing = async {
            sleep(Duration::from_secs(4)).await;
            flow.send_modify(|flow| flow.is_paused = true);
            sleep(Duration::from_secs(1_000)).await;
            flow.send_modify(|flow| (flow.is_paused, flow.is_asking) = (false, true));
            sleep(Duration::from_secs(1_000)).await;
            flow.send_modify(|flow| flow.is_asking = false);
            pending::<()>().await;
        };
        tokio::select! {
            () = signals.worked_for(Duration::from_secs(10)) => {}
            () = pausing => {}
        }
        assert_eq!(begun.elapsed().as_secs(), 2_010);
    }

    #[tokio::test(start_paused = true)]
    async fn default_signals_never_pause() {
        let mut signals = EngineSignals::default();
        signals.released().await;
        assert!(tokio::time::timeout(Duration::from_secs(9), signals.held()).await.is_err());
        signals.worked_for(Duration::from_secs(9)).await;
    }
}
