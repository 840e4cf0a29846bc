//! The real program, run from outside: a hub in a folder of its own, and commands that talk to it.

#![allow(dead_code, reason = "every test file takes what it needs")]
#![allow(clippy::panic, reason = "this is part of tests")]

use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
};

pub(crate) mod running;
pub(crate) mod transcript;

/// The last line of the banner.
const BANNER_END: &str = "Stop with Ctrl+C.";
/// Where hubs listen unless a test says otherwise: at a port that each of them takes itself.
const LISTEN: &str = "127.0.0.1:0";
/// A hub that has not said by then that it is ready hangs.
const START_TIME_MAX: Duration = Duration::from_secs(120);
/// A hub that is to end and has not by then hangs.
const END_TIME_MAX: Duration = Duration::from_secs(120);

/// The program without any setting of whoever runs the tests.
pub(crate) fn parlour(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    for (name, _) in env::vars_os().filter(|(name, _)| is_setting(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    // No profile of whoever runs the tests either.
    command.env_remove("XDG_CONFIG_HOME").env("HOME", folder);
    command.current_dir(folder).env("TZ", "UTC").stdin(Stdio::null());
    command
}

/// Keys of providers are settings too: a hub that finds one offers that provider.
fn is_setting(variable: &str) -> bool {
    variable.starts_with("PARLOUR_") || variable.ends_with("_API_KEY") || variable.ends_with("_BASE_URL")
}

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command to its end, with `input` on its stdin.
pub(crate) fn run(command: &mut Command, input: &str) -> Run {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A running hub. Dropping it kills the process and waits for its end.
pub(crate) struct Hub {
    child: Child,
    /// Kept open: the hub must not see a closed pipe unless a test wants that.
    _stdout: BufReader<ChildStdout>,
    folder: PathBuf,
    /// What it said when it was ready.
    pub(crate) banner: String,
    pub(crate) url: String,
    pub(crate) token: String,
}

/// The administrator's token of hubs that are given one.
pub(crate) const TOKEN: &str = "a-token-for-tests-only";

impl Hub {
    /// Starts a hub with a known token; its data is `folder/data`, its log `folder/hub.log`.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, |command| command.env("PARLOUR_ADMIN_TOKEN", TOKEN))
    }

    /// Starts a hub with settings of the test's own.
    pub(crate) fn start_with(folder: &Path, set_up: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        Self::start_at(folder, LISTEN, set_up)
    }

    /// Starts a hub again, with the data and at the address that it had before.
    pub(crate) fn start_again(folder: &Path, url: &str) -> Self {
        let address = url.trim_start_matches("http://");
        Self::start_at(folder, address, |command| command.env("PARLOUR_ADMIN_TOKEN", TOKEN))
    }

    /// The same at an address of the test's own.
    pub(crate) fn start_at(folder: &Path, listen: &str, set_up: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let mut command = parlour(folder);
        command.args(["serve", "--listen", listen, "--data", "data"]);
        // Tests ask as fast as they can; those of rates set their own.
        command.env("PARLOUR_RATES", "off");
        let log = File::create(folder.join("hub.log")).expect("a log");
        let command = set_up(&mut command).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("the hub starts");
        let Some((banner, stdout)) = read_banner(child.stdout.take().expect("a pipe")) else {
            // It would live on after the test.
            let _ = child.kill().and_then(|()| child.wait());
            panic!("the hub says nothing: {}", log_in(folder));
        };
        let url = banner.lines().next().and_then(|line| line.strip_prefix("Listening on ")).map(str::to_owned);
        let Some(url) = url else {
            let status = child.wait();
            panic!("the hub did not start ({status:?}): {banner}{}", log_in(folder));
        };
        let token = token_in(&banner).unwrap_or_else(|| TOKEN.to_owned());
        Self { child, _stdout: stdout, folder: folder.to_owned(), banner, url, token }
    }

    /// A command that talks to this hub as its administrator.
    pub(crate) fn command(&self) -> Command {
        let mut command = parlour(&self.folder);
        command.env("PARLOUR_URL", &self.url).env("PARLOUR_TOKEN", &self.token);
        command
    }

    /// Runs such a command; the line is split like a shell does it.
    pub(crate) fn run(&self, line: &str) -> Run {
        run(self.command().args(transcript::words(line)), "")
    }

    /// Runs a command that must succeed, and reads its JSON.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        let run = self.run(&format!("{line} --json"));
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{line}: {error}: {}", run.stdout))
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> Pid {
        pid_of(&self.child)
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the hub runs");
    }

    /// Asks the hub to stop and waits for its end.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.wait()
    }

    /// Waits for the end of the hub.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        wait_in_time(&mut self.child).unwrap_or_else(|| panic!("the hub does not end: {}", self.log()))
    }

    /// Sleeps until the hub has ended, however long that takes: whoever calls it sees to it that it ends.
    pub(crate) fn until_ended(&self) {
        until_ended(self.pid());
    }

    /// Ends the hub in the middle of whatever it does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the hub runs");
        self.wait();
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> String {
        log_in(&self.folder)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // Both fail only when the process has already ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_in(folder: &Path) -> String {
    fs::read_to_string(folder.join("hub.log")).unwrap_or_default()
}

/// Everything up to the end of the banner, or of the output; nothing when neither comes in time.
fn read_banner(stdout: ChildStdout) -> Option<(String, BufReader<ChildStdout>)> {
    let (sender, read) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let (mut banner, mut stdout) = (String::new(), BufReader::new(stdout));
        for line in stdout.by_ref().lines().map_while(Result::ok) {
            banner += &(line.clone() + "\n");
            if line == BANNER_END {
                break;
            }
        }
        // Whoever waited too long is gone.
        let _ = sender.send((banner, stdout));
    });
    read.recv_timeout(START_TIME_MAX).ok()
}

fn pid_of(child: &Child) -> Pid {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process")
}

/// Sleeps until a process has ended. Its number stays its own: nobody has asked yet how it ended.
fn until_ended(pid: Pid) {
    let ended = retry_on_intr(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
    ended.expect("a process of this test");
}

/// Waits for the end of a process; one that does not come to it in time is killed, and nothing is answered.
fn wait_in_time(child: &mut Child) -> Option<ExitStatus> {
    // Somebody may have asked before; then the number is nobody's any more.
    if let Ok(Some(status)) = child.try_wait() {
        return Some(status);
    }
    let pid = pid_of(child);
    let (ended, end) = mpsc::sync_channel::<()>(0);
    let guard = thread::spawn(move || {
        let is_late = end.recv_timeout(END_TIME_MAX) == Err(mpsc::RecvTimeoutError::Timeout);
        if is_late {
            // It fails only when it has ended just now.
            let _ = kill_process(pid, Signal::KILL);
        }
        is_late
    });
    until_ended(pid);
    drop(ended);
    let is_late = guard.join().expect("a guard never panics");
    let status = child.wait().expect("the process has ended");
    (!is_late).then_some(status)
}

/// The token that a first start has shown.
fn token_in(banner: &str) -> Option<String> {
    banner.lines().map(str::trim).find(|line| line.starts_with("parlour_")).map(str::to_owned)
}
