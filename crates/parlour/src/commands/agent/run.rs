//! `parlour agent --name …`: connects an agent to the hub until it is stopped.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use parlour_agent::{
    engine::Engine,
    engines::{
        CodingCli, EchoEngine, ExecEngine, OutputFormat, PromptBy, TranscriptForm,
        models::{Interface, ModelEngine, ModelSettings, Secret},
    },
    link::LinkError,
    runner::{self, RunnerOptions},
};
use parlour_core::name::Name;
use tokio_util::sync::CancellationToken;

use super::{
    coding_cli,
    event_printer::EventPrinter,
    identity::{AgentRequest, RunnerIdentity, machine_name},
};
use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_INTERRUPTED, Failure},
    lifetime::Lifetime,
    output::Output,
    session::{Connection, Session},
};

#[derive(Args, Debug)]
pub(crate) struct AgentRun {
    /// Name of the agent; added to the project if it does not exist. Not needed with an agent's own token
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    #[command(flatten)]
    pub(super) engine: EngineOptions,
    /// Instructions for the model; @FILE reads them from a file
    #[arg(long, value_name = "TEXT|@FILE")]
    instructions: Option<String>,
    /// Capability of the agent when it is added; can be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// Maximum time for one answer
    #[arg(long, value_name = "TIME", default_value = "10m")]
    answer_time: Lifetime,
    /// Maximum number of concurrent answers, in different conversations
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=100))]
    answers: u16,
    /// Number of messages of the conversation in its prompt
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    history: u16,
    /// Do not work on tasks that are assigned to the agent
    #[arg(long)]
    no_tasks: bool,
    /// Machine name shown to others; default: the host name
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// The engine: exactly one of these flags.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct EngineFlags {
    /// Shell command: reads the prompt from stdin, streams the answer to stdout
    #[arg(long, value_name = "COMMAND")]
    pub(super) exec: Option<String>,
    /// Claude Code, with live text, tool calls and usage; arguments for it follow after `--`
    #[arg(long)]
    pub(super) claude_code: bool,
    /// Codex, likewise
    #[arg(long)]
    pub(super) codex: bool,
    /// Gemini CLI, likewise
    #[arg(long)]
    pub(super) gemini_cli: bool,
    /// opencode, likewise
    #[arg(long)]
    pub(super) opencode: bool,
    /// Model of an OpenAI-compatible API, for example http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) openai: Option<String>,
    /// Model of the Anthropic API, or of a compatible API at URL
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) anthropic: Option<String>,
    /// Model of the Gemini API, or of a compatible API at URL
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) gemini: Option<String>,
    /// Repeat the message, for tests
    #[arg(long)]
    pub(super) echo: bool,
}

/// The engine and its options.
#[derive(Args, Debug)]
pub(crate) struct EngineOptions {
    #[command(flatten)]
    pub(super) sort: EngineFlags,
    /// Output of the command of --exec: text, or the JSON events of a coding program [default: auto]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(super) events: Option<EventFormat>,
    /// How the command of --exec receives the prompt
    #[arg(long, value_name = "INPUT", value_enum, default_value_t = PromptInput::Stdin)]
    pub(super) prompt: PromptInput,
    /// Transcript format for a command or a coding program
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TranscriptFormat::Named)]
    pub(super) form: TranscriptFormat,
    /// Working directory of a command or a coding program; default: the current one
    #[arg(long, value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// Model name; passed on to a coding program
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// Environment variable with the API key of the provider
    #[arg(long, value_name = "VARIABLE", conflicts_with = "key_file")]
    pub(super) key_env: Option<String>,
    /// File with the API key of the provider
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
    /// Additional arguments for the coding program
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(super) program_arguments: Vec<String>,
}

/// Output format of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventFormat {
    /// Events if the first line is the first event of a known program, otherwise text
    Auto,
    /// Plain text
    Text,
    /// Events of `claude -p --output-format stream-json --verbose --include-partial-messages`
    Claude,
    /// Events of `codex exec --json`
    Codex,
    /// Events of `gemini --output-format stream-json`
    Gemini,
    /// Events of `opencode run --format json`
    Opencode,
}

/// How a command receives the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptInput {
    /// On stdin
    Stdin,
    /// As the last argument
    Argument,
}

/// Transcript format for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranscriptFormat {
    /// Each message with the name of its author
    Named,
    /// Jaibber format: `User: …` and `Assistant (Name): …`
    Jaibber,
}

