//! Runs a command as an agent: the prompt is its input, its output is the answer.

use std::{
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use async_trait::async_trait;
use parlour_core::limits;
use tokio::{process::Command, select};
use tokio_util::sync::CancellationToken;

use super::transcript::{TranscriptForm, transcript};
use crate::engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Mode, Prompt};
use event_output::{EventReport, StreamEnd};
use process::{CommandOutcome, OutputSink, RunningCommand};

mod block_text;
mod command_output;
mod event_lines;
mod event_output;
mod output_text;
mod process;
mod step_report;
#[cfg(unix)]
mod watchdog;

pub use command_output::OutputFormat;

/// The time between `SIGTERM` and `SIGKILL`.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// The time limit for the remaining output of a command that has ended.
const REST_TIME: Duration = Duration::from_millis(500);

/// Runs a command for each answer.
///
/// | subject | behaviour |
/// |---|---|
/// | started by | `sh -c`, in a process group of its own, without a terminal, in [`folder`](Self::folder) |
/// | prompt | the [`transcript`], on standard input, which is then closed; or as the argument `"$1"` with an empty standard input. The shell never interprets it |
/// | environment | that of whoever runs the agent, without `PARLOUR_TOKEN`, `PARLOUR_ADMIN_TOKEN` and `PARLOUR_PROFILE`; and `PARLOUR_AGENT`, `PARLOUR_PROJECT_ID`, `PARLOUR_MODE` (`auto`, `plan`), and where there is one `PARLOUR_CONVERSATION_ID`, `PARLOUR_MESSAGE_ID`, `PARLOUR_TASK_ID`, `PARLOUR_RUN_ID` |
/// | standard output, plain text | the answer: shown as it comes, as UTF-8, without colours and control characters, at most [`output_bytes_max`](Self::output_bytes_max) |
/// | standard output, [events](OutputFormat::Events) | text, steps and usage of the answer, shown as they come; lines that are no events are text |
/// | standard error | for its operator; its last lines are shown when the command fails, so no secret belongs there |
/// | status 0 | the answer is complete; no output at all is a failure, unless the answer was optional: then it means "nothing to say" |
/// | another status, a signal | the answer has failed; what was written stays |
/// | events that report an error or stop without a final event | the answer has failed, whatever the status |
/// | stopped or too slow | `SIGTERM` to the whole group, `SIGKILL` after [`stop_grace`](Self::stop_grace) |
/// | paused by a blocking message | `SIGSTOP` to the whole group, `SIGCONT` when the run continues; the pause does not count towards its time limit |
/// | children in the background | may continue to write for [`rest_time`](Self::rest_time), then they are killed; only a process that leaves the group survives, and the engine does not wait for it |
/// | concurrency | one process per conversation; a command that stores state in files must handle that |
///
/// Only events show steps and report usage. A command cannot read attachments (only their names are in the prompt). To ask
/// a question while it runs, it needs a token of its own and the command line or the MCP tools of the hub.
#[derive(Clone)]
pub struct ExecEngine {
    /// The shell command.
    pub command: String,
    /// The name for people; by default the command.
    pub name: Option<String>,
    /// The model for usage reports of programs that do not name it.
    pub model: Option<String>,
    /// The format of its output.
    pub output: OutputFormat,
    pub prompt_by: PromptBy,
    /// The working folder; by default that of the agent.
    pub folder: Option<PathBuf>,
    /// Additional environment variables.
    pub env: Vec<(String, String)>,
    /// The format of the prompt.
    pub form: TranscriptForm,
    /// The most bytes of output; then the command is stopped.
    pub output_bytes_max: usize,
    /// The time between `SIGTERM` and `SIGKILL`.
    pub stop_grace: Duration,
    /// The time limit for the remaining output after the command has ended, if a child process keeps it open.
    pub rest_time: Duration,
    /// Whether the command gets the agent's token, so that it can call the hub itself.
    pub keeps_token: bool,
}

/// How the prompt is passed to a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptBy {
    /// On its standard input.
    #[default]
    Stdin,
    /// As the argument `$1`, appended if the command does not use it.
    Argument,
}

impl ExecEngine {
    /// An engine that runs this command with the prompt on its standard input.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            name: None,
            model: None,
            output: OutputFormat::Auto,
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
        // A command would parse it as an option.
        if text.starts_with('-') {
            text.insert(0, ' ');
        }
        if text.len() > limits::ARGUMENT_BYTES_MAX { Err(too_long(text.len())) } else { Ok(text) }
    }

    fn start(&self, prompt: &Prompt, text: &str) -> Result<RunningCommand, EngineError> {
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(EngineError::new(format!("the working folder {} does not exist", folder.display())));
        }
        RunningCommand::start(self.command(prompt, text)).map_err(|error| match error.kind() {
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
        "the prompt has {bytes} bytes, which is too long for an argument; pass it on standard input"
    ))
}

/// Appends the argument `"$1"`, unless the command already uses it.
fn with_argument(command: &str) -> String {
    let has_place = ["$1", "${1", "$@", "$*"].iter().any(|place| command.contains(place));
    if has_place { command.to_owned() } else { format!("{command} \"$1\"") }
}

#[async_trait]
impl Engine for ExecEngine {
    fn runtime(&self) -> String {
        let line = self.command.split_whitespace().collect::<Vec<_>>().join(" ");
        self.name
            .clone()
            .unwrap_or_else(|| format!("exec: {line}"))
            .chars()
            .take(limits::PRESENCE_TEXT_CHARS_MAX)
            .collect()
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
        let sink = OutputSink { out, format: self.output, bytes_max: self.output_bytes_max, rest_time: self.rest_time };
        let attended = select! {
            biased;
            () = stop.cancelled() => Err(AnswerStopped.into()),
            attended = running.attend(&text, sink) => attended,
        };
        match attended {
            Ok(ended) => self.judge(ended, prompt.is_optional()),
            Err(trouble) => {
                running.stop(self.stop_grace).await;
                Err(trouble)
            }
        }
    }
}

