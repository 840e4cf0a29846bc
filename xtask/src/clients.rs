//! Runs third-party client libraries against a hub.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::run_within;
use crate::hub::{self, Hub};
use crate::npm::Package;
use crate::workspace::Workspace;

/// The folder with the libraries and their test script.
pub(crate) const LIBRARIES: Package = Package("clients");
/// Time limit, far above a normal run.
const RUN_TIME_MAX: Duration = Duration::from_secs(5 * 60);

/// Builds the hub, starts it on an empty folder and runs the libraries against it.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    LIBRARIES.ensure_installed(workspace)?;
    let folder = workspace.scratch("clients");
    let hub = Hub::start(Command::new(&program), &folder)?;
    let mut tests = LIBRARIES.npm(workspace, &["test", "--silent"]);
    tests.env("PARLOUR_URL", hub.url()).env("PARLOUR_TOKEN", hub.token()).env("PARLOUR_PROGRAM", &program);
    run_within(RUN_TIME_MAX, &mut tests).and_then(|()| hub.expect_no_panic())?;
    drop(hub);
    fs::remove_dir_all(&folder).context("remove the folder of the test hub")
}