impl AgentRun {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let engine = self.engine.make()?;
        let session = self.connection.open()?;
        let request = AgentRequest {
            name: self.name.clone(),
            capabilities: self.capability.clone(),
            instructions: self.instructions.as_deref().map(text_or_file).transpose()?,
        };
        let machine = self.machine.clone().or_else(machine_name);
        let identity = RunnerIdentity::find(&session, request, machine.as_deref()).await?;
        let outcome = self.keep(&session, &identity, engine, machine).await;
        identity.leave(&session).await;
        outcome
    }

    async fn keep(
        &self,
        session: &Session,
        identity: &RunnerIdentity,
        engine: Arc<dyn Engine>,
        machine_name: Option<String>,
    ) -> Result<Output, Failure> {
        let mut interrupt = Interrupt::catch()?;
        let reports = EventPrinter::new(session, identity, &engine.runtime());
        let stop = CancellationToken::new();
        let options = self.options(machine_name);
        let report = move |report| reports.show(&report);
        let running = runner::run(identity.link(), engine, options, report, stop.clone());
        tokio::pin!(running);
        tokio::select! {
            ended = &mut running => return ended.map(|()| Output::default()).map_err(|error| ended_failure(&error)),
            () = interrupt.caught() => stop.cancel(),
        }
        // Open answers get some time to finish; a second Ctrl+C ends at once.
        tokio::select! {
            ended = &mut running => ended.map(|()| Output::default()).map_err(|error| ended_failure(&error)),
            () = interrupt.caught() => Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
        }
    }

    fn options(&self, machine_name: Option<String>) -> RunnerOptions {
        RunnerOptions {
            machine_name,
            answer_time_max: Duration::from_secs(self.answer_time.0),
            answers_max: usize::from(self.answers),
            history_len: usize::from(self.history),
            picks_up_tasks: !self.no_tasks,
            ..RunnerOptions::default()
        }
    }
}

/// The error for a link that ended.
fn ended_failure(error: &LinkError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        LinkError::Over(_) => failure.hint("start it again; `parlour agent list` shows whether the agent still exists"),
        _ => failure,
    }
}

/// The text, or the content of the file after `@`.
fn text_or_file(text: &str) -> Result<String, Failure> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    std::fs::read_to_string(path).map_err(|error| Failure::broken(format!("read the instructions from {path}"), &error))
}

impl EngineOptions {
    /// Creates the engine; no process is started and no request is sent.
    pub(super) fn make(&self) -> Result<Arc<dyn Engine>, Failure> {
        let sort = &self.sort;
        self.refuse_flags_of_other_engines()?;
        if let Some(command) = &sort.exec {
            return self.command(command);
        }
        if let Some(cli) = sort.coding_cli() {
            return self.program(cli);
        }
        let models = [
            (Interface::OpenAi, &sort.openai),
            (Interface::Anthropic, &sort.anthropic),
            (Interface::Gemini, &sort.gemini),
        ];
        match models.into_iter().find_map(|(interface, url)| Some((interface, url.as_deref()?))) {
            Some((interface, url)) => self.model(interface, url),
            None => Ok(Arc::new(EchoEngine::default())),
        }
    }

    fn command(&self, command: &str) -> Result<Arc<dyn Engine>, Failure> {
        if command.trim().is_empty() {
            return Err(Failure::usage("--exec needs a command").hint("for example: --exec 'claude -p'"));
        }
        let output = self.events.map_or(OutputFormat::Auto, EventFormat::output);
        if output == OutputFormat::Auto {
            coding_cli::note_missing_events(command);
        }
        let prompt_by = match self.prompt {
            PromptInput::Stdin => PromptBy::Stdin,
            PromptInput::Argument => PromptBy::Argument,
        };
        self.with_folder(ExecEngine { output, prompt_by, ..ExecEngine::new(command) })
    }

    fn program(&self, cli: CodingCli) -> Result<Arc<dyn Engine>, Failure> {
        coding_cli::check_installed(cli)?;
        self.with_folder(coding_cli::engine(cli, self.model.as_deref(), &self.program_arguments))
    }

