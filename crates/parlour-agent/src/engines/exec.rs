//! Any command as an agent: it is given the conversation as a text, and what it writes is the answer.

use std::{path::PathBuf, process::Stdio, time::Duration};

use async_trait::async_trait;
use parlour_core::limits;
use tokio::{process::Command, select};
use tokio_util::sync::CancellationToken;

use super::transcript::{TranscriptForm, transcript};
use crate::engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Mode, Prompt};
use process::{Ended, Running, Sink};

mod ending;
mod output_text;
mod process;

/// How long processes that were asked to end are given.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// How long the output of a command is waited for that has ended.
const REST_TIME: Duration = Duration::from_millis(500);

/// Runs a command for each answer.
///
/// | matter | what a command can rely on |
/// |---|---|
/// | started by | `sh -c`, in a process group of its own, without a terminal, in [`folder`](Self::folder) |
/// | prompt | the [`transcript`], on standard input, which is then closed; or as the argument `"$1"` with an empty standard input. The shell never interprets it |
/// | environment | that of whoever runs the agent, without `PARLOUR_TOKEN` and `PARLOUR_ADMIN_TOKEN`; and `PARLOUR_AGENT`, `PARLOUR_PROJECT_ID`, `PARLOUR_MODE` (`auto`, `plan`), and where there is one `PARLOUR_CONVERSATION_ID`, `PARLOUR_MESSAGE_ID`, `PARLOUR_TASK_ID`, `PARLOUR_RUN_ID` |
/// | standard output | the answer: shown as it comes, as UTF-8, without colours and control characters, at most [`output_bytes_max`](Self::output_bytes_max) |
/// | standard error | for its operator; its last lines are shown when the command fails, so no secret belongs there |
/// | status 0 | the answer is complete; no output at all is a failure, unless the answer was optional: then it means "nothing to say" |
/// | another status, a signal | the answer has failed; what was written stays |
/// | stopped or too slow | `SIGTERM` to the whole group, `SIGKILL` after [`stop_grace`](Self::stop_grace) |
/// | paused by a blocking message | `SIGSTOP` to the whole group, `SIGCONT` when the run goes on; its time stands still meanwhile |
/// | children in the background | may write on for [`rest_time`](Self::rest_time), then they are ended; only a process that leaves the group stays, and nobody waits for it |
/// | several at once | one for each conversation that is answered: a command that keeps something in files has to mind that |
///
/// What it cannot do: show steps, report its usage, or read files that are attached (they are only named). To ask back
/// while it runs it needs a token of its own, and the command line or the tools of the hub.
#[derive(Clone)]
pub struct ExecEngine {
    /// What is run, as one would type it.
    pub command: String,
    /// How it is given the prompt.
    pub prompt_by: PromptBy,
    /// Where it runs; absent means where the agent was started.
    pub folder: Option<PathBuf>,
    /// Variables that are added to its environment.
    pub env: Vec<(String, String)>,
    /// How the conversation is written for it.
    pub form: TranscriptForm,
    /// How many bytes it may write before it is stopped.
    pub output_bytes_max: usize,
    /// How long it is given to end by itself when it is stopped.
    pub stop_grace: Duration,
    /// How long the rest of its output is waited for when it has ended and something that it has started holds that open.
    pub rest_time: Duration,
    /// Whether it gets the agent's token, so that it can speak to the hub by itself.
    pub keeps_token: bool,
}

/// How a command is given its prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptBy {
    /// On its standard input.
    #[default]
    Stdin,
    /// As an argument: where `$1` stands in the command, or at its end.
    Argument,
}

