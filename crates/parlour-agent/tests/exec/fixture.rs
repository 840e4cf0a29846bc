//! Runs engines and sees what they write and what they leave behind.

use std::{fs, path::PathBuf, time::Duration};

use async_trait::async_trait;
use parlour_agent::{
    engine::{AnswerFlow, AnswerSink, AnswerStopped, Completion, Engine, EngineError, EngineSignals, Prompt},
    engines::ExecEngine,
};
use parlour_core::step::{FinishStep, StartStep};
use tempfile::TempDir;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Nothing here takes so long; a test that would hang fails instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Takes an answer and hands its pieces on.
struct ChunkCollector(mpsc::UnboundedSender<String>, EngineSignals);

#[async_trait]
impl AnswerSink for ChunkCollector {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        self.0.send(text.to_owned()).map_err(|_| AnswerStopped)
    }

    async fn start_step(&mut self, _: StartStep) -> Result<(), AnswerStopped> {
        Ok(())
    }

    async fn finish_step(&mut self, _: &str, _: FinishStep) -> Result<(), AnswerStopped> {
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
    /// Cancelled when the command was given its prompt.
    pub(crate) given: CancellationToken,
    /// Everything that was written so far.
    pub(crate) text: String,
}

impl RunningAnswer {
    pub(crate) fn begin(engine: impl Engine + 'static, prompt: Prompt) -> Self {
        let (sender, pieces) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let (stopped, given) = (stop.clone(), CancellationToken::new());
        let (flow, follow) = watch::channel(AnswerFlow::default());
        let mut paper = ChunkCollector(sender, EngineSignals::new(follow, given.clone()));
        let task = tokio::spawn(async move { engine.answer(&prompt, &mut paper, stopped).await });
        Self { stop, task, pieces, flow, given, text: String::new() }
    }

    /// Pauses the answer, or lets it go on.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.flow.send_modify(|flow| flow.is_paused = is_paused);
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
