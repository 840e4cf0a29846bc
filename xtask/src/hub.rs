//! A running hub with its own folder, for tests from outside. The process is killed with its value.

use std::env;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::command::run;
use crate::workspace::Workspace;

/// Generous: the hub starts in well under a second, but busy build machines are slow.
const START_TIME_MAX: Duration = Duration::from_secs(30);
/// Time limit of a health check on a busy machine.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes of a health response that are read; more than any valid one has.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// The test that is built with the hub; a small one.
const BUILT_TEST: &str = "serve";

/// A running hub; dropping it kills the process and waits for its end.
#[derive(Debug)]
pub(crate) struct Hub {
    child: Child,
    address: String,
    token: String,
    folder: PathBuf,
}

/// Builds the hub for tests and returns its path.
///
/// One test is built with it: with a test among the targets, cargo enables the features of the dev-dependencies, as in
/// the step `test`, and reuses what that step has built instead of building every crate a second time.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    run(&mut workspace.cargo(&["build", "--workspace", "--bins", "--test", BUILT_TEST]))?;
    Ok(workspace.built("debug", "parlour"))
}

impl Hub {
    /// Starts `command` as a hub on a free port, with an empty data folder and a random token.
    pub(crate) fn start(mut command: Command, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        let token = random_token();
        let mut child = serve(&mut command, folder, &token)?.spawn().context("start the hub")?;
        let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
        // The guard exists before the first thing that can fail, so no path leaves the process behind.
        let mut hub = Self { child, address: String::new(), token, folder: folder.to_path_buf() };
        hub.address = await_address(stdout).with_context(|| format!("start the hub; its log:\n{}", hub.log()))?;
        Ok(hub)
    }

    /// Its URL: `http://127.0.0.1:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The administrator's bearer token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The log of the hub so far.
    pub(crate) fn log(&self) -> String {
        fs::read(log_path(&self.folder))
            .map_or_else(|_| String::new(), |log| String::from_utf8_lossy(&log).into_owned())
    }

    /// Fails unless the hub answers `/health` with 200.
    pub(crate) fn expect_healthy(&self) -> Result<()> {
        expect_ok(&self.address, "/health").context("check the health of the hub")
    }

    /// Fails if any thread of the hub has panicked.
    pub(crate) fn expect_no_panic(&self) -> Result<()> {
        let log = self.log();
        let panic = log.lines().find(|line| line.contains("panicked"));
        ensure!(panic.is_none(), "the hub panicked: {}", panic.unwrap_or_default());
        Ok(())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // Both fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Removes settings of the developer's own hub, in the environment and the current folder.
fn serve<'a>(command: &'a mut Command, folder: &Path, token: &str) -> Result<&'a mut Command> {
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PARLOUR_")) {
        command.env_remove(name);
    }
    let log = File::create(log_path(folder)).context("create the log file of the hub")?;
    Ok(command
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .current_dir(folder)
        .env("PARLOUR_ADMIN_TOKEN", token)
        // One member sends all requests of a test run as fast as possible.
        .env("PARLOUR_RATES", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log))
}

/// The log is in the folder of the data, so that one folder contains all evidence.
fn log_path(folder: &Path) -> PathBuf {
    folder.join("hub.log")
}

/// Waits for the line with the address and keeps reading after it: a closed pipe would disturb the hub.
fn await_address(stdout: ChildStdout) -> Result<String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(address) = address_in(&line) {
                let _ = sender.try_send(address.to_owned());
            }
        }
    });
    receiver.recv_timeout(START_TIME_MAX).context("the hub did not print its address in time")
}

/// Only the loopback address counts: the banner may contain other URLs.
fn address_in(line: &str) -> Option<&str> {
    let address = line.split_once("http://")?.1;
    let port = address.strip_prefix("127.0.0.1:")?;
    let digits = port.chars().take_while(char::is_ascii_digit).count();
    (digits > 0).then(|| &address[..address.len() - port.len() + digits])
}

/// A minimal HTTP client, so that these commands build in seconds.
fn expect_ok(address: &str, path: &str) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_TIME_MAX))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.lines().next().unwrap_or_default();
    ensure!(status.split(' ').nth(1) == Some("200"), "unexpected status `{status}`, not 200");
    Ok(())
}

