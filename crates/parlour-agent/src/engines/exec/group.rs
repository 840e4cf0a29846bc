//! The processes of a command: it and everything that it has started.

use tokio::process::{Child, Command};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

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
