//! A command that runs: what it is given, what it writes, and its end.

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

use super::output_text::{OutputText, clean};
use crate::engine::{AnswerSink, EngineError, EngineSignals};

/// Bytes that are read at once.
const READ_BYTES_MAX: usize = 16 * 1024;
/// How often it is looked whether the processes that were asked to end have ended.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// A running command. Dropping it kills it and all that it has started: also what was left in the background by one
/// that has ended.
pub(super) struct Running {
    // Before the child, so that it is dropped first: while the child is not reaped, nobody else has the group's number.
    group: Group,
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

/// How a command went.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Whether it has written anything that can be seen.
    pub(super) has_answered: bool,
    pub(super) errors: Tail,
}

/// Where the answer goes.
pub(super) struct Sink<'a> {
    pub(super) out: &'a mut dyn AnswerSink,
    pub(super) bytes_max: usize,
    /// How long the rest is waited for when the command has ended and something that it has started holds it open.
    pub(super) rest_time: Duration,
}

impl Running {
    /// Starts a command in a group of its own.
    pub(super) fn start(mut command: Command) -> std::io::Result<Self> {
        lead_own_group(&mut command);
        let mut child = command.spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        Ok(Self { group: Group::of(&child), child, stdout, stderr })
    }

    /// Gives the command its input and passes on what it writes, until it has ended.
    pub(super) async fn attend(&mut self, input: &str, sink: Sink<'_>) -> Result<Ended, EngineError> {
        let (over, rest_time) = (CancellationToken::new(), sink.rest_time);
        let (given, mut pausing) = (sink.out.signals(), Pausing::new(sink.out.signals()));
        let Self { group, child, stdout, stderr } = self;
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
        let (has_answered, errors) = match read {
            Some(read) => read,
            None => match timeout(rest_time, &mut reading).await {
                Ok(read) => read?,
                Err(_) => read_last(reading, group, &over).await?,
            },
        };
        Ok(Ended { status, has_answered, errors })
    }

    /// Ends the command and all that it has started: politely, and after a grace not so. Returns when it is gone.
    pub(super) async fn stop(mut self, grace: Duration) {
        self.group.ask_to_end();
        let _ = timeout(grace, self.all_ended()).await;
        self.group.kill();
        let _ = self.child.start_kill();
        // Nothing survives that but a process that waits for a broken disk; it is reaped later.
        let _ = timeout(grace, self.child.wait()).await;
    }

    /// Waits until nobody is left. What they write meanwhile is taken and forgotten: a command that says good-bye is not
    /// to fail at that.
    async fn all_ended(&mut self) {
        let Self { group, child, stdout, stderr } = self;
        let never = CancellationToken::new();
        let forgetting = async { join!(keep_tail(stdout, &never), keep_tail(stderr, &never)) };
        let ending = async {
            let _ = child.wait().await;
            // One that has ended but was not reaped counts as well: where nobody does that, all the grace is waited.
            while !group.is_empty() {
                sleep(LOOK_PAUSE).await;
            }
        };
        select! {
            () = ending => {}
            // At the end of the output the end of the processes is still waited for.
            () = async { forgetting.await; pending().await } => {}
        }
    }
}

/// Lets the processes of a command stand still while its answer is paused.
struct Pausing {
    signals: EngineSignals,
    is_suspended: bool,
}

impl Pausing {
    fn new(signals: EngineSignals) -> Self {
        Self { signals, is_suspended: false }
    }

    /// Waits for the next pause or its end, and does what it takes.
    async fn change(&mut self, group: &Group) {
        if self.is_suspended {
            self.signals.resumed().await;
            group.go_on();
        } else {
            self.signals.paused().await;
            group.suspend();
        }
        self.is_suspended = !self.is_suspended;
    }
}

fn lost_track(error: &std::io::Error) -> EngineError {
    EngineError::new(format!("nobody can tell how the command ended: {error}"))
}

/// Ends what the command has started in the background, because that holds the output open, perhaps for ever, and reads
/// only what is already there.
async fn read_last<T>(reading: impl Future<Output = T>, group: &Group, over: &CancellationToken) -> T {
    group.kill();
    over.cancel();
    reading.await
}

