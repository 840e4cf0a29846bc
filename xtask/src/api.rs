//! The property test of the API: schemathesis reads the hub's own description and tries to prove it wrong.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::run_within;
use crate::hub::{self, Hub};
use crate::python;
use crate::workspace::Workspace;

/// Far above any honest run: only a hub that stopped answering gets here.
const RUN_TIME_MAX: Duration = Duration::from_secs(15 * 60);
/// Enough to see a panic with its place.
const LOG_LINES_SHOWN: usize = 20;

/// Builds the hub, starts it on an empty folder and lets schemathesis loose on it.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    let folder = workspace.scratch("api");
    let result = check_in(workspace, &program, &folder);
    // What a failed run leaves behind is the evidence.
    match &result {
        Ok(()) => fs::remove_dir_all(&folder).context("remove the folder of the test hub")?,
        Err(_) => println!("data and log of the hub are kept in {}", folder.display()),
    }
    result
}

/// The part that needs the hub; it is gone when this returns, whatever happened.
fn check_in(workspace: &Workspace, program: &Path, folder: &Path) -> Result<()> {
    let hub = Hub::start(Command::new(program), folder)?;
    let verdict = run_within(RUN_TIME_MAX, &mut schemathesis(workspace, folder, &hub))
        .and_then(|()| hub.expect_healthy())
        .and_then(|()| hub.expect_no_panic());
    if verdict.is_err() {
        println!("the last lines of the hub's log:\n{}", last_lines(&hub.log(), LOG_LINES_SHOWN));
    }
    verdict
}

/// The token travels in the environment, where no process list shows it; what is checked stands in the file.
fn schemathesis(workspace: &Workspace, folder: &Path, hub: &Hub) -> Command {
    let mut command = python::module(workspace, "schemathesis.cli");
    command
        .arg("--config-file")
        .arg(workspace.root().join("xtask").join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", hub.url())])
        // It leaves its cache in the current folder.
        .current_dir(folder)
        .env("PARLOUR_API_TOKEN", hub.token());
    command
}

/// The end of a log: that is where the reason stands.
fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_log_is_shown() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
    }

    #[test]
    fn a_short_log_is_shown_whole() {
        assert_eq!(last_lines("a\nb\n", 20), "a\nb");
        assert_eq!(last_lines("", 20), "");
    }

    #[test]
    fn the_settings_of_the_run_are_checked_in() {
        let settings = Workspace::find().root().join("xtask").join("schemathesis.toml");
        let text = fs::read_to_string(settings).unwrap_or_default();
        assert!(text.contains("${PARLOUR_API_TOKEN}") && text.contains("\nseed = "), "{text}");
    }
}
