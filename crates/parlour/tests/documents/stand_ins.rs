//! Programs that pages use and that are not installed where tests run.
//!
//! A stand-in accepts only command lines that the real program accepts, and does what matters to the page.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

/// Known command lines: a pattern of the shell, and what the stand-in does.
const COMMAND_LINES: &str = include_str!("stand_ins/command_lines.txt");
/// The program behind all names.
const PROGRAM: &str = include_str!("stand_ins/stand_in.sh");

/// Puts a stand-in for each program of the table into the folder.
pub(crate) fn install(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let program = folder.join("stand-in");
    fs::write(&program, PROGRAM).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    fs::write(folder.join("command_lines.txt"), COMMAND_LINES).expect("a table");
    let mut names: Vec<_> = rows().filter_map(|(pattern, _)| pattern.split(' ').next()).collect();
    names.dedup();
    names.iter().for_each(|name| symlink(&program, folder.join(name)).expect("one row of programs after another"));
}

/// The rows of the table: `pattern => effect`.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = COMMAND_LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| row.split_once(" => ").expect("pattern => effect"))
}