/// Writes the input and closes it. A command that does not read it loses nothing but that.
async fn feed(stdin: Option<ChildStdin>, input: &str) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
}

/// Passes on what is written as text; says at the end whether there was any.
async fn relay(
    stdout: &mut Option<impl AsyncRead + Unpin>,
    sink: Sink<'_>,
    over: &CancellationToken,
) -> Result<bool, EngineError> {
    let mut output = OutputText::default();
    let mut has_answered = false;
    let mut bytes_left = sink.bytes_max;
    let mut buffer = vec![0; READ_BYTES_MAX];
    loop {
        let bytes = read_some(stdout, &mut buffer, over).await;
        if bytes.is_empty() {
            break;
        }
        let is_too_much = bytes.len() > bytes_left;
        let bytes = &bytes[..bytes.len().min(bytes_left)];
        bytes_left -= bytes.len();
        has_answered |= write(sink.out, &output.push(bytes)).await?;
        if is_too_much {
            return Err(too_much(sink.bytes_max));
        }
    }
    Ok(write(sink.out, &output.finish()).await? || has_answered)
}

fn too_much(bytes_max: usize) -> EngineError {
    EngineError::new(format!("the command wrote more than {bytes_max} bytes and was stopped"))
}

async fn write(out: &mut dyn AnswerSink, text: &str) -> Result<bool, EngineError> {
    if !text.is_empty() {
        out.write(text).await?;
    }
    Ok(!text.is_empty())
}

/// Reads everything, so that the command never waits for that, and keeps its end.
async fn keep_tail(from: &mut Option<impl AsyncRead + Unpin>, over: &CancellationToken) -> Tail {
    let mut tail = Tail::default();
    let mut buffer = vec![0; READ_BYTES_MAX];
    loop {
        match read_some(from, &mut buffer, over).await {
            [] => return tail,
            bytes => tail.push(bytes),
        }
    }
}

/// The next bytes; none at the end, when it cannot be read, or when it is over and nothing is there.
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

/// Makes the command the leader of a group of its own, so that all its processes can be ended together.
pub(super) fn lead_own_group(command: &mut Command) {
    #[cfg(unix)]
    command.process_group(0);
    command.kill_on_drop(true);
}

/// The group of a command. Dropping it kills whoever is left, also in a panic or when a task is aborted.
///
/// A process that has left the group by its own will, as daemons do, is out of reach. Where there are no groups only
/// the command itself is ended.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    id: Option<Pid>,
}

#[cfg(unix)]
impl Group {
    /// The group of a command that has just been started.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { id }
    }

    /// Asks all to end. Who is suspended is woken for it, because nobody hears anything while it stands still.
    pub(super) fn ask_to_end(&self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Lets all stand still where they are. Nobody can refuse.
    pub(super) fn suspend(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets all go on.
    pub(super) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Ends all. Nobody can refuse.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none_or(|id| test_kill_process_group(id).is_err())
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // It fails when nobody is left, which is what is wanted.
            let _ = kill_process_group(id, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    /// The group of a command that has just been started.
    pub(super) fn of(_child: &Child) -> Self {
        Self {}
    }

    /// Nobody can be asked here.
    pub(super) fn ask_to_end(&self) {}

    /// Nobody can be held here; what is written waits all the same.
    pub(super) fn suspend(&self) {}

    /// Nobody was held.
    pub(super) fn go_on(&self) {}

    /// The command itself is killed when it is dropped.
    pub(super) fn kill(&self) {}

    /// Nobody else is known.
    pub(super) fn is_empty(&self) -> bool {
        true
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The last bytes of a flow, however long it was.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    /// Takes the next bytes and forgets what is too old.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(limits::COMMAND_STDERR_BYTES_MAX);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The last lines as a text; a line whose beginning is lost is left out unless it is all there is.
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
        let mut tail = Tail::default();
        text.as_bytes().chunks(700).for_each(|piece| tail.push(piece));
        tail.text()
    }

    #[test]
    fn a_short_text_is_kept_whole_and_clean() {
        assert_eq!(tail_of(""), "");
        assert_eq!(tail_of("\n  \x1b[31merror:\x1b[0m no key\r\n"), "error: no key");
    }

    #[test]
    fn of_a_long_text_the_last_whole_lines_are_kept() {
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