/// A random token: the standard library seeds its hashers from the randomness of the system.
fn random_token() -> String {
    let part = || RandomState::new().hash_one(std::process::id());
    format!("test-{:016x}{:016x}", part(), part())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A shell script instead of the hub, so that the tests build nothing.
    fn start_script(name: &str, script: &str) -> Result<Hub> {
        let folder = Workspace::find().scratch(name);
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let hub = Hub::start(command, &folder);
        if hub.is_err() {
            fs::remove_dir_all(&folder)?;
        }
        hub
    }

    /// The result of a health check against a server that sends this response once.
    fn asked(answer: &'static str) -> Result<Result<()>> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let server = thread::spawn(move || -> Result<()> {
            let (mut stream, _) = listener.accept()?;
            // Read to the empty line: closing with unread input would reset the connection.
            let request = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
            request.take_while(|line| !line.is_empty()).for_each(drop);
            Ok(stream.write_all(answer.as_bytes())?)
        });
        let verdict = expect_ok(&address, "/health");
        server.join().expect("the server does not panic")?;
        Ok(verdict)
    }

    fn stop(hub: Hub) -> Result<()> {
        let folder = hub.folder.clone();
        drop(hub);
        Ok(fs::remove_dir_all(folder)?)
    }

    #[test]
    fn the_test_that_is_built_with_the_hub_exists() {
        let tests = Workspace::find().root().join("crates/parlour/tests");
        assert!(tests.join(BUILT_TEST).with_extension("rs").is_file());
    }

    #[test]
    fn the_address_is_taken_from_the_banner() {
        assert_eq!(address_in("Listening on http://127.0.0.1:4870"), Some("127.0.0.1:4870"));
        assert_eq!(address_in("open http://127.0.0.1:4870/docs now"), Some("127.0.0.1:4870"));
    }

    #[test]
    fn lines_without_an_address_are_skipped() {
        for line in ["", "Data in ./data", "http://127.0.0.1:", "see http://example.org:80"] {
            assert_eq!(address_in(line), None, "{line}");
        }
    }

    #[test]
    fn a_started_hub_has_its_address() -> Result<()> {
        let hub = start_script(
            "hub-address",
            "echo Hello; echo Listening on http://127.0.0.1:9; exec cat /dev/zero >/dev/null",
        )?;
        assert_eq!(hub.url(), "http://127.0.0.1:9");
        stop(hub)
    }

    #[test]
    fn a_dropped_hub_is_no_longer_running() -> Result<()> {
        let hub = start_script("hub-drop", "echo http://127.0.0.1:9; exec cat /dev/zero >/dev/null")?;
        let process = hub.child.id().to_string();
        stop(hub)?;
        assert!(!Path::new("/proc").join(process).exists());
        Ok(())
    }

    #[test]
    fn a_hub_that_exits_early_is_an_error_with_its_log() {
        let started = start_script("hub-early", "echo the port is taken >&2; exit 1");
        let message = started.map_or_else(|error| format!("{error:#}"), |hub| hub.url());
        assert!(message.contains("the port is taken"), "{message}");
    }

    #[test]
    fn a_panic_in_the_log_is_found() -> Result<()> {
        let script =
            "echo \"thread 'main' panicked at x.rs\" >&2; echo http://127.0.0.1:9; exec cat /dev/zero >/dev/null";
        let hub = start_script("hub-panic", script)?;
        let found = hub.expect_no_panic();
        stop(hub)?;
        assert!(found.is_err());
        Ok(())
    }

    #[test]
    fn a_hub_that_does_not_answer_is_not_healthy() -> Result<()> {
        let hub = start_script("hub-deaf", "echo http://127.0.0.1:9; exec cat /dev/zero >/dev/null")?;
        let health = hub.expect_healthy();
        stop(hub)?;
        assert!(health.is_err());
        Ok(())
    }

    #[test]
    fn only_the_status_200_is_healthy() -> Result<()> {
        assert!(asked("HTTP/1.1 200 OK\r\n\r\n{}")?.is_ok());
        for answer in ["HTTP/1.1 503 Service Unavailable\r\n\r\n200", "200", ""] {
            assert!(asked(answer)?.is_err(), "{answer}");
        }
        Ok(())
    }

    #[test]
    fn an_unhealthy_answer_is_quoted() -> Result<()> {
        let message = asked("HTTP/1.1 503 Service Unavailable\r\n\r\n")?
            .map_or_else(|error| error.to_string(), |()| String::new());
        assert_eq!(message, "unexpected status `HTTP/1.1 503 Service Unavailable`, not 200");
        Ok(())
    }

    #[test]
    fn settings_of_the_developer_do_not_affect_the_hub() -> Result<()> {
        let script = "echo $PARLOUR_ADMIN_TOKEN >&2; pwd >&2; echo http://127.0.0.1:9; exec cat /dev/zero >/dev/null";
        let hub = start_script("hub-settings", script)?;
        let (log, token, folder) = (hub.log(), hub.token().to_owned(), hub.folder.clone());
        stop(hub)?;
        assert_eq!(log, format!("{token}\n{}\n", folder.display()));
        Ok(())
    }

    #[test]
    fn two_hubs_have_two_tokens() {
        assert_ne!(random_token(), random_token());
    }
}
