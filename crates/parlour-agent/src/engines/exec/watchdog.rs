//! Ends the processes of a command when the runner itself is killed and can no longer end them.

use std::process::Stdio;

use rustix::process::Pid;
use tokio::process::{Child, ChildStdin, Command};

/// Waits for the end of its input, which only the runner holds open, and then kills the process group in its argument.
const SCRIPT: &str = "read -r _ || kill -KILL \"-$1\"";

/// A process that outlives the runner just long enough to kill one process group. Dropping it ends it without effect.
///
/// A parent-death signal would reach the command only, not the processes that the command has started.
#[derive(Debug)]
pub(super) struct Watchdog {
    child: Child,
    /// Closed by the system when the runner ends, however it ends.
    _input: Option<ChildStdin>,
}

impl Watchdog {
    /// Watches over a process group. Without a shell there is no watchdog, and the command runs all the same.
    pub(super) fn start(group: Pid) -> Option<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh", &group.as_raw_nonzero().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Its own group: a Ctrl+C in the terminal of the runner must not end it first.
        command.process_group(0);
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take();
        Some(Self { child, _input: input })
    }
}

impl Drop for Watchdog {
    /// Kills the process before its input closes.
    fn drop(&mut self) {
        let _ = self.child.start_kill();
    }
}
