//! Runs the browser tests (stories) against a real hub in Chromium.

use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::command::{run_within, succeeds};
use crate::hub;
use crate::npm::Package;
use crate::workspace::Workspace;

/// The folder of the stories.
pub(crate) const STORIES: Package = Package("e2e");
/// Time limit, far above a normal run; each story has a shorter one.
const RUN_TIME_MAX: Duration = Duration::from_secs(20 * 60);
/// Environment variable that selects another browser.
const BROWSER_VARIABLE: &str = "CHROMIUM";
const BROWSER_DEFAULT: &str = "/usr/bin/chromium";

/// Builds the hub and runs every story; screenshots stay in the target folder.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    STORIES.ensure_installed(workspace)?;
    let mut stories = STORIES.node(workspace, &["run.mjs"]);
    // The embedded page must be tested, not a page that a developer serves from a folder.
    stories.env("PARLOUR_PROGRAM", program).env_remove("PARLOUR_PAGE");
    run_within(RUN_TIME_MAX, &mut stories)
}

/// Whether a browser is installed.
pub(crate) fn has_browser(_: &Workspace) -> bool {
    succeeds(Command::new(browser(env::var_os(BROWSER_VARIABLE))).arg("--version"))
}

/// The same choice as in `e2e/harness/browser.mjs`.
fn browser(named: Option<OsString>) -> OsString {
    named.unwrap_or_else(|| BROWSER_DEFAULT.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_of_the_system_is_used_unless_another_is_named() {
        assert_eq!(browser(None), BROWSER_DEFAULT);
        assert_eq!(browser(Some("/opt/chrome".into())), "/opt/chrome");
    }

    #[test]
    fn the_harness_uses_the_same_browser_path() {
        let path = STORIES.folder(&Workspace::find()).join("harness/browser.mjs");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        assert!(text.contains(&format!("process.env.{BROWSER_VARIABLE} ?? '{BROWSER_DEFAULT}'")), "{text}");
    }
}
