//! A small journal of what went wrong: a hook says nothing to its tool, so it says it here.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use parlour_adapters::SystemClock;
use parlour_hub::ports::Clock as _;

/// The journal is cut when it gets longer.
const JOURNAL_BYTES_MAX: u64 = 64 * 1024;
/// A line is not longer.
const LINE_CHARS_MAX: usize = 500;

/// Writes one line. Failing that nothing is to be done: there is nobody to tell.
pub(super) fn note(path: &Path, what: &str) {
    let line: String =
        what.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(LINE_CHARS_MAX).collect();
    if fs::metadata(path).is_ok_and(|about| about.len() > JOURNAL_BYTES_MAX) {
        cut(path);
    }
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{} {line}", SystemClock::default().now()));
}

/// Keeps the newer half.
fn cut(path: &Path) {
    let Ok(text) = fs::read(path) else { return };
    let half = &text[text.len() / 2..];
    let from = half.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let _ = fs::write(path, &half[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_stays_small_and_keeps_what_is_new() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("journal.log");
        for number in 0..2_000 {
            note(&path, &format!("line {number}\n{}", "x".repeat(100)));
        }
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.len() as u64 <= JOURNAL_BYTES_MAX + 1_000);
        assert!(text.contains("line 1999 xxx") && !text.contains("line 1 xxx"), "one line each, the old ones gone");
        assert!(text.lines().all(|line| line.contains("Z line ")));
    }

    #[test]
    fn a_journal_in_a_missing_folder_is_skipped_and_the_folder_is_not_created() {
        let folder = tempfile::tempdir().expect("folder");
        let missing = folder.path().join("missing");
        note(&missing.join("journal.log"), "x");
        assert!(!missing.exists());
        let path = folder.path().join("journal.log");
        note(&path, "y");
        assert!(fs::read_to_string(&path).expect("read").ends_with("Z y\n"));
    }
}
