//! The terminal of one reader: a shell that keeps its variables from command to command, and programs that run beside it.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

/// A command that takes longer hangs.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(90);
/// The input of commands into which nobody types.
const NOTHING: &str = "/dev/null";
/// Pieces of output that wait to be read by the test.
const PIECES_WAITING_MAX: usize = 10_000;

/// Dropping it kills the shell and everything that it runs in the foreground.
pub(crate) struct Shell {
    child: Child,
    stdin: ChildStdin,
    /// One line for each command: its exit status, or the process that it started.
    replies: mpsc::Receiver<String>,
    /// Where commands and their output are kept.
    folder: PathBuf,
    count: usize,
    /// What commands read.
    stdin_file: String,
}

/// How a command ended.
pub(crate) struct Ended {
    /// None if it hangs, or has ended the shell.
    pub(crate) status: Option<i32>,
    pub(crate) printed: String,
}

impl Shell {
    /// Starts the shell with this environment and no other.
    pub(crate) fn start(work: &Path, folder: &Path, environment: &[(&str, String)]) -> Self {
        fs::create_dir_all(folder).expect("a folder");
        let mut command = Command::new("bash");
        command.args(["--norc", "--noprofile"]).current_dir(work).env_clear().process_group(0);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let log = File::create(folder.join("shell.log")).expect("a log");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().expect("bash starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, replies) = mpsc::sync_channel(PIECES_WAITING_MAX);
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stdin = child.stdin.take().expect("a pipe");
        let mut shell =
            Self { child, stdin, replies, folder: folder.to_owned(), count: 0, stdin_file: NOTHING.to_owned() };
        shell.send("set -o pipefail");
        shell
    }

    /// Runs a command in the shell itself, with stderr and stdout in one text, as in a terminal.
    pub(crate) fn run(&mut self, command: &str) -> Ended {
        let (script, output) = self.script(command);
        self.send(&format!(". '{script}' > '{output}' 2>&1 < '{}'; echo $?; printed='{output}'", self.stdin_file));
        let status = self.replies.recv_timeout(COMMAND_TIME_MAX).ok().and_then(|line| line.parse().ok());
        let printed = fs::read(&output).unwrap_or_default();
        Ended { status, printed: String::from_utf8_lossy(&printed).into_owned() }
    }

    /// Sets the text that later commands read from stdin.
    pub(crate) fn type_into_commands(&mut self, text: Option<&str>) {
        self.stdin_file = text.map_or(NOTHING.to_owned(), |text| {
            let file = self.folder.join("typed");
            fs::write(&file, format!("{text}\n")).expect("a file");
            file.display().to_string()
        });
    }

    /// Starts a command beside the shell, in a process group of its own.
    pub(crate) fn start_beside(&mut self, command: &str) -> Running {
        let (script, output) = self.script(command);
        let beside = format!("( . '{script}' ) > '{output}' 2>&1 < /dev/null");
        self.send(&format!("mkfifo '{output}'; set -m; {beside} & disown; set +m; echo $!"));
        let pid = self.replies.recv_timeout(COMMAND_TIME_MAX).expect("the shell lives");
        let group = pid.parse().ok().and_then(Pid::from_raw).expect("a process");
        Running { group, pieces: pieces_of(PathBuf::from(output)), printed: Vec::new(), has_ended: false }
    }

    /// Makes a text available to later commands as `$printed`, like the output of a command that has ended.
    pub(crate) fn remember(&mut self, text: &str) {
        self.count += 1;
        let file = self.folder.join(format!("{}.out", self.count));
        fs::write(&file, text).expect("a file");
        self.send(&format!("printed='{}'", file.display()));
    }

    /// Prints the value of an expression in double quotation marks; it fails if a command in it fails.
    pub(crate) fn value_of(&mut self, expression: &str) -> Ended {
        self.run(&format!("value=\"{expression}\" && printf %s \"$value\""))
    }

    fn script(&mut self, command: &str) -> (String, String) {
        self.count += 1;
        let script = self.folder.join(format!("{}.sh", self.count));
        fs::write(&script, command.to_owned() + "\n").expect("a script");
        (script.display().to_string(), self.folder.join(format!("{}.out", self.count)).display().to_string())
    }

    fn send(&mut self, line: &str) {
        // It fails when the shell has ended, which the missing reply shows.
        let _ = writeln!(self.stdin, "{line}");
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Both fail only when the shell has already ended, which is what is wanted.
        let _ = i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .map(|pid| kill_process_group(pid, Signal::KILL));
        let _ = self.child.wait();
    }
}

/// A command beside the shell. Dropping it kills its process group.
pub(crate) struct Running {
    group: Pid,
    pieces: mpsc::Receiver<Vec<u8>>,
    printed: Vec<u8>,
    has_ended: bool,
}

impl Running {
    /// Reads until its output is as wanted; false if it ends or hangs before.
    pub(crate) fn read_until(&mut self, mut is_wanted: impl FnMut(&str) -> bool) -> bool {
        let end = Instant::now() + COMMAND_TIME_MAX;
        while !is_wanted(&self.printed()) {
            match self.pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(piece) => self.printed.extend(piece),
                Err(error) => {
                    self.has_ended = error == mpsc::RecvTimeoutError::Disconnected;
                    return false;
                }
            }
        }
        true
    }

    /// Reads to the end of its output; false if it hangs.
    pub(crate) fn read_to_end(&mut self) -> bool {
        self.read_until(|_| false);
        self.has_ended
    }

    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }

    /// Sends Ctrl+C and waits for the end.
    pub(crate) fn stop(mut self) {
        let _ = kill_process_group(self.group, Signal::INT);
        self.read_to_end();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It fails only when all of them have already ended, which is what is wanted.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

/// The output as it comes; the end of the channel is the end of the last process that writes.
fn pieces_of(pipe: PathBuf) -> mpsc::Receiver<Vec<u8>> {
    let (sender, pieces) = mpsc::sync_channel(PIECES_WAITING_MAX);
    thread::spawn(move || {
        let Ok(mut pipe) = File::open(pipe) else { return };
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = pipe.read(&mut piece) {
            if sender.send(piece[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    pieces
}
