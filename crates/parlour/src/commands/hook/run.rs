//! `parlour hook run`: what coding agents call. It is quick, and never breaks them.

use std::{
    ffi::OsString,
    io::{self, Read as _, Write as _},
    path::PathBuf,
    thread,
    time::{Duration, SystemTime},
};

use clap::{Args, Parser};
use parlour_adapters::RandomIds;
use parlour_agent::{
    Client, Retry,
    hooks::{
        hook_event::{HookEvent, HookEventError, Outcome},
        input::{HookInput, INPUT_BYTES_MAX},
        reply::Reply,
        tool::{Occasion, Tool},
    },
};
use parlour_core::id::RunId;
use parlour_hub::ports::Ids as _;
use tokio::{
    sync::oneshot,
    time::{Instant, timeout, timeout_at},
};

use super::{
    journal,
    lens::EngineLens,
    places::{self, Places},
    profile,
    session_file::{self, SessionFile},
    settings_file,
};
use crate::{failure::Failure, output::Output};

/// Seconds that the end of a turn waits for the answer to an own question.
pub(super) const WAIT_SECONDS_DEFAULT: u64 = 20;
/// What a call may take between two steps of a model.
const LIMIT_MS_DEFAULT: u64 = 2_000;
/// What the reports may take after the tool has its answer.
const REPORT_TIME_MAX: Duration = Duration::from_millis(1_000);
/// The end of a session has less: tools do not wait for long when they close.
const SESSION_END_TIME_MAX: Duration = Duration::from_millis(1_500);

/// Answer one call of a coding agent: its input on stdin, the answer on stdout
///
/// Whatever happens, a coding agent is not disturbed: without a hub, a token or a proper input the answer is an empty
/// object, and the reason stands in the journal (`parlour hook status` says where).
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour hook run codex --config ~/.config/parlour/hooks/codex.toml < input.json")]
pub(crate) struct Run {
    /// The tool, then --config FILE, --budget TOKENS, --wait SECONDS, --limit-ms MILLISECONDS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "TOOL SETTINGS")]
    words: Vec<OsString>,
}

/// What stands behind `run`. It is read here, and not with the rest of the command line: a wrong call would end with the
/// code by which tools let hooks stop them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Call {
    #[arg(value_parser = super::tool)]
    tool: Tool,
    #[arg(long)]
    config: PathBuf,
    #[arg(long)]
    budget: Option<u64>,
    #[arg(long, default_value_t = WAIT_SECONDS_DEFAULT, value_parser = clap::value_parser!(u64).range(0..=25))]
    wait: u64,
    #[arg(long, default_value_t = LIMIT_MS_DEFAULT, value_parser = clap::value_parser!(u64).range(1..=30_000))]
    limit_ms: u64,
}

impl Run {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let begun = Instant::now();
        let Ok(places) = Places::of_user() else { return Ok(Output::text("{}\n")) };
        let note = |what: &str| journal::note(&places.journal(), what);
        let call = match Call::try_parse_from(&self.words) {
            Ok(call) => call,
            Err(error) => {
                note(&format!("hook run: {}", error.to_string().lines().next().unwrap_or_default()));
                return Ok(Output::text("{}\n"));
            }
        };
        // Not for a hook that was removed while a session went on: nothing of it is to be left.
        if call.config.is_file() {
            // Without it nothing is remembered, and nothing more can be done about it.
            let _ = settings_file::make_folders(&places.sessions(), 0o700);
        }
        let limit = Duration::from_millis(call.limit_ms);
        let read = timeout(limit, read_input()).await.unwrap_or_else(|_| Err("no input came".to_owned()));
        let input = read.and_then(|bytes| HookInput::read(call.tool, &bytes).map_err(|error| error.to_string()));
        match input {
            Ok(input) => call.answer(&places, &input, begun, limit).await,
            Err(why) => {
                note(&format!("{}: {why}", call.tool));
                Ok(Output::text("{}\n"))
            }
        }
    }
}

impl Call {
    async fn answer(
        &self,
        places: &Places,
        input: &HookInput,
        begun: Instant,
        limit: Duration,
    ) -> Result<Output, Failure> {
        let limit = match input.at {
            Occasion::TurnEnd => limit * 2 + Duration::from_secs(self.wait),
            Occasion::SessionEnd => limit.min(SESSION_END_TIME_MAX),
            _ => limit,
        };
        if input.at == Occasion::SessionStart {
            session_file::forget_old(&places.sessions(), SystemTime::now());
        }
        let nothing = || Output::text(Reply::Nothing.encode(input));
        Ok(match self.handle_event(places, input, begun, limit).await {
            Ok(handled) => handled.conclude(places, input).await.unwrap_or_else(nothing),
            Err(why) => {
                journal::note(&places.journal(), &format!("{} {}: {why}", self.tool, input.event));
                nothing()
            }
        })
    }

