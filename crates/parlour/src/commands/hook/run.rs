//! `parlour hook run`: the program that coding agents call. It is fast and never fails.

use std::{
    env,
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use clap::{Args, Parser};
use parlour_adapters::{RandomIds, SystemClock};
use parlour_agent::{
    Client, Retry,
    hooks::{
        hook_event::{HookEvent, HookEventError, HookResult},
        protocol::{HookInput, HookReply, INPUT_BYTES_MAX},
        tool::{HookPoint, Tool},
    },
};
use parlour_core::id::RunId;
use parlour_hub::ports::{Clock as _, Ids as _};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout, timeout_at},
};

use super::{
    enclosing_run::EnclosingRun,
    identity,
    paths::{self, HookPaths},
    session_file::{self, SessionFile},
    settings_file,
};
use crate::{failure::Failure, output::Output};

/// Default wait at the end of a turn for the answer to an own question.
pub(super) const WAIT_SECONDS_DEFAULT: u64 = 20;
/// Default time limit of a call between two steps.
const LIMIT_MS_DEFAULT: u64 = 2_000;
/// Time limit of the delivery reports after the answer.
const REPORT_TIME_MAX: Duration = Duration::from_millis(1_000);
/// Time limit at the end of a session: tools do not wait long when they close.
const SESSION_END_TIME_MAX: Duration = Duration::from_millis(1_500);

/// Handle one hook call of a coding agent: input on stdin, answer on stdout
///
/// Errors never disturb the coding agent: without a hub, a token or valid input the answer is an empty object, and the
/// reason is written to the hook log (`parlour hook status` prints its path).
///
/// Inside the command of a runner (`parlour agent --exec`) the answer is always an empty object, and nothing is sent to
/// the hub: that command works for the runner's agent.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour hook run codex --config ~/.config/parlour/hooks/codex.toml < input.json")]
pub(crate) struct HookRun {
    /// Coding agent, then --config FILE, --budget TOKENS, --wait SECONDS, --limit-ms MILLISECONDS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "TOOL SETTINGS")]
    words: Vec<OsString>,
}

/// The arguments of `run`. They are parsed separately: exit code 2 of a usage error would block the tool.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct HookCall {
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

impl HookRun {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let begun = Instant::now();
        if EnclosingRun::find().is_some() {
            return Ok(Output::text("{}\n"));
        }
        let Ok(paths) = HookPaths::of_user() else { return Ok(Output::text("{}\n")) };
        let note = |what: &str| log_error(&paths.journal(), what);
        let call = match HookCall::try_parse_from(&self.words) {
            Ok(call) => call,
            Err(error) => {
                note(&format!("hook run: {}", error.to_string().lines().next().unwrap_or_default()));
                return Ok(Output::text("{}\n"));
            }
        };
        // Not after an uninstall during a session: nothing must be left behind.
        if call.config.is_file() {
            // Best effort: without the folder no state is saved.
            let _ = settings_file::make_folders(&paths.sessions(), 0o700);
        }
        let limit = Duration::from_millis(call.limit_ms);
        let read = timeout(limit, read_input())
            .await
            .unwrap_or_else(|_| Err("no input on stdin within the time limit".to_owned()));
        let input = read.and_then(|bytes| HookInput::read(call.tool, &bytes).map_err(|error| error.to_string()));
        match input {
            Ok(input) => call.answer(&paths, &input, begun, limit).await,
            Err(why) => {
                note(&format!("{}: {why}", call.tool));
                Ok(Output::text("{}\n"))
            }
        }
    }
}

impl HookCall {
    async fn answer(
        &self,
        paths: &HookPaths,
        input: &HookInput,
        begun: Instant,
        limit: Duration,
    ) -> Result<Output, Failure> {
        let limit = match input.at {
            HookPoint::TurnEnd => limit * 2 + Duration::from_secs(self.wait),
            // Checkpoint and text.
            HookPoint::BeforeTool => limit * 2,
            HookPoint::SessionEnd => limit.min(SESSION_END_TIME_MAX),
            _ => limit,
        };
        if input.at == HookPoint::SessionStart {
            session_file::forget_old(&paths.sessions(), SystemTime::now());
        }
        let nothing = || Output::text(HookReply::Nothing.encode(input));
        Ok(match self.handle_event(paths, input, begun, limit).await {
            Ok(handled) => handled.conclude(paths, input).await.unwrap_or_else(nothing),
            Err(why) => {
                log_error(&paths.journal(), &format!("{} {}: {why}", self.tool, input.event));
                nothing()
            }
        })
    }