impl ExecEngine {
    /// An engine that runs this command with the prompt on its standard input.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            prompt_by: PromptBy::Stdin,
            folder: None,
            env: Vec::new(),
            form: TranscriptForm::Named,
            output_bytes_max: limits::COMMAND_OUTPUT_BYTES_MAX,
            stop_grace: STOP_GRACE,
            rest_time: REST_TIME,
            keeps_token: false,
        }
    }

    fn text(&self, prompt: &Prompt) -> Result<String, EngineError> {
        if self.prompt_by == PromptBy::Stdin {
            return Ok(transcript(prompt, self.form, limits::TRANSCRIPT_BYTES_MAX));
        }
        let mut text = transcript(prompt, self.form, limits::ARGUMENT_BYTES_MAX - 1);
        // A command would take it for one of its options.
        if text.starts_with('-') {
            text.insert(0, ' ');
        }
        if text.len() > limits::ARGUMENT_BYTES_MAX { Err(too_long(text.len())) } else { Ok(text) }
    }

    fn start(&self, prompt: &Prompt, text: &str) -> Result<Running, EngineError> {
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(EngineError::new(format!("the folder {} of the command does not exist", folder.display())));
        }
        Running::start(self.command(prompt, text)).map_err(|error| match error.kind() {
            std::io::ErrorKind::ArgumentListTooLong => too_long(text.len()),
            _ => EngineError::new(format!("the command cannot be started: {error}")),
        })
    }

    fn command(&self, prompt: &Prompt, text: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").stdout(Stdio::piped()).stderr(Stdio::piped());
        match self.prompt_by {
            PromptBy::Stdin => command.arg(&self.command).stdin(Stdio::piped()),
            PromptBy::Argument => command.arg(with_argument(&self.command)).args(["sh", text]).stdin(Stdio::null()),
        };
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        set(&mut command, prompt, self.keeps_token);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

fn too_long(bytes: usize) -> EngineError {
    EngineError::new(format!(
        "the prompt has {bytes} bytes, which is too long for an argument of a command; let it read its standard input"
    ))
}

/// The command with its prompt as an argument, unless it says itself where that stands.
fn with_argument(command: &str) -> String {
    let has_place = ["$1", "${1", "$@", "$*"].iter().any(|place| command.contains(place));
    if has_place { command.to_owned() } else { format!("{command} \"$1\"") }
}

#[async_trait]
impl Engine for ExecEngine {
    fn runtime(&self) -> String {
        let line = self.command.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("exec: {line}").chars().take(limits::PRESENCE_TEXT_CHARS_MAX).collect()
    }

    fn command(&self) -> Option<String> {
        self.keeps_token.then(|| "parlour".to_owned())
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        let text = self.text(prompt)?;
        let mut running = self.start(prompt, &text)?;
        let sink = Sink { out, bytes_max: self.output_bytes_max, rest_time: self.rest_time };
        let attended = select! {
            biased;
            () = stop.cancelled() => Err(AnswerStopped.into()),
            attended = running.attend(&text, sink) => attended,
        };
        match attended {
            Ok(ended) => judge(&ended, prompt.is_optional()),
            Err(trouble) => {
                running.stop(self.stop_grace).await;
                Err(trouble)
            }
        }
    }
}

/// Whether what the command did is an answer.
fn judge(ended: &Ended, is_optional: bool) -> Result<Completion, EngineError> {
    let said = ended.errors.text();
    if let Some(reason) = ending::reason(ended.status, &said) {
        return Err(EngineError::new(reason));
    }
    if !ended.has_answered && !is_optional {
        return Err(EngineError::new(ending::silence(&said)));
    }
    Ok(Completion::default())
}

/// What lets somebody in at the hub. A command has no need of it, and may print it.
const SECRETS: [&str; 2] = ["PARLOUR_TOKEN", "PARLOUR_ADMIN_TOKEN"];

/// What a command is told by its environment.
pub const COMMAND_VARIABLES: [&str; 7] = [
    "PARLOUR_AGENT",
    "PARLOUR_PROJECT_ID",
    "PARLOUR_CONVERSATION_ID",
    "PARLOUR_MESSAGE_ID",
    "PARLOUR_TASK_ID",
    "PARLOUR_RUN_ID",
    "PARLOUR_MODE",
];

/// Tells the command whom it answers for and what, and keeps secrets from it.
pub(super) fn set(command: &mut Command, prompt: &Prompt, keeps_token: bool) {
    let kept = if keeps_token { &SECRETS[1..] } else { &SECRETS[..] };
    for secret in kept {
        command.env_remove(secret);
    }
    for (name, value) in COMMAND_VARIABLES.into_iter().zip(values(prompt)) {
        // One of an outer command says nothing about this one.
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// In the order of `COMMAND_VARIABLES`.
fn values(prompt: &Prompt) -> [Option<String>; 7] {
    let call = prompt.calls.last();
    let thread = prompt.task.as_ref().and_then(|task| task.thread_id.as_ref());
    let conversation = call.map(|call| call.conversation_id.to_string()).or_else(|| thread.map(ToString::to_string));
    let mode = match prompt.mode {
        Mode::Auto => "auto",
        Mode::Plan => "plan",
    };
    [
        Some(prompt.agent.name.to_string()),
        Some(prompt.agent.project_id.to_string()),
        conversation,
        call.map(|call| call.message_id.to_string()),
        prompt.task.as_ref().map(|task| task.id.to_string()),
        prompt.run_id.as_ref().map(ToString::to_string),
        Some(mode.to_owned()),
    ]
}