    async fn handle_event(
        &self,
        places: &Places,
        input: &HookInput,
        begun: Instant,
        limit: Duration,
    ) -> Result<Visited, String> {
        let end = begun + limit;
        let late = |_| format!("there was no answer within {} ms", limit.as_millis());
        let settings = profile::read(self.config.as_os_str()).map_err(|failure| failure.to_string())?;
        let client = Client::with_options(&settings.url, &settings.options()).map_err(|error| error.to_string())?;
        let client = client.with_retry(Retry::NEVER);
        let path = places.session(self.tool, &input.session);
        let broken = |error: io::Error| format!("{}: {error}", path.display());
        let mut session = timeout_at(end, SessionFile::open(&path)).await.map_err(late)?.map_err(broken)?;
        let command = self.command();
        let outcome = {
            let hook_event = self.hook_event(&client, input, &command);
            timeout_at(end, hook_event.handle(&mut session.memory)).await
        };
        // What was begun or proved is kept, even when the call itself came to nothing.
        let saved = session.save().map_err(broken);
        let outcome = outcome.map_err(late)?.map_err(|error: HookEventError| error.to_string())?;
        saved?;
        Ok(Visited { outcome, session, client })
    }

    fn hook_event<'a>(&self, client: &'a Client, input: &'a HookInput, command: &'a str) -> HookEvent<'a> {
        let (command, lens) = (Some(command), &EngineLens);
        let next_run = RunId::from_bits(RandomIds.next_bits());
        HookEvent { client, input, command, budget: self.budget, lens, wait_seconds: self.wait, next_run }
    }

    /// What every command begins with that a model is shown.
    fn command(&self) -> String {
        let program = places::program().map_or_else(|_| "parlour".to_owned(), |path| places::program_to_type(&path));
        format!("{program} hook as --config {}", places::quoted_path(&self.config))
    }
}

/// A call whose answer is known, and not given yet.
struct Visited {
    outcome: Outcome,
    session: SessionFile,
    client: Client,
}

impl Visited {
    /// Answers the tool, and only then tells the hub what has reached the model. Answers what is left to be written.
    async fn conclude(mut self, places: &Places, input: &HookInput) -> Option<Output> {
        let reply = &self.outcome.reply;
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(reply.encode(input).as_bytes()).and_then(|()| stdout.flush());
        drop(stdout);
        let done = Some(Output::default());
        let note = |what: String| journal::note(&places.journal(), &format!("{} {}: {what}", input.tool, input.event));
        if let Err(error) = written {
            // Nobody took it, so nothing was told.
            note(format!("the answer was not taken: {error}"));
            return done;
        }
        if reply.reaches_model(input) {
            self.session.memory.tell(&self.outcome.named, input.at);
            let ended = &self.outcome.ended;
            self.session.memory.asked.retain(|question| !ended.contains(question));
            if let Err(error) = self.session.save() {
                note(format!("nothing can be remembered: {error}"));
            }
        }
        let next_run = RunId::from_bits(RandomIds.next_bits());
        let (client, lens) = (&self.client, &EngineLens);
        let hook_event = HookEvent { client, input, command: None, budget: None, lens, wait_seconds: 0, next_run };
        let reported = timeout(REPORT_TIME_MAX, hook_event.report(&mut self.session.memory)).await;
        match reported {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(format!("deliveries are reported later: {error}")),
            Err(_) => note("deliveries are reported later: there was no answer in time".to_owned()),
        }
        let kept = if input.at == Occasion::SessionEnd { self.session.forget() } else { self.session.save() };
        if let Err(error) = kept {
            note(format!("the session was not kept: {error}"));
        }
        done
    }
}

/// Reads stdin to its end. By a thread of its own: one that waits for ever must not keep the program alive.
async fn read_input() -> Result<Vec<u8>, String> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        // Whoever waited may have given up.
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = receiver.await.map_err(|_| "the input was not read".to_owned())?.map_err(|error| error.to_string())?;
    if bytes.len() > INPUT_BYTES_MAX { Err("the input is too long".to_owned()) } else { Ok(bytes) }
}
