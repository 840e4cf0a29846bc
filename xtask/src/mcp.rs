//! Runs the public conformance suite of MCP and its official clients against a hub.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::run_within;
use crate::hub::{self, Hub};
use crate::npm::Package;
use crate::python;
use crate::workspace::Workspace;

/// The folder with the suite, the clients and their test scripts.
pub(crate) const CLIENTS: Package = Package("clients/mcp");
/// Time limit of one part, far above a normal run.
const RUN_TIME_MAX: Duration = Duration::from_secs(3 * 60);

/// Builds the hub, starts it with the fixtures of the suite, and runs suite and clients against it.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    CLIENTS.ensure_installed(workspace)?;
    let folder = workspace.scratch("mcp");
    let mut command = Command::new(&program);
    command.env("PARLOUR_FIXTURES", "on");
    let hub = Hub::start(command, &folder)?;
    for mut part in parts(workspace) {
        run_within(RUN_TIME_MAX, at(&mut part, &hub, &program))?;
    }
    hub.expect_no_panic()?;
    drop(hub);
    fs::remove_dir_all(&folder).context("remove the folder of the test hub")
}

fn parts(workspace: &Workspace) -> [Command; 3] {
    let story = CLIENTS.folder(workspace).join("story.py");
    let tests = ["--test", "--test-reporter=spec", "--test-timeout=60000", "test/clients.test.mjs"];
    [CLIENTS.node(workspace, &["conformance.mjs"]), CLIENTS.node(workspace, &tests), python::script(workspace, &story)]
}

fn at<'a>(part: &'a mut Command, hub: &Hub, program: &Path) -> &'a mut Command {
    part.env("PARLOUR_URL", hub.url()).env("PARLOUR_TOKEN", hub.token()).env("PARLOUR_PROGRAM", program)
}
