//! Runs engines and sees what they write and what they leave behind.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use parlour_agent::{
    engine::{
        AnswerFlow, AnswerSink, AnswerStopped, Completion, Engine, EngineError, EngineProcesses, EngineSignals, Prompt,
    },
    engines::ExecEngine,
};
use parlour_core::step::{FinishStep, StartStep};
use tempfile::TempDir;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Nothing here takes so long; a test that would hang fails instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Takes an answer and hands its pieces on.
struct ChunkCollector(mpsc::UnboundedSender<String>, EngineSignals, Steps);

/// The steps of an answer, as lines: `> ID NAME` at the start, `< ID OUTPUT` or `! ID OUTPUT` at the end.
pub(crate) type Steps = Arc<Mutex<Vec<String>>>;

#[async_trait]
impl AnswerSink for ChunkCollector {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.0.send(text.to_owned()).map_err(|_| AnswerStopped)
    }

    async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
        step.check().expect("a step that the hub accepts");
        self.2.lock().expect("steps").push(format!("> {} {}", step.id, step.name));
        Ok(())
    }

    async fn finish_step(&mut self, id: &str, end: FinishStep) -> Result<(), AnswerStopped> {
        end.check().expect("an end that the hub accepts");
        let mark = if end.is_error { "!" } else { "<" };
        let output = end.output.as_ref().and_then(|output| output.as_str()).unwrap_or_default();
        self.2.lock().expect("steps").push(format!("{mark} {id} {output}"));
        Ok(())
    }

    fn signals(&self) -> EngineSignals {
        self.1.clone()
    }
}

/// An answer that is being made.
pub(crate) struct RunningAnswer {
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<Completion, EngineError>>,
    pieces: mpsc::UnboundedReceiver<String>,
    flow: watch::Sender<AnswerFlow>,
    pub(crate) processes: watch::Sender<EngineProcesses>,
    /// Cancelled when the command was given its prompt.
    pub(crate) given: CancellationToken,
    pub(crate) steps: Steps,
    /// Everything that was written so far.
    pub(crate) text: String,
}

impl RunningAnswer {
    pub(crate) fn begin(engine: impl Engine + 'static, prompt: Prompt) -> Self {
        let (sender, pieces) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let (stopped, given) = (stop.clone(), CancellationToken::new());
        let (flow, follow) = watch::channel(AnswerFlow::default());
        let (processes, steps) = (watch::Sender::default(), Steps::default());
        let signals = EngineSignals::new(follow, given.clone()).reporting_to(processes.clone());
        let mut paper = ChunkCollector(sender, signals, steps.clone());
        let task = tokio::spawn(async move { engine.answer(&prompt, &mut paper, stopped).await });
        Self { stop, task, pieces, flow, processes, given, steps, text: String::new() }
    }

    /// Pauses the answer, or lets it go on.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.flow.send_modify(|flow| flow.is_paused = is_paused);
    }

    /// Holds the answer for a checkpoint.
    pub(crate) fn hold(&self) {
        self.flow.send_modify(|flow| flow.is_held = true);
    }

    /// Waits for the next piece; none when there will be no more.
    pub(crate) async fn next_piece(&mut self) -> Option<String> {
        let piece = timeout(PATIENCE, self.pieces.recv()).await.expect("a piece or the end")?;
        self.text.push_str(&piece);
        Some(piece)
    }

    /// Waits until this has been written.
    pub(crate) async fn until_written(&mut self, text: &str) {
        while !self.text.contains(text) {
            self.next_piece().await.expect("the answer goes on");
        }
    }

    /// Nobody wants to read on: the next write is refused.
    pub(crate) fn refuse(&mut self) {
        self.pieces.close();
    }

    /// Waits for the end.
    pub(crate) async fn end(mut self) -> (String, Result<Completion, EngineError>) {
        while self.next_piece().await.is_some() {}
        let outcome = timeout(PATIENCE, self.task).await.expect("an end").expect("no panic");
        (self.text, outcome)
    }
}

/// The whole answer of an engine.
pub(crate) async fn answer(engine: impl Engine + 'static, prompt: Prompt) -> (String, Result<Completion, EngineError>) {
    RunningAnswer::begin(engine, prompt).end().await
}

/// The whole answer of a command that goes well.
pub(crate) async fn text_of(engine: ExecEngine, prompt: Prompt) -> String {
    let (text, outcome) = answer(engine, prompt).await;
    assert_eq!(outcome, Ok(Completion::default()));
    text
}

/// Why a command has no whole answer.
pub(crate) async fn trouble_of(engine: ExecEngine, prompt: Prompt) -> String {
    answer(engine, prompt).await.1.expect_err("trouble").reason
}

/// Sees when all processes of a command are gone: they hold a pipe open, and its end is their end.
pub(crate) struct AnswerHandle {
    folder: TempDir,
    end: oneshot::Receiver<()>,
}

impl AnswerHandle {
    /// An engine that runs this command on a leash, which all that it starts inherits.
    pub(crate) fn on(command: &str) -> (Self, ExecEngine) {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = make_pipe(&folder, "leash");
        let engine = ExecEngine {
            folder: Some(folder.path().to_owned()),
            ..ExecEngine::new(format!("exec 9>leash; {command}"))
        };
        let (sender, end) = oneshot::channel();
        // A thread of its own: the end of a test waits for all that its runtime has begun.
        std::thread::spawn(move || fs::read(pipe).map(|_| sender.send(())));
        (Self { folder, end }, engine)
    }

    /// Where the command runs.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a pipe with a name where the command runs.
    pub(crate) fn make_pipe(&self, name: &str) {
        make_pipe(&self.folder, name);
    }

    /// Waits until nobody is left, and hands back the folder in which the command ran.
    pub(crate) async fn all_gone(self) -> TempDir {
        timeout(PATIENCE, self.end).await.expect("processes are left").expect("the pipe was read");
        self.folder
    }
}

/// A pipe with a name: who opens it waits for the other side.
pub(crate) fn make_pipe(folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    let status = std::process::Command::new("mkfifo").arg(&path).status().expect("it runs");
    assert!(status.success());
    path
}

/// An engine whose command waits for leave at each of these pipes: `read line <PIPE`.
pub(crate) fn waiting_at(pipes: &[&str], command: &str) -> (TempDir, ExecEngine) {
    let folder = tempfile::tempdir().expect("a folder");
    for pipe in pipes {
        make_pipe(&folder, pipe);
    }
    let engine = ExecEngine { folder: Some(folder.path().into()), ..ExecEngine::new(command) };
    (folder, engine)
}

/// Lets a command go on that waits at this pipe.
pub(crate) async fn give_leave(folder: &TempDir, pipe: &str) {
    let pipe = folder.path().join(pipe);
    spawn_blocking(move || fs::write(pipe, "on\n")).await.expect("joined").expect("the command waits");
}

/// Waits until a process stands still: stopped, or waiting for a child that was stopped before it had begun.
pub(crate) async fn until_still(pid: &str) {
    let is_still = |stat: &str| stat.contains(") T ") || stat.contains(") D ");
    let look = async {
        while !fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| is_still(&stat)) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, look).await.expect("it never came to that");
}

/// Whether a process is no more; one that only waits to be reaped counts as gone.
pub(crate) fn is_gone(pid: &str) -> bool {
    let id = pid.parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
    let is_dead = || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
    rustix::process::test_kill_process(id).is_err() || is_dead()
}
