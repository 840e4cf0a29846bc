//! Client libraries of other people against a running hub.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::{run, run_within, succeeds};
use crate::hub::{self, Hub};
use crate::workspace::Workspace;

/// Far above any honest run.
const RUN_TIME_MAX: Duration = Duration::from_secs(5 * 60);

/// Builds the hub, starts it on an empty folder and lets the libraries talk to it.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    let folder = workspace.scratch("clients");
    let hub = Hub::start(Command::new(&program), &folder)?;
    let mut tests = npm(workspace, &["test", "--silent"]);
    tests.env("PARLOUR_URL", hub.url()).env("PARLOUR_TOKEN", hub.token()).env("PARLOUR_PROGRAM", &program);
    run_within(RUN_TIME_MAX, &mut tests).and_then(|()| hub.expect_no_panic())?;
    drop(hub);
    fs::remove_dir_all(&folder).context("remove the folder of the test hub")
}

/// Whether the libraries of the lock file are installed.
pub(crate) fn has_packages(workspace: &Workspace) -> bool {
    let folder = folder(workspace);
    // npm notes what it has installed beside the packages, in the order of the lock.
    let installed = folder.join("node_modules").join(".package-lock.json");
    is_newer(&installed, &folder.join("package-lock.json"))
}

/// Installs exactly what the lock file names.
pub(crate) fn install_packages(workspace: &Workspace) -> Result<()> {
    run(&mut npm(workspace, &["ci", "--no-audit", "--no-fund"]))
}

/// Node itself; the pages need it too.
pub(crate) fn has_node(workspace: &Workspace) -> bool {
    succeeds(&mut npm(workspace, &["--version"]))
}

fn is_newer(file: &Path, than: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    matches!((changed(file), changed(than)), (Ok(file), Ok(than)) if file >= than)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("clients")
}

fn npm(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(folder(workspace));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_one_exact_version() -> Result<()> {
        let text = fs::read_to_string(folder(&Workspace::find()).join("package.json"))?;
        let versions = text.split("\"dependencies\"").nth(1).unwrap_or_default();
        assert!(!versions.is_empty() && !versions.contains(['^', '~', '*']), "{text}");
        Ok(())
    }

    #[test]
    fn what_is_not_there_is_not_newer() {
        assert!(!is_newer(Path::new("no such file"), Path::new("no such file")));
    }
}
