//! A running command: its input, output, pauses and end.

use std::{future::pending, pin::pin, process::ExitStatus, time::Duration};

use parlour_core::limits;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    join,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    select,
    time::{sleep, timeout},
    try_join,
};
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use super::watchdog::Watchdog;
use super::{
    command_output::{CommandOutput, OutputFormat, OutputReport},
    output_text::clean,
};
use crate::engine::{AnswerSink, EngineError, EngineProcesses, EngineSignals};

const READ_BYTES_MAX: usize = 16 * 1024;
/// The interval of checks whether all processes have ended.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// A running command. Dropping it kills its whole process group, even if the command itself has ended. If this process is
/// killed, the watchdog kills the group.
pub(super) struct RunningCommand {
    #[cfg(unix)]
    _watchdog: Option<Watchdog>,
    // Dropped before the child: until the child is reaped, no other process can have the id of the group.
    group: ProcessGroup,
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct CommandOutcome {
    pub(super) status: ExitStatus,
    pub(super) output: OutputReport,
    pub(super) errors: StderrTail,
}

/// The destination of the output, with its limits.
pub(super) struct OutputSink<'a> {
    pub(super) out: &'a mut dyn AnswerSink,
    pub(super) format: OutputFormat,
    /// The limit for plain text.
    pub(super) bytes_max: usize,
    /// See [`ExecEngine::rest_time`](super::ExecEngine::rest_time).
    pub(super) rest_time: Duration,
}

impl RunningCommand {
    /// Starts a command in its own process group.
    pub(super) fn start(mut command: Command) -> std::io::Result<Self> {
        lead_own_group(&mut command);
        let mut child = command.spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let group = ProcessGroup::of(&child);
        Ok(Self {
            #[cfg(unix)]
            _watchdog: group.id.and_then(Watchdog::start),
            group,
            child,
            stdout,
            stderr,
        })
    }

    /// Writes the input and relays the output until the command has ended.
    pub(super) async fn attend(&mut self, input: &str, sink: OutputSink<'_>) -> Result<CommandOutcome, EngineError> {
        let (over, rest_time) = (CancellationToken::new(), sink.rest_time);
        let (given, mut pausing) = (sink.out.signals(), PauseSignals::new(sink.out.signals()));
        let Self { group, child, stdout, stderr, .. } = self;
        let stdin = child.stdin.take();
        let mut reading =
            pin!(async { try_join!(relay(stdout, sink, &over), async { Ok(keep_tail(stderr, &over).await) }) });
        let mut read = None;
        let status = {
            let mut feeding = pin!(feed(stdin, input));
            let mut is_fed = false;
            loop {
                select! {
                    status = child.wait() => break status.map_err(|error| lost_track(&error))?,
                    () = &mut feeding, if !is_fed => {
                        is_fed = true;
                        given.mark_prompt_delivered();
                    }
                    () = pausing.change(group) => {}
                    outcome = &mut reading, if read.is_none() => read = Some(outcome?),
                }
            }
        };
        // From here on nothing is stopped: a checkpoint must not wait for the rest of the output, which waits for it.
        drop(pausing);
        let (output, errors) = match read {
            Some(read) => read,
            None => match timeout(rest_time, &mut reading).await {
                Ok(read) => read?,
                Err(_) => read_last(reading, group, &over).await?,
            },
        };
        Ok(CommandOutcome { status, output, errors })
    }

    /// Ends the whole process group: `SIGTERM`, then `SIGKILL` after `grace`. Returns when it has ended.
    pub(super) async fn stop(mut self, grace: Duration) {
        self.group.ask_to_end();
        let _ = timeout(grace, self.all_ended()).await;
        self.group.kill();
        let _ = self.child.start_kill();
        // Only a process in uninterruptible sleep survives; it is reaped later.
        let _ = timeout(grace, self.child.wait()).await;
    }

    /// Waits until all processes have ended. Their output is read and discarded, so that they do not block on it.
    async fn all_ended(&mut self) {
        let Self { group, child, stdout, stderr, .. } = self;
        let never = CancellationToken::new();
        let forgetting = async { join!(keep_tail(stdout, &never), keep_tail(stderr, &never)) };
        let ending = async {
            let _ = child.wait().await;
            // A zombie counts as running: if nobody reaps it, the whole grace period passes.
            while !group.is_empty() {
                sleep(LOOK_PAUSE).await;
            }
        };
        select! {
            () = ending => {}
            // The end of the output does not mean the end of the processes.
            () = async { forgetting.await; pending().await } => {}
        }
    }
}

/// Stops the processes of a command while its answer is held or paused. They are stopped before the hub is asked at a
/// checkpoint, so that no step begins between the pause at the hub and the signal.
struct PauseSignals {
    signals: EngineSignals,
    is_suspended: bool,
}

impl PauseSignals {
    fn new(signals: EngineSignals) -> Self {
        signals.report_processes(EngineProcesses::Running);
        Self { signals, is_suspended: false }
    }

    /// Waits for the next pause or its end, and stops or continues the processes.
    async fn change(&mut self, group: &ProcessGroup) {
        if self.is_suspended {
            self.signals.released().await;
            self.signals.report_processes(EngineProcesses::Running);
            group.go_on();
        } else {
            self.signals.held().await;
            group.suspend();
            self.signals.report_processes(EngineProcesses::Stopped);
        }
        self.is_suspended = !self.is_suspended;
    }
}

