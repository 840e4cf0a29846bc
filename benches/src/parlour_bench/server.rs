//! Measured servers: child processes that are killed with their value.

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

/// Generous: a server starts in well under a second, but busy machines are slow.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// Time limit of a graceful stop; a hub copies its write-ahead log into the database first.
const STOP_TIME_MAX: Duration = Duration::from_secs(60);

/// A running server; dropping it kills the process and waits for its end.
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts `command`, which prints `http://ADDRESS`; its log goes into `folder`.
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

    /// The address on which it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs the scripts and measures the CPU time of the server.
    pub(super) async fn measure(&self, scripts: &mut Vec<Script>, extent: Extent) -> Result<Round> {
        let (round, cpu) = self.while_doing(load::run(self.address, scripts, extent)).await;
        Ok(Round { cpu, ..round? })
    }

    /// Runs `work` and measures the CPU time of the server.
    pub(super) async fn while_doing<T>(&self, work: impl Future<Output = T>) -> (T, Option<Duration>) {
        let before = CpuUse::of(self.child.id());
        let result = work.await;
        let after = CpuUse::of(self.child.id());
        (result, after.zip(before).map(|(after, before)| after.since(&before)))
    }

    /// Resident memory in bytes, if the system reports it.
    pub(super) fn memory_bytes(&self) -> Option<u64> {
        resident_bytes(&std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?)
    }

    /// The number of open sockets, if the system reports it.
    pub(super) fn open_sockets(&self) -> Option<usize> {
        let handles = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?;
        let targets = handles.flatten().filter_map(|handle| std::fs::read_link(handle.path()).ok());
        Some(targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count())
    }

    /// Terminates it and waits; kills it after a time limit.
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
        // Both fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command of a hub without the settings of the user.
pub(super) fn hub_command(executable: &Path, data: &Path, token: &str) -> Command {
    let mut command = Command::new(executable);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOUR_")) {
        command.env_remove(name);
    }
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).env("PARLOUR_ADMIN_TOKEN", token);
    // Without rate limits: all clients share one address.
    let connections = limits::CONNECTIONS_MAX.to_string();
    command.env("PARLOUR_RATES", "off").env("PARLOUR_CONNECTIONS_PER_ADDRESS", connections);
    command
}

/// The command of the ceiling.
pub(super) fn ceiling_command(executable: &Path, data: &Path) -> Command {
    let mut command = Command::new(executable);
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data);
    command
}

/// The program `parlour`: the given path, or the folder of this program.
pub(super) fn find_hub(given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => std::env::current_exe().context("find this program")?.with_file_name("parlour"),
    };
    path.canonicalize().with_context(|| format!("find the hub at {} (cargo build --release builds it)", path.display()))
}

/// The program `ceiling`: the given path, or the folder of this program if it exists there.
pub(super) fn find_ceiling(given: Option<&Path>) -> Result<Option<PathBuf>> {
    if let Some(path) = given {
        let path = path.canonicalize().with_context(|| format!("find the ceiling at {}", path.display()))?;
        return Ok(Some(path));
    }
    let own = std::env::current_exe().context("find this program")?;
    Ok(Some(own.with_file_name("ceiling")).filter(|path| path.is_file()))
}

/// Waits for the line with the address and keeps reading after it: a closed pipe would disturb the server.
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

/// Parses the resident memory in `/proc/PID/status`.
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
    fn settings_of_the_user_do_not_affect_the_hub() {
        let command = hub_command(Path::new("parlour"), Path::new("data"), "secret");
        let set = command.get_envs().filter(|(_, value)| value.is_some());
        let names: Vec<_> = set.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["PARLOUR_ADMIN_TOKEN", "PARLOUR_CONNECTIONS_PER_ADDRESS", "PARLOUR_RATES"]);
    }

    #[test]
    fn a_named_ceiling_must_exist() {
        assert!(find_ceiling(Some(Path::new("no-such-ceiling"))).is_err());
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_server_that_exits_at_start_is_an_error_with_its_log() {
        let folder = tempfile::tempdir().expect("folder");
        let error = Server::start(shell("echo broken >&2"), folder.path()).err().expect("no server");
        assert!(error.to_string().contains("broken"), "{error}");
    }

    #[test]
    fn a_server_is_terminated_before_it_is_killed() {
        let folder = tempfile::tempdir().expect("folder");
        let script =
            "trap 'echo bye > bye; exit' TERM; echo Listening on http://127.0.0.1:9; while :; do sleep 0.01; done";
        Server::start(shell(script), folder.path()).expect("start").stop().expect("stop");
        assert!(folder.path().join("bye").exists());
    }

    #[test]
    fn a_dropped_server_is_killed() {
        let folder = tempfile::tempdir().expect("folder");
        let server = Server::start(shell("echo http://127.0.0.1:9; exec sleep 60"), folder.path()).expect("start");
        let id = server.child.id();
        drop(server);
        assert_eq!(CpuUse::of(id), None);
    }
}
