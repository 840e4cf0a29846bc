//! A reader that is the real `parlour tail --json`, killed again and again and told each time where it was.

use std::{path::PathBuf, process::Stdio, time::Duration};

use parlour_core::position::Position;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::{
    reader::ReaderTarget,
    run_state::FaultRunState,
    seed::SeededRng,
    support::parlour,
    transcript::{ReaderSession, ReceivedFrame, Transcript},
};

/// Processes of one reader; more would mean that nothing gets through at all.
const PROCESSES_MAX: usize = 2_000;
/// A process is killed after fewer lines than this.
const LIFE_LINES_END: u64 = 120;
/// A process that waits for long before it connects again is killed, too: a run has no time for that.
const SILENCE: Duration = Duration::from_secs(2);
/// So many processes in a row may say nothing although the last event is there.
const SILENT_MAX: usize = 10;

/// A tail to be.
pub(crate) struct TailReader {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) target: ReaderTarget,
    /// The start of the log.
    pub(crate) start: Position,
    pub(crate) run_state: FaultRunState,
    pub(crate) numbers: SeededRng,
}

impl TailReader {
    /// Follows the project until everything was heard, or nothing comes any more.
    pub(crate) async fn read_on(mut self) -> Transcript {
        let mut transcript = Transcript { reader: self.name.clone(), sessions: Vec::new() };
        let (mut note, mut silent) = (self.start.clone(), 0);
        for _ in 0..PROCESSES_MAX {
            self.run_state.hub_is_there().await;
            let session = self.run_once(&note).await;
            note = session.received.iter().rev().find_map(ReceivedFrame::place).unwrap_or(note);
            silent = if session.received.is_empty() && self.finish().is_some() { silent + 1 } else { 0 };
            transcript.sessions.push(session);
            if self.is_finished(&note) || silent == SILENT_MAX {
                break;
            }
        }
        transcript
    }

    /// Runs one process until it is killed, or has shown everything.
    async fn run_once(&mut self, after: &Position) -> ReaderSession {
        let (mut child, mut lines) = self.start_process(after);
        let mut session = ReaderSession { after: Some(after.clone()), ..ReaderSession::default() };
        for _ in 0..=self.numbers.below(LIFE_LINES_END) {
            let Ok(Ok(Some(line))) = tokio::time::timeout(SILENCE, lines.next_line()).await else { break };
            // The last line of a killed process may be half a line, but a line that has ended is whole.
            let received = ReceivedFrame::now(serde_json::from_str(&line).expect("each line is a frame"));
            let place = received.place();
            session.received.push(received);
            if place.is_some_and(|place| self.is_finished(&place)) {
                break;
            }
        }
        // Fails only when it has ended by itself.
        let _ = child.kill().await;
        session
    }

    fn start_process(&self, after: &Position) -> (Child, Lines<BufReader<ChildStdout>>) {
        let mut command = Command::from(parlour(&self.folder));
        command.args(["tail", "--json", "--since", &after.to_string(), "--project", &self.target.project]);
        command.env("PARLOUR_URL", &self.target.url).env("PARLOUR_TOKEN", &self.target.token);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let stdout = child.stdout.take().expect("a pipe");
        (child, BufReader::new(stdout).lines())
    }

    fn finish(&self) -> Option<u64> {
        *self.run_state.finish.borrow()
    }

    fn is_finished(&self, place: &Position) -> bool {
        self.finish().is_some_and(|finish| place.offset() >= finish)
    }
}