    async fn handle_event(
        &self,
        paths: &HookPaths,
        input: &HookInput,
        begun: Instant,
        limit: Duration,
    ) -> Result<HandledEvent, String> {
        let end = begun + limit;
        let late = |_| format!("no answer within {} ms", limit.as_millis());
        let settings = identity::read_profile(self.config.as_os_str()).map_err(|failure| failure.to_string())?;
        let client = Client::with_options(&settings.url, &settings.options()).map_err(|error| error.to_string())?;
        let client = client.with_retry(Retry::NEVER);
        let path = paths.session(self.tool, &input.session);
        let broken = |error: io::Error| format!("{}: {error}", path.display());
        let mut session = timeout_at(end, SessionFile::open(&path)).await.map_err(late)?.map_err(broken)?;
        let command = self.command();
        let outcome = {
            let hook_event = self.hook_event(&client, input, &command);
            let handled = timeout_at(end, hook_event.handle(&mut session.memory)).await.map_err(late);
            let handled = handled.and_then(|handled| handled.map_err(|error: HookEventError| error.to_string()));
            handled.or_else(|why| {
                let denied = hook_event.deny_without_hub(&mut session.memory).ok_or(why.clone())?;
                log_error(&paths.journal(), &format!("{} {}: the tool is denied: {why}", self.tool, input.event));
                Ok::<_, String>(denied)
            })
        };
        // The state is saved also if the call failed.
        let saved = session.save().map_err(broken);
        let outcome = outcome?;
        saved?;
        Ok(HandledEvent { outcome, session, client })
    }

    fn hook_event<'a>(&self, client: &'a Client, input: &'a HookInput, command: &'a str) -> HookEvent<'a> {
        let next_run = RunId::from_bits(RandomIds.next_bits());
        HookEvent { client, input, command: Some(command), budget: self.budget, wait_seconds: self.wait, next_run }
    }

    /// The prefix of all commands that are shown to the model.
    fn command(&self) -> String {
        // As the settings of the tool call it: the permission rules name this path.
        let called = env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
        let program = called.or_else(|| paths::program().ok()).unwrap_or_else(|| "parlour".into());
        paths::reply_prefix(&program, &self.config)
    }
}

/// A handled event whose answer was not written yet.
struct HandledEvent {
    outcome: HookResult,
    session: SessionFile,
    client: Client,
}

impl HandledEvent {
    /// Writes the answer to the tool, then reports the deliveries to the hub.
    async fn conclude(mut self, paths: &HookPaths, input: &HookInput) -> Option<Output> {
        let reply = &self.outcome.reply;
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(reply.encode(input).as_bytes()).and_then(|()| stdout.flush());
        drop(stdout);
        let done = Some(Output::default());
        let note = |what: String| log_error(&paths.journal(), &format!("{} {}: {what}", input.tool, input.event));
        if let Err(error) = written {
            // The answer did not reach the tool, so nothing is reported.
            note(format!("cannot write the answer: {error}"));
            return done;
        }
        if reply.reaches_model(input) {
            self.session.memory.record_delivered(&self.outcome.named, input.at);
            let ended = &self.outcome.ended;
            self.session.memory.asked.retain(|question| !ended.contains(question));
            if let Err(error) = self.session.save() {
                note(format!("cannot save the session: {error}"));
            }
        }
        let next_run = RunId::from_bits(RandomIds.next_bits());
        let client = &self.client;
        let hook_event = HookEvent { client, input, command: None, budget: None, wait_seconds: 0, next_run };
        let reported = timeout(REPORT_TIME_MAX, hook_event.report(&mut self.session.memory)).await;
        match reported {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(format!("deliveries will be reported later: {error}")),
            Err(_) => note("deliveries will be reported later: no answer in time".to_owned()),
        }
        let kept = if input.at == HookPoint::SessionEnd { self.session.forget() } else { self.session.save() };
        if let Err(error) = kept {
            note(format!("cannot save the session: {error}"));
        }
        done
    }
}

/// Reads stdin in a detached thread, which does not keep the process alive.
async fn read_input() -> Result<Vec<u8>, String> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        // The receiver may have timed out.
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = receiver.await.map_err(|_| "cannot read the input".to_owned())?.map_err(|error| error.to_string())?;
    if bytes.len() > INPUT_BYTES_MAX { Err("the input is too large".to_owned()) } else { Ok(bytes) }
}

/// Size limit of the log file.
const JOURNAL_BYTES_MAX: u64 = 64 * 1024;
const LINE_CHARS_MAX: usize = 500;

/// Appends one line to the log file. Errors are ignored.
pub(super) fn log_error(path: &Path, what: &str) {
    let line: String = what
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(LINE_CHARS_MAX)
        .collect();
    if fs::metadata(path).is_ok_and(|about| about.len() > JOURNAL_BYTES_MAX) {
        cut(path);
    }
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{} {line}", SystemClock::default().now()));
}

/// Keeps the newer half of the log file.
fn cut(path: &Path) {
    let Ok(text) = fs::read(path) else { return };
    let half = &text[text.len() / 2..];
    let from = half.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let _ = fs::write(path, &half[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_bounded_and_keeps_the_newest_lines() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("journal.log");
        for number in 0..2_000 {
            log_error(&path, &format!("line {number}\n{}", "x".repeat(100)));
        }
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.len() as u64 <= JOURNAL_BYTES_MAX + 1_000);
        assert!(text.contains("line 1999 xxx") && !text.contains("line 1 xxx"), "one line each, the old ones gone");
        assert!(text.lines().all(|line| line.contains("Z line ")));
    }

    #[test]
    fn a_journal_in_a_missing_folder_is_skipped_and_the_folder_is_not_created() {
        let folder = tempfile::tempdir().expect("folder");
        let missing = folder.path().join("missing");
        log_error(&missing.join("journal.log"), "x");
        assert!(!missing.exists());
        let path = folder.path().join("journal.log");
        log_error(&path, "y");
        assert!(fs::read_to_string(&path).expect("read").ends_with("Z y\n"));
    }
}
