//! The property test of the API: schemathesis generates requests from the OpenAPI document of the hub.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::run_within;
use crate::hub::{self, Hub};
use crate::python;
use crate::workspace::Workspace;

/// Time limit, far above a normal run; only a hub that does not respond reaches it.
const RUN_TIME_MAX: Duration = Duration::from_secs(15 * 60);
/// Log lines that are printed; enough for a panic with its location.
const LOG_LINES_SHOWN: usize = 20;

/// Builds the hub, starts it on an empty folder and runs schemathesis against it.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    let folder = workspace.scratch("api");
    let result = check_in(workspace, &program, &folder);
    // The files of a failed run are kept as evidence.
    match &result {
        Ok(()) => fs::remove_dir_all(&folder).context("remove the folder of the test hub")?,
        Err(_) => println!("data and log of the hub: {}", folder.display()),
    }
    result
}

/// The part with a running hub, which is stopped when this returns.
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

/// The token is passed in the environment, which process lists do not show; the file contains the checks.
fn schemathesis(workspace: &Workspace, folder: &Path, hub: &Hub) -> Command {
    let mut command = python::module(workspace, "schemathesis.cli");
    command
        .arg("--config-file")
        .arg(workspace.root().join("xtask").join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", hub.url())])
        // Schemathesis writes its cache into the current folder.
        .current_dir(folder)
        .env("PARLOUR_API_TOKEN", hub.token());
    command
}

/// The end of a log, which contains the reason.
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
