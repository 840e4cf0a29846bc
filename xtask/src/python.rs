//! The Python packages of the tests: a virtual environment below the target folder, filled from `requirements.txt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{run, succeeds};
use crate::workspace::Workspace;

/// Runs a module of the environment by name: the scripts in its `bin` break when a checkout is moved.
pub(crate) fn module(workspace: &Workspace, name: &str) -> Command {
    let mut command = Command::new(folder(workspace).join("bin").join("python"));
    command.args(["-m", name]);
    command
}

/// Runs one of our scripts with the packages of the environment.
pub(crate) fn script(workspace: &Workspace, path: &Path) -> Command {
    let mut command = Command::new(folder(workspace).join("bin").join("python"));
    command.arg(path);
    command
}

/// Debian ships Python without `venv`, so the presence of `python3` is not enough.
pub(crate) fn can_make_venv(_: &Workspace) -> bool {
    succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"]))
}

/// Whether the environment matches the list and the installed Python.
pub(crate) fn has_packages(workspace: &Workspace) -> bool {
    let is_current = fs::read(stamp(workspace)).ok() == fs::read(requirements(workspace)).ok();
    is_current && succeeds(module(workspace, "schemathesis.cli").arg("--version"))
}

/// Recreates the environment: an old one may belong to another Python.
pub(crate) fn install_packages(workspace: &Workspace) -> Result<()> {
    let folder = folder(workspace);
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["install", "--quiet", "--no-input", "--disable-pip-version-check", "--requirement"];
    run(module(workspace, "pip").args(pip).arg(requirements(workspace)))?;
    // Written last, so that an interrupted installation is repeated.
    fs::copy(requirements(workspace), stamp(workspace)).context("record the installed packages")?;
    Ok(())
}

/// Below the target folder: `cargo clean` removes it, and it is never checked in.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("venv")
}

/// The list of packages with their versions.
fn requirements(workspace: &Workspace) -> PathBuf {
    workspace.root().join("xtask").join("requirements.txt")
}

/// A copy of the list from which the environment was created.
fn stamp(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("installed.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_environment_has_no_packages() {
        let elsewhere = Workspace::at(Workspace::find().root().to_path_buf(), Some("no-such-target".into()));
        assert!(!has_packages(&elsewhere));
    }

    #[test]
    fn every_package_is_pinned_to_one_version() -> Result<()> {
        let text = fs::read_to_string(requirements(&Workspace::find()))?;
        let loose = text.lines().find(|line| !line.starts_with('#') && !line.contains("=="));
        assert_eq!(loose, None);
        Ok(())
    }

    #[test]
    fn modules_run_inside_the_environment() {
        let workspace = Workspace::at("/checkout".into(), None);
        let program = module(&workspace, "pip").get_program().to_os_string();
        assert_eq!(program, "/checkout/target/tools/venv/bin/python");
    }
}
