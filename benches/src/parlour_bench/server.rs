//! Servers under measurement: processes that never outlive the value that stands for them.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use parlour_core::limits;

use super::{
    cpu::CpuUse,
    load::{self, Extent, Round, Script},
};

/// Generous: a server starts in well under a second, a busy machine may not.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// How long a server may take to end on its own; a hub moves its write-ahead log into the database first.
const STOP_TIME_MAX: Duration = Duration::from_secs(60);

/// A running server; dropping it kills the process and waits for its end.
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts what `command` calls, which says `http://ADDRESS` on its output; its log goes into `folder`.
    pub(super) fn start(mut command: Command, folder: &Path) -> Result<Self> {
        let log = folder.join("server.log");
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(File::create(&log).with_context(|| format!("make {}", log.display()))?);
        let mut child = command.spawn().with_context(|| format!("start {}", command.get_program().display()))?;
        let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
        // The guard exists before the first thing that can fail, so no path leaves the process behind.
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into() };
        server.address = await_address(stdout).with_context(|| failure_text(&log))?;
        Ok(server)
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Loads it, and counts the processor time that it takes meanwhile.
    pub(super) async fn measure(&self, scripts: &mut Vec<Script>, extent: Extent) -> Result<Round> {
        let (round, cpu) = self.while_doing(load::run(self.address, scripts, extent)).await;
        Ok(Round { cpu, ..round? })
    }

    /// Does something, and counts the processor time that the server takes meanwhile.
    pub(super) async fn while_doing<T>(&self, work: impl Future<Output = T>) -> (T, Option<Duration>) {
        let before = CpuUse::of(self.child.id());
        let result = work.await;
        let after = CpuUse::of(self.child.id());
        (result, after.zip(before).map(|(after, before)| after.since(&before)))
    }

    /// What it holds in memory, in bytes, where the system tells.
    pub(super) fn memory_bytes(&self) -> Option<u64> {
        resident_bytes(&std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?)
    }

    /// How many sockets it has open, where the system tells.
    pub(super) fn open_sockets(&self) -> Option<usize> {
        let handles = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?;
        let targets = handles.flatten().filter_map(|handle| std::fs::read_link(handle.path()).ok());
        Some(targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count())
    }

    /// Asks it to end and waits until it has; one that does not is killed.
    pub(super) fn stop(mut self) -> Result<()> {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let id = id.context("the process has no usable id")?;
        rustix::process::kill_process(id, rustix::process::Signal::TERM).context("ask the server to end")?;
        let deadline = Instant::now() + STOP_TIME_MAX;
        while self.child.try_wait().context("wait for the server")?.is_none() {
            anyhow::ensure!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process has already ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A hub: this very program, with nothing of the user's own settings.
pub(super) fn hub_command(executable: &Path, data: &Path, token: &str) -> Command {
    let mut command = Command::new(executable);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOUR_")) {
        command.env_remove(name);
    }
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).env("PARLOUR_ADMIN_TOKEN", token);
    // What is measured is the hub, not its rates, and all clients are on this machine.
    let connections = limits::CONNECTIONS_MAX.to_string();
    command.env("PARLOUR_RATES", "off").env("PARLOUR_CONNECTIONS_PER_ADDRESS", connections);
    command
}

/// The yardstick.
pub(super) fn ceiling_command(executable: &Path, data: &Path) -> Command {
    let mut command = Command::new(executable);
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data);
    command
}

/// The program `parlour`: the given one, or the one beside this program.
pub(super) fn find_hub(given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => std::env::current_exe().context("find this program")?.with_file_name("parlour"),
    };
    path.canonicalize().with_context(|| format!("find the hub at {} (cargo build --release builds it)", path.display()))
}

/// The yardstick's program: the given one, or the one beside this program, if there is one.
pub(super) fn find_ceiling(given: Option<&Path>) -> Result<Option<PathBuf>> {
    if let Some(path) = given {
        let path = path.canonicalize().with_context(|| format!("find the ceiling at {}", path.display()))?;
        return Ok(Some(path));
    }
    let own = std::env::current_exe().context("find this program")?;
    Ok(Some(own.with_file_name("ceiling")).filter(|path| path.is_file()))
}

/// Waits for the line that names the address, and keeps reading after it: a closed pipe would disturb the server.
fn await_address(stdout: ChildStdout) -> Result<SocketAddr> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(address) = address_in(&line) {
                let _ = sender.try_send(address);
            }
        }
    });
    receiver.recv_timeout(START_TIME_MAX).context("the server did not say where it listens")
}

/// The resident memory in a status text of the process table.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let rest = line.split_once("http://")?.1;
    rest.split(|letter: char| letter.is_whitespace() || letter == '/').next()?.parse().ok()
}

fn failure_text(log: &Path) -> String {
    let said = std::fs::read(log).unwrap_or_default();
    format!("start the server; it said:\n{}", String::from_utf8_lossy(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_a_banner() {
        let address: SocketAddr = "127.0.0.1:4870".parse().expect("an address");
        for line in ["Listening on http://127.0.0.1:4870", "  page   http://127.0.0.1:4870/  (sign in)"] {
            assert_eq!(address_in(line), Some(address), "{line}");
        }
        assert_eq!(address_in("see http://example.org/"), None);
    }

    #[test]
    fn resident_memory_is_read_from_the_process_table() {
        assert_eq!(resident_bytes("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n"), Some(2 * 1024 * 1024));
        assert_eq!(resident_bytes("Name:\tx\n"), None);
    }

    #[test]
    fn the_users_own_settings_do_not_reach_the_hub() {
        let command = hub_command(Path::new("parlour"), Path::new("data"), "secret");
        let set = command.get_envs().filter(|(_, value)| value.is_some());
        let names: Vec<_> = set.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["PARLOUR_ADMIN_TOKEN", "PARLOUR_CONNECTIONS_PER_ADDRESS", "PARLOUR_RATES"]);
    }

    #[test]
    fn a_ceiling_that_was_named_must_be_there() {
        assert!(find_ceiling(Some(Path::new("no-such-ceiling"))).is_err());
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_server_that_ends_at_once_is_an_error_with_its_last_words() {
        let folder = tempfile::tempdir().expect("folder");
        let error = Server::start(shell("echo broken >&2"), folder.path()).err().expect("no server");
        assert!(error.to_string().contains("broken"), "{error}");
    }

    #[test]
    fn a_server_is_asked_to_end_before_it_is_killed() {
        let folder = tempfile::tempdir().expect("folder");
        let script =
            "trap 'echo bye > bye; exit' TERM; echo Listening on http://127.0.0.1:9; while :; do sleep 0.01; done";
        Server::start(shell(script), folder.path()).expect("start").stop().expect("stop");
        assert!(folder.path().join("bye").exists());
    }

    #[test]
    fn a_dropped_server_is_gone() {
        let folder = tempfile::tempdir().expect("folder");
        let server = Server::start(shell("echo http://127.0.0.1:9; exec sleep 60"), folder.path()).expect("start");
        let id = server.child.id();
        drop(server);
        assert_eq!(CpuUse::of(id), None);
    }
}
