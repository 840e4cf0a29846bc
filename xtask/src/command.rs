//! Runs other programs: prints the command line, streams the output, and names the command in errors.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// Poll interval; short compared with any time limit.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Prints and runs the command with streamed output; any exit status except success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line_of(command));
    let status = command.status().with_context(|| format!("start `{}`", line_of(command)))?;
    expect_success(command, status)
}

/// Like [`run`], but kills the command when it takes longer than `time_max`.
pub(crate) fn run_within(time_max: Duration, command: &mut Command) -> Result<()> {
    println!("$ {}", line_of(command));
    let mut child = command.spawn().with_context(|| format!("start `{}`", line_of(command)))?;
    match wait_within(time_max, &mut child)? {
        Some(status) => expect_success(command, status),
        None => bail!("`{}` was stopped after {} s", line_of(command), time_max.as_secs()),
    }
}

/// Runs the command and returns its stdout; stderr stays visible.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("start `{}`", line_of(command)))?;
    expect_success(command, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("read the text of `{}`", line_of(command)))
}

/// Whether the command can be started and succeeds; prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// The command line: the program without its folder, arguments with spaces in quotes.
pub(crate) fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    let words = std::iter::once(program.to_string_lossy()).chain(arguments);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// The word with shell quoting.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"$&|;<>*".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Converts every exit status except success into an error that names the command.
fn expect_success(command: &Command, status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "`{}` failed ({status})", line_of(command));
    Ok(())
}

/// Waits for the child; `None` means that it exceeded the limit and was killed.
fn wait_within(time_max: Duration, child: &mut Child) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < time_max {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(POLL_INTERVAL.min(time_max));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn message_of(result: Result<()>) -> String {
        result.map_or_else(|error| format!("{error:#}"), |()| "no error".into())
    }

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let message = message_of(run(&mut shell("exit 3")));
        assert_eq!(message, "`sh -c 'exit 3'` failed (exit status: 3)");
    }

    #[test]
    fn a_missing_program_is_named_in_the_error() {
        let message = message_of(run(&mut Command::new("no-such-program-here")));
        assert!(message.starts_with("start `no-such-program-here`"), "{message}");
    }

    #[test]
    fn captured_text_is_the_output_of_the_command() -> Result<()> {
        assert_eq!(capture(&mut shell("echo one; echo two"))?, "one\ntwo\n");
        Ok(())
    }

    #[test]
    fn the_output_of_a_failing_command_is_not_returned() {
        assert!(capture(&mut shell("echo half; exit 1")).is_err());
    }

    #[test]
    fn a_command_that_hangs_is_stopped() {
        let message = message_of(run_within(Duration::ZERO, &mut shell("exec cat /dev/zero > /dev/null")));
        assert!(message.contains("was stopped after 0 s"), "{message}");
    }

    #[test]
    fn a_command_that_ends_in_time_is_not_stopped() -> Result<()> {
        run_within(Duration::from_secs(60), &mut shell("true"))
    }

    #[test]
    fn a_missing_program_does_not_succeed() {
        assert!(!succeeds(&mut Command::new("no-such-program-here")));
        assert!(succeeds(&mut shell("true")));
    }

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let mut command = Command::new("/usr/bin/env");
        command.args(["two words", "it's", "", "plain"]);
        assert_eq!(line_of(&command), r"env 'two words' 'it'\''s' '' plain");
    }
}