    /// The engine with the settings that commands and coding programs share.
    fn with_folder(&self, engine: ExecEngine) -> Result<Arc<dyn Engine>, Failure> {
        if let Some(folder) = self.folder.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("{} is not a folder", folder.display())));
        }
        let form = match self.form {
            TranscriptFormat::Named => TranscriptForm::Named,
            TranscriptFormat::Jaibber => TranscriptForm::Seed,
        };
        Ok(Arc::new(ExecEngine { form, folder: self.folder.clone(), ..engine }))
    }

    fn model(&self, interface: Interface, url: &str) -> Result<Arc<dyn Engine>, Failure> {
        let Some(model) = &self.model else {
            return Err(
                Failure::usage("no model is given").hint("add --model NAME with the provider's name of the model")
            );
        };
        let mut settings = ModelSettings::new(interface, model);
        if !url.is_empty() {
            settings.base_url = url.to_owned();
        }
        settings.key = self.named_key()?.or_else(|| usual_key(interface).filter(|_| url.is_empty()));
        if settings.key.is_none() && url.is_empty() {
            let variables = interface.key_variables().join(" or ");
            return Err(Failure::usage("no API key for this provider")
                .hint(format!("set {variables}, or pass --key-env VARIABLE or --key-file FILE")));
        }
        let engine = ModelEngine::new(settings).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Arc::new(engine))
    }

    /// The API key of --key-file or --key-env.
    fn named_key(&self) -> Result<Option<Secret>, Failure> {
        if let Some(path) = &self.key_file {
            return read_key(path).map(Some);
        }
        if let Some(name) = &self.key_env {
            let key = env::var(name).ok().filter(|key| !key.trim().is_empty());
            let key =
                key.ok_or_else(|| Failure::usage(format!("the environment variable {name} is not set or empty")))?;
            return Ok(Some(Secret::new(&key)));
        }
        Ok(None)
    }

    /// Refuses flags that have no effect on the chosen engine.
    fn refuse_flags_of_other_engines(&self) -> Result<(), Failure> {
        let sort = &self.sort;
        let is_command = sort.exec.is_some();
        let is_program = sort.coding_cli().is_some();
        let is_model = !is_command && !is_program && !sort.echo;
        let models = "--openai, --anthropic or --gemini";
        let models_and_programs = "--openai, --anthropic, --gemini or a coding program such as --claude-code";
        let programs = "--claude-code, --codex, --gemini-cli or --opencode";
        let given = [
            ("--model", self.model.is_some(), is_model || is_program, models_and_programs),
            ("--key-env", self.key_env.is_some(), is_model, models),
            ("--key-file", self.key_file.is_some(), is_model, models),
            ("--events", self.events.is_some(), is_command, "--exec"),
            ("--prompt argument", self.prompt == PromptInput::Argument, is_command, "--exec"),
            ("an argument after --", !self.program_arguments.is_empty(), is_program, programs),
        ];
        match given.into_iter().find(|(_, is_given, is_valid, _)| *is_given && !is_valid) {
            Some((flag, _, _, valid)) => Err(Failure::usage(format!("{flag} is only valid with {valid}"))),
            None => Ok(()),
        }
    }
}

impl EngineFlags {
    fn coding_cli(&self) -> Option<CodingCli> {
        let flags = [self.claude_code, self.codex, self.gemini_cli, self.opencode];
        CodingCli::ALL.into_iter().zip(flags).find_map(|(cli, is_given)| is_given.then_some(cli))
    }
}

impl EventFormat {
    fn output(self) -> OutputFormat {
        match self {
            Self::Auto => OutputFormat::Auto,
            Self::Text => OutputFormat::Text,
            Self::Claude => OutputFormat::Events(CodingCli::ClaudeCode),
            Self::Codex => OutputFormat::Events(CodingCli::Codex),
            Self::Gemini => OutputFormat::Events(CodingCli::GeminiCli),
            Self::Opencode => OutputFormat::Events(CodingCli::OpenCode),
        }
    }
}

/// The API key in the usual variable of the provider. It is used only with the provider's own URL.
fn usual_key(interface: Interface) -> Option<Secret> {
    let key = interface.key_variables().iter().find_map(|name| env::var(name).ok());
    key.filter(|key| !key.trim().is_empty()).map(|key| Secret::new(&key))
}

fn read_key(path: &Path) -> Result<Secret, Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Failure::broken(format!("read the API key from {}", path.display()), &error))?;
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("{} is empty; it must contain the API key", path.display())));
    }
    Ok(Secret::new(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_from_a_flag_or_a_file() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("coder.md");
        std::fs::write(&path, "Be brief.").expect("written");
        assert_eq!(text_or_file("Be kind.").expect("text"), "Be kind.");
        assert_eq!(text_or_file(&format!("@{}", path.display())).expect("file"), "Be brief.");
        let missing = text_or_file("@no such file").expect_err("missing").to_string();
        assert!(missing.contains("read the instructions from no such file"), "{missing}");
    }
}
