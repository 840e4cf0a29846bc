//! A command that runs beside the test: its lines are read as they come.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

/// A test that waits longer for a line has failed.
const LINE_TIME_MAX: Duration = Duration::from_secs(60);
/// Lines that wait to be read by the test.
const LINES_WAITING_MAX: usize = 100_000;

/// A running command. Dropping it kills the process and waits for its end.
pub(crate) struct RunningProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<mpsc::Receiver<String>>,
    stderr: mpsc::Receiver<String>,
}

impl RunningProcess {
    /// Starts the command with pipes all around.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut running = Self::start_unread(command);
        running.stdout = Some(lines_of(running.child.stdout.take().expect("a pipe")));
        running
    }

    /// The same, but nobody reads its stdout yet.
    pub(crate) fn start_unread(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stderr = lines_of(child.stderr.take().expect("a pipe"));
        Self { stdin: child.stdin.take(), stdout: None, stderr, child }
    }

    /// Closes the reading end of its stdout, as `head` does.
    pub(crate) fn close_stdout(&mut self) {
        drop(self.child.stdout.take());
    }

    /// Its next line on stdout.
    pub(crate) fn line(&self) -> String {
        self.stdout.as_ref().expect("read").recv_timeout(LINE_TIME_MAX).expect("a line on stdout")
    }

    /// Its next line on stderr.
    pub(crate) fn note(&self) -> String {
        self.stderr.recv_timeout(LINE_TIME_MAX).expect("a line on stderr")
    }

    /// Gives it something to read.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the program reads");
    }

    /// Ends its stdin.
    pub(crate) fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Sends it Ctrl+C.
    pub(crate) fn interrupt(&self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, Signal::INT).expect("it runs");
    }

    /// Waits for its end: the exit code, and what it still said on stdout and stderr.
    pub(crate) fn finish(mut self) -> (Option<i32>, String, String) {
        let code = self.child.wait().expect("the end").code();
        let rest = |lines: &mpsc::Receiver<String>| lines.iter().map(|line| line + "\n").collect::<String>();
        (code, self.stdout.as_ref().map(rest).unwrap_or_default(), rest(&self.stderr))
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // Both fail only when the process has already ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::sync_channel(LINES_WAITING_MAX);
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
