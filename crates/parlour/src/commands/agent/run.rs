//! `parlour agent --name …`: keeps an agent in a project until it is stopped.

use std::{path::PathBuf, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use parlour_agent::{
    engine::Engine,
    link::LinkError,
    runner::{self, RunnerOptions},
};
use parlour_core::name::Name;
use tokio_util::sync::CancellationToken;

use super::{
    identity::{Identity, NewAgentWish},
    machine::machine_name,
    reports::Reports,
};
use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_INTERRUPTED, Failure},
    lifetime::Lifetime,
    output::Output,
    session::{Connection, Session},
};

/// How an agent is run.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The agent's name; it is added to the project if it is not there. An agent's own token needs no name
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    #[command(flatten)]
    pub(super) engine: EngineChoice,
    /// What it is told to be; a text that begins with @ names a file
    #[arg(long, value_name = "TEXT|@FILE")]
    instructions: Option<String>,
    /// What it can do, when it is added; may be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// The longest that one answer may take
    #[arg(long, value_name = "TIME", default_value = "10m")]
    answer_time: Lifetime,
    /// How many answers are made at once, in different conversations
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=100))]
    answers: u16,
    /// How many messages of a conversation it is shown
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    history: u16,
    /// Do not take up tasks that are given to it
    #[arg(long)]
    no_tasks: bool,
    /// The machine's name, as others see it; without it, the name that it has
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// What makes its answers: exactly one of these.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct EngineSorts {
    /// A command of the shell: the prompt on stdin, the answer from stdout as it comes
    #[arg(long, value_name = "COMMAND")]
    pub(super) exec: Option<String>,
    /// A model behind an OpenAI-compatible address, for example http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) openai: Option<String>,
    /// A model of Anthropic, or behind an address like theirs
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) anthropic: Option<String>,
    /// A model of Gemini, or behind an address like theirs
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(super) gemini: Option<String>,
    /// Say what was said: to try things out
    #[arg(long)]
    pub(super) echo: bool,
}

/// What makes its answers, and what that needs.
#[derive(Args, Debug)]
pub(crate) struct EngineChoice {
    #[command(flatten)]
    pub(super) sort: EngineSorts,
    /// How a command gets the prompt
    #[arg(long, value_name = "WAY", value_enum, default_value_t = PromptWay::Stdin)]
    pub(super) prompt: PromptWay,
    /// How a command is shown who said what
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Named)]
    pub(super) form: Form,
    /// The folder that a command runs in; without it, this one
    #[arg(long, value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// The model
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// The environment variable that holds the provider's key
    #[arg(long, value_name = "VARIABLE", conflicts_with = "key_file")]
    pub(super) key_env: Option<String>,
    /// The file that holds the provider's key
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
}

/// How a command gets the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptWay {
    /// On its standard input
    Stdin,
    /// As its last argument
    Argument,
}

/// How a command is shown who said what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// With everybody's name
    Named,
    /// As agents of Jaibber know it: `User: …` and `Assistant (Name): …`
    Jaibber,
}

impl Run {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let engine = self.engine.make()?;
        let session = self.connection.open()?;
        let request = NewAgentWish {
            name: self.name.clone(),
            capabilities: self.capability.clone(),
            instructions: self.instructions.as_deref().map(text_or_file).transpose()?,
        };
        let machine = self.machine.clone().or_else(machine_name);
        let identity = Identity::find(&session, request, machine.as_deref()).await?;
        let outcome = self.keep(&session, &identity, engine, machine).await;
        identity.leave(&session).await;
        outcome
    }

    async fn keep(
        &self,
        session: &Session,
        identity: &Identity,
        engine: Arc<dyn Engine>,
        machine_name: Option<String>,
    ) -> Result<Output, Failure> {
        let mut interrupt = Interrupt::catch()?;
        let reports = Reports::new(session, identity, &engine.runtime());
        let stop = CancellationToken::new();
        let options = self.options(machine_name);
        let report = move |report| reports.show(&report);
        let running = runner::run(identity.link(), engine, options, report, stop.clone());
        tokio::pin!(running);
        tokio::select! {
            ended = &mut running => return ended.map(|()| Output::default()).map_err(|error| let_out(&error)),
            () = interrupt.caught() => stop.cancel(),
        }
        // Answers that are being written get a moment; whoever has no patience asks twice.
        tokio::select! {
            ended = &mut running => ended.map(|()| Output::default()).map_err(|error| let_out(&error)),
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

/// Why the hub no longer lets the agent in.
fn let_out(error: &LinkError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        LinkError::Over(_) => failure.hint("start it again; `parlour agent list` shows whether the agent is there"),
        _ => failure,
    }
}

/// The text itself, or what the file after an `@` holds.
fn text_or_file(text: &str) -> Result<String, Failure> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    std::fs::read_to_string(path).map_err(|error| Failure::broken(format!("read the instructions in {path}"), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_from_the_line_or_from_a_file() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("coder.md");
        std::fs::write(&path, "Be brief.").expect("written");
        assert_eq!(text_or_file("Be kind.").expect("text"), "Be kind.");
        assert_eq!(text_or_file(&format!("@{}", path.display())).expect("file"), "Be brief.");
        let missing = text_or_file("@no such file").expect_err("missing").to_string();
        assert!(missing.contains("read the instructions in no such file"), "{missing}");
    }
}
