//! Drives coding agents against a hub and a scripted model, and compares the results with `docs/coding-agents.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::clients;
use crate::command::{run, run_within};
use crate::diff::short_diff;
use crate::hub::{self, Hub};
use crate::npm::Package;
use crate::workspace::Workspace;

/// The folder with the scenarios and the pinned versions. The programs themselves are installed below the target
/// folder: they have about a gigabyte.
const SCENARIOS: Package = Package("clients/agents");
/// The file that pins the programs.
const LOCK: &str = "package-lock.json";
/// The file that npm writes after an installation.
const FINISHED: &str = "node_modules/.package-lock.json";
/// The page with the results, relative to the root.
const PAGE: &str = "docs/coding-agents.md";
/// Time limit, far above a normal run; each scenario has a shorter one.
const RUN_TIME_MAX: Duration = Duration::from_secs(10 * 60);

/// Runs every scenario; fails if one fails or if the page shows other results.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    with_results(workspace, |fresh| compare(&workspace.root().join(PAGE), fresh))
}

/// Runs every scenario and writes the page.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    with_results(workspace, |fresh| {
        fs::copy(fresh, workspace.root().join(PAGE)).map(drop).with_context(|| format!("write {PAGE}"))
    })
}

/// Whether the pinned programs are installed. On other platforms there is nothing to install.
pub(crate) fn are_installed(workspace: &Workspace) -> bool {
    let lock = |folder: PathBuf| fs::read(folder.join(LOCK)).ok();
    let installed = lock(programs(workspace));
    let has_finished = programs(workspace).join(FINISHED).is_file();
    !is_supported() || (has_finished && installed.is_some() && installed == lock(SCENARIOS.folder(workspace)))
}

/// Installs the pinned programs, in place of those of earlier versions.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let folder = programs(workspace);
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    // A failed installation must not look finished.
    let _ = fs::remove_file(folder.join(FINISHED));
    for file in [".npmrc", "package.json", LOCK] {
        fs::copy(SCENARIOS.folder(workspace).join(file), folder.join(file)).with_context(|| format!("copy {file}"))?;
    }
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))
}

/// The packages that ship the programs exist for this platform only.
const fn is_supported() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))
}

fn programs(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("coding-agents")
}

/// Runs the scenarios against a new hub and passes on the page that they wrote.
fn with_results(workspace: &Workspace, use_page: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if !is_supported() {
        println!("skipped: the pinned coding agents are installed on Linux with x86-64 only");
        return Ok(());
    }
    let program = hub::build(workspace)?;
    clients::LIBRARIES.ensure_installed(workspace)?;
    if !are_installed(workspace) {
        install(workspace)?;
    }
    let folder = workspace.scratch("agents");
    let hub = Hub::start(Command::new(&program), &folder)?;
    let page = folder.join("coding-agents.md");
    let mut scenarios = SCENARIOS.npm(workspace, &["test", "--silent"]);
    scenarios
        .env("PARLOUR_URL", hub.url())
        .env("PARLOUR_TOKEN", hub.token())
        .env("PARLOUR_PROGRAM", &program)
        .env("PARLOUR_SCRATCH", folder.join("homes"))
        .env("PARLOUR_AGENT_PROGRAMS", programs(workspace).join("node_modules"))
        .env("PARLOUR_PAGE_FILE", &page);
    run_within(RUN_TIME_MAX, &mut scenarios).and_then(|()| hub.expect_no_panic())?;
    use_page(&page)?;
    drop(hub);
    fs::remove_dir_all(&folder).context("remove the folder of the test hub")
}

fn compare(checked_in: &Path, fresh: &Path) -> Result<()> {
    let difference = short_diff(&fs::read_to_string(checked_in).unwrap_or_default(), &fs::read_to_string(fresh)?);
    ensure!(difference.is_empty(), "{PAGE} shows other results; renew it with: cargo xtask agents\n{difference}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_the_page_is_pinned_to_one_version() -> Result<()> {
        let pinned = fs::read_to_string(SCENARIOS.folder(&Workspace::find()).join("package.json"))?;
        for package in ["claude-code", "codex", "gemini-cli", "opencode"] {
            assert!(pinned.contains(package), "{package}");
        }
        Ok(())
    }

    #[test]
    fn programs_without_their_lock_file_are_not_installed() {
        let workspace = Workspace::at(Workspace::find().root().to_path_buf(), Some("no such folder".into()));
        assert_eq!(are_installed(&workspace), !is_supported());
    }

    #[test]
    fn other_results_are_shown_with_the_command_that_renews_the_page() -> Result<()> {
        let folder = Workspace::find().scratch("agents-page");
        fs::create_dir_all(&folder)?;
        let (old, new) = (folder.join("old.md"), folder.join("new.md"));
        fs::write(&old, "| hook |\n")?;
        fs::write(&new, "| no |\n")?;
        let (same, other) = (compare(&old, &old), compare(&old, &new));
        fs::remove_dir_all(&folder)?;
        let message = other.map_or_else(|error| error.to_string(), |()| "no error".into());
        assert!(message.contains("cargo xtask agents") && message.contains("+ | no |"), "{message}");
        same
    }
}