impl Drop for PauseSignals {
    fn drop(&mut self) {
        self.signals.report_processes(EngineProcesses::None);
    }
}

fn lost_track(error: &std::io::Error) -> EngineError {
    EngineError::new(format!("the status of the command cannot be read: {error}"))
}

/// Kills background processes, which may keep the output open for ever, and reads the output that is already there.
async fn read_last<T>(reading: impl Future<Output = T>, group: &ProcessGroup, over: &CancellationToken) -> T {
    group.kill();
    over.cancel();
    reading.await
}

/// Writes the input and closes it. A command that does not read its input is not an error.
async fn feed(stdin: Option<ChildStdin>, input: &str) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
}

/// Relays the output to the answer.
async fn relay(
    stdout: &mut Option<impl AsyncRead + Unpin>,
    sink: OutputSink<'_>,
    over: &CancellationToken,
) -> Result<OutputReport, EngineError> {
    let mut output = CommandOutput::new(sink.out, sink.format, sink.bytes_max);
    let mut buffer = vec![0; READ_BYTES_MAX];
    loop {
        match read_some(stdout, &mut buffer, over).await {
            [] => return output.finish().await,
            bytes => output.push(bytes).await?,
        }
    }
}

/// Reads everything, so that the command never blocks, and keeps the end.
async fn keep_tail(from: &mut Option<impl AsyncRead + Unpin>, over: &CancellationToken) -> StderrTail {
    let mut tail = StderrTail::default();
    let mut buffer = vec![0; READ_BYTES_MAX];
    loop {
        match read_some(from, &mut buffer, over).await {
            [] => return tail,
            bytes => tail.push(bytes),
        }
    }
}

/// The next bytes; empty at the end, on an error, or when `over` is cancelled and nothing is buffered.
async fn read_some<'a>(
    from: &mut Option<impl AsyncRead + Unpin>,
    buffer: &'a mut [u8],
    over: &CancellationToken,
) -> &'a [u8] {
    let Some(from) = from else { return &[] };
    let len = select! {
        biased;
        read = from.read(buffer) => read.unwrap_or(0),
        () = over.cancelled() => 0,
    };
    &buffer[..len]
}

/// Makes the command the leader of its own process group, so that all its processes can be ended together.
pub(super) fn lead_own_group(command: &mut Command) {
    #[cfg(unix)]
    command.process_group(0);
    command.kill_on_drop(true);
}

/// The process group of a command. Dropping it kills the remaining processes, also on a panic or an aborted task.
///
/// A process that has left the group, as daemons do, is not reached. On systems without process groups only the command
/// itself is ended.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    #[cfg(unix)]
    id: Option<Pid>,
}

#[cfg(unix)]
impl ProcessGroup {
    /// The group of a command that has just been started.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { id }
    }

    /// Sends `SIGTERM`, and `SIGCONT` because stopped processes do not handle signals.
    pub(super) fn ask_to_end(&self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    pub(super) fn suspend(&self) {
        self.signal(Signal::STOP);
    }

    pub(super) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether all processes have ended.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none_or(|id| test_kill_process_group(id).is_err())
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // Fails if no process is left, which is fine.
            let _ = kill_process_group(id, signal);
        }
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    /// The group of a command that has just been started.
    pub(super) fn of(_child: &Child) -> Self {
        Self {}
    }

    pub(super) fn ask_to_end(&self) {}

    /// Not supported; the output waits anyway.
    pub(super) fn suspend(&self) {}

    pub(super) fn go_on(&self) {}

    /// The command itself is killed when it is dropped.
    pub(super) fn kill(&self) {}

    pub(super) fn is_empty(&self) -> bool {
        true
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The last bytes of standard error.
#[derive(Debug, Default)]
pub(super) struct StderrTail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl StderrTail {
    /// Appends bytes and drops the oldest.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(limits::COMMAND_STDERR_BYTES_MAX);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The last lines as text; without a cut first line, unless it is the only one.
    pub(super) fn text(&self) -> String {
        let text = clean(&self.bytes);
        if !self.is_cut {
            return text.trim_start().to_owned();
        }
        let whole_lines = text.split_once('\n').map_or(text.as_str(), |(_, lines)| lines);
        format!("… {}", whole_lines.trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(text: &str) -> String {
        let mut tail = StderrTail::default();
        text.as_bytes().chunks(700).for_each(|piece| tail.push(piece));
        tail.text()
    }

    #[test]
    fn a_short_error_output_is_kept_and_cleaned() {
        assert_eq!(tail_of(""), "");
        assert_eq!(tail_of("\n  \x1b[31merror:\x1b[0m no key\r\n"), "error: no key");
    }

    #[test]
    fn the_last_complete_lines_of_a_long_text_are_kept() {
        let text = format!("{}\nlast but one\nlast\n", "x".repeat(limits::COMMAND_STDERR_BYTES_MAX));
        assert_eq!(tail_of(&text), "… last but one\nlast");
    }

    #[test]
    fn of_one_long_line_the_end_is_kept() {
        let text = tail_of(&"ü".repeat(5_000));
        assert!(text.ends_with("üü") && text.starts_with("… "));
        assert!(text.len() <= limits::COMMAND_STDERR_BYTES_MAX + 8);
    }
}
