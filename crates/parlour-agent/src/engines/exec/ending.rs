//! How a command ended, in words for people.

use std::process::ExitStatus;

/// What a shell says when there is no such command, and when there is one that cannot be run.
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;
/// A shell adds this to the number of the signal that ended a command.
const SIGNALLED: i32 = 128;

/// Why an ending is no good one, with what the command said about it; `None` when all is well.
pub(super) fn reason(status: ExitStatus, said: &str) -> Option<String> {
    if status.success() {
        return None;
    }
    let how = match status.code() {
        Some(NOT_FOUND) => {
            "the command was not found (status 127); is it installed, and on the PATH of whoever runs the agent?".into()
        }
        Some(NOT_RUNNABLE) => "the command cannot be run (status 126); may it be executed?".into(),
        Some(code) => format!("the command ended with status {code}{}", told_by_shell(code)),
        None => format!("the command was ended by {}", told_signal(signal(status))),
    };
    Some(with_said(&how, said))
}

/// Why an answer without a word is no answer.
pub(super) fn silence(said: &str) -> String {
    with_said("the command ended well but wrote no answer", said)
}

fn with_said(how: &str, said: &str) -> String {
    if said.is_empty() { how.to_owned() } else { format!("{how}: {said}") }
}

fn told_by_shell(code: i32) -> String {
    match signal_name(code - SIGNALLED) {
        Some(name) => format!(" (as after the signal {name})"),
        None => String::new(),
    }
}

fn told_signal(signal: Option<i32>) -> String {
    match (signal, signal.and_then(signal_name)) {
        (_, Some(name)) => format!("the signal {name}"),
        (Some(number), None) => format!("the signal {number}"),
        (None, None) => "the system".to_owned(),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// The signals whose numbers are the same everywhere.
fn signal_name(number: i32) -> Option<&'static str> {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    };
    Some(name)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn told(wait_status: i32, said: &str) -> String {
        reason(ExitStatus::from_raw(wait_status), said).unwrap_or_default()
    }

    #[test]
    fn a_good_end_needs_no_words() {
        assert_eq!(told(0, "a warning"), "");
    }

    #[test]
    fn a_bad_end_is_told_with_its_status_and_what_was_said() {
        assert_eq!(told(3 << 8, "no key"), "the command ended with status 3: no key");
        assert_eq!(told(1 << 8, ""), "the command ended with status 1");
        assert_eq!(told(137 << 8, ""), "the command ended with status 137 (as after the signal SIGKILL)");
        assert_eq!(told(200 << 8, ""), "the command ended with status 200");
    }

    #[test]
    fn signals_are_named() {
        assert_eq!(told(9, ""), "the command was ended by the signal SIGKILL");
        assert_eq!(told(31, "x"), "the command was ended by the signal 31: x");
    }

    #[test]
    fn a_missing_command_is_explained() {
        assert!(told(127 << 8, "sh: 1: x: not found").contains("not found (status 127); is it installed"));
        assert!(told(126 << 8, "").contains("cannot be run"));
    }
}
