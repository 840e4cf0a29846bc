//! Engines: what makes an answer out of a conversation. One file for each sort in `engines/`.

use async_trait::async_trait;
use parlour_core::{
    call::Call,
    id::RunId,
    member::Agent,
    message::Message,
    step::{FinishStep, StartStep},
    task::Task,
    usage::Usage,
};
use tokio_util::sync::CancellationToken;

mod asking;
mod signals;

pub use asking::{AskMember, CannotAsk, Reply};
pub use signals::{Flow, Signals};

/// What makes answers for an agent.
///
/// An engine writes its answer piece by piece and returns when it is whole. When `stop` is cancelled (somebody has
/// stopped the answer, it took too long, the agent ends) it lets everything go that it has started, and returns within a
/// few seconds, whatever with. It never answers with silence: what goes wrong is a [`Trouble`] in words for people.
///
/// An answer can be paused: what is written then waits until it goes on. Whoever works on meanwhile although nothing is
/// taken, as another process does, minds [`Answer::signals`].
#[async_trait]
pub trait Engine: Send + Sync {
    /// What it is, in a few words for people, for example `exec: claude -p`. Shown with the agent's presence.
    fn runtime(&self) -> String;

    /// What a command begins with that acts as the agent, where whatever makes the answer has a shell and the agent's
    /// token. What the hub tells then names commands in place of tools.
    fn command(&self) -> Option<String> {
        None
    }

    /// Makes the answer.
    async fn answer(&self, prompt: &Prompt, out: &mut dyn Answer, stop: CancellationToken) -> Result<Outcome, Trouble>;
}

/// What an engine is asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The agent that is asked, with its instructions.
    pub agent: Agent,
    /// The calls that are to be answered, oldest first: one or, when they came in quick succession, a few. Empty for a
    /// task.
    pub calls: Vec<Call>,
    /// What the hub tells besides the conversation: project, neighbours, task, files, what is new elsewhere. It is quoted
    /// and bounded already, and goes where a model is told what it is.
    pub pack: Option<String>,
    /// The last messages of the conversation, oldest first, each with the text that a model may be shown: without
    /// secrets, attachments and metadata. The messages of the calls are among them, with their questions.
    pub history: Vec<Message>,
    /// The task that is to be done, when there is one.
    pub task: Option<Task>,
    /// Whether only a plan is wanted.
    pub mode: Mode,
    /// What is to be known besides.
    pub besides: Besides,
}

/// What an engine is to know besides the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Besides {
    /// The run that the answer belongs to, when there is one.
    pub run_id: Option<RunId>,
    /// Why the agent's answer to the same question was not taken as one. It is asked once more.
    pub problem: Option<String>,
}

/// How far an engine is to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Do what is asked.
    #[default]
    Auto,
    /// Look and say what would be done; change nothing.
    Plan,
}

impl Prompt {
    /// Whether the agent may just as well say nothing: every call is optional.
    pub fn is_optional(&self) -> bool {
        self.task.is_none() && self.calls.iter().all(|call| call.reason.is_optional())
    }
}

/// Where an engine writes its answer. Everything written is shown within a moment.
#[async_trait]
pub trait Answer: Send {
    /// Adds to the text. `Err` means that nobody wants the answer any more: return soon.
    async fn write(&mut self, text: &str) -> Result<(), Stopped>;

    /// Says that something is being done on the way, for example one call of a tool.
    async fn start_step(&mut self, step: StartStep) -> Result<(), Stopped>;

    /// Says that it is done.
    async fn finish_step(&mut self, step_id: &str, end: FinishStep) -> Result<(), Stopped>;

    /// What passes between the engine and whoever runs it; nothing, where nobody pauses it.
    fn signals(&self) -> Signals {
        Signals::default()
    }

    /// Asks a member something, and waits for the answer: the run is paused meanwhile. Not everywhere can be asked.
    async fn ask(&mut self, question: AskMember) -> Result<Reply, CannotAsk> {
        let _ = question;
        Err(CannotAsk::new("nothing can be asked here"))
    }
}

/// Nobody wants the answer any more: it was stopped or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer was stopped")]
pub struct Stopped;

/// How an answer went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What it has cost, when a model was asked.
    pub usage: Option<Usage>,
}

/// Why there is no whole answer, in words for people. What was written so far stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Trouble {
    /// What went wrong and what can be done about it. It holds no secret: everybody in the conversation reads it.
    pub reason: String,
    /// What it has cost all the same.
    pub usage: Option<Usage>,
}

impl Trouble {
    /// A trouble that has cost nothing.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), usage: None }
    }
}

impl From<Stopped> for Trouble {
    fn from(stopped: Stopped) -> Self {
        Self::new(stopped.to_string())
    }
}