impl ExecEngine {
    /// Converts the result of the command into a completion or an error.
    fn judge(&self, ended: CommandOutcome, is_optional: bool) -> Result<Completion, EngineError> {
        let CommandOutcome { status, output, errors } = ended;
        let said = errors.text();
        let reason = match &output.events {
            Some(events) => event_failure(events, status, &said),
            None => failure_reason(status, &said),
        };
        let reason = reason.or_else(|| (!output.has_text && !is_optional).then(|| no_answer_reason(&said)));
        let usage = output.events.and_then(|events| events.usage(self.model.as_deref()));
        match reason {
            None => Ok(Completion { usage }),
            Some(reason) => Err(EngineError { reason, usage }),
        }
    }
}

/// Why an answer of events is incomplete; `None` if it is complete. The words of the program say more than its status.
fn event_failure(events: &EventReport, status: ExitStatus, said: &str) -> Option<String> {
    let name = events.cli.profile().name;
    match &events.end {
        StreamEnd::Failed(why) => Some(format!("{name}: {why}")),
        StreamEnd::Finished => failure_reason(status, said),
        StreamEnd::Cut => {
            let texts = [events.trouble.as_deref().unwrap_or_default(), said];
            let said = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
            let cut = format!("{name} ended without a final event, so the answer may be incomplete");
            Some(failure_reason(status, &said).unwrap_or_else(|| with_stderr(&cut, &said)))
        }
    }
}

/// Credentials of the hub and the choice of one, removed from the environment: a command might print them, and must not
/// act as the user who runs the agent.
const SECRETS: [&str; 3] = ["PARLOUR_TOKEN", "PARLOUR_ADMIN_TOKEN", "PARLOUR_PROFILE"];

/// The environment variables of a command. `parlour hook` is silent where one of them is set: the command works for the
/// agent of its runner.
pub const COMMAND_VARIABLES: [&str; 7] = [
    "PARLOUR_AGENT",
    "PARLOUR_PROJECT_ID",
    "PARLOUR_CONVERSATION_ID",
    "PARLOUR_MESSAGE_ID",
    "PARLOUR_TASK_ID",
    "PARLOUR_RUN_ID",
    "PARLOUR_MODE",
];

/// Sets `COMMAND_VARIABLES` and removes credentials.
pub(super) fn set(command: &mut Command, prompt: &Prompt, keeps_token: bool) {
    let kept = if keeps_token { &SECRETS[1..] } else { &SECRETS[..] };
    for secret in kept {
        command.env_remove(secret);
    }
    for (name, value) in COMMAND_VARIABLES.into_iter().zip(values(prompt)) {
        // A value inherited from an outer command is wrong here.
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

/// Exit statuses of a shell.
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;
/// A shell adds this to the number of a signal.
const SIGNALLED: i32 = 128;

/// Why a command failed, with its last lines on standard error; `None` on success.
fn failure_reason(status: ExitStatus, said: &str) -> Option<String> {
    if status.success() {
        return None;
    }
    let how = match status.code() {
        Some(NOT_FOUND) => {
            "the command was not found (status 127); is it installed, and in the PATH of the agent?".into()
        }
        Some(NOT_RUNNABLE) => "the command cannot be run (status 126); is it executable?".into(),
        Some(code) => format!("the command ended with status {code}{}", shell_signal_note(code)),
        None => format!("the command was ended by {}", signal_text(signal(status))),
    };
    Some(with_stderr(&how, said))
}

/// The error of a command without output.
fn no_answer_reason(said: &str) -> String {
    with_stderr("the command succeeded but wrote no answer", said)
}

fn with_stderr(how: &str, said: &str) -> String {
    if said.is_empty() { how.to_owned() } else { format!("{how}: {said}") }
}

fn shell_signal_note(code: i32) -> String {
    match signal_name(code - SIGNALLED) {
        Some(name) => format!(" (as after the signal {name})"),
        None => String::new(),
    }
}

fn signal_text(signal: Option<i32>) -> String {
    match (signal, signal.and_then(signal_name)) {
        (_, Some(name)) => format!("the signal {name}"),
        (Some(number), None) => format!("the signal {number}"),
        (None, None) => "the system".to_owned(),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// The signals whose numbers are the same everywhere.
fn signal_name(number: i32) -> Option<&'static str> {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    };
    Some(name)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn failure(wait_status: i32, said: &str) -> String {
        failure_reason(ExitStatus::from_raw(wait_status), said).unwrap_or_default()
    }

    #[test]
    fn success_is_not_a_failure() {
        assert_eq!(failure(0, "a warning"), "");
    }

    #[test]
    fn a_failure_contains_the_status_and_the_error_output() {
        assert_eq!(failure(3 << 8, "no key"), "the command ended with status 3: no key");
        assert_eq!(failure(1 << 8, ""), "the command ended with status 1");
        assert_eq!(failure(137 << 8, ""), "the command ended with status 137 (as after the signal SIGKILL)");
        assert_eq!(failure(200 << 8, ""), "the command ended with status 200");
    }

    #[test]
    fn signals_are_named() {
        assert_eq!(failure(9, ""), "the command was ended by the signal SIGKILL");
        assert_eq!(failure(31, "x"), "the command was ended by the signal 31: x");
    }

    #[test]
    fn a_missing_command_has_its_own_text() {
        assert!(failure(127 << 8, "sh: 1: x: not found").contains("not found (status 127); is it installed"));
        assert!(failure(126 << 8, "").contains("cannot be run"));
    }
}
