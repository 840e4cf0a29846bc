//! The browser stories: people in front of the page, told against the real hub in Chromium.

use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::command::{run_within, succeeds};
use crate::hub;
use crate::npm::Package;
use crate::workspace::Workspace;

/// Where the stories are.
pub(crate) const STORIES: Package = Package("e2e");
/// Far above any honest run: each story gives up long before.
const RUN_TIME_MAX: Duration = Duration::from_secs(20 * 60);
/// Names another browser than the one of the system.
const BROWSER_VARIABLE: &str = "CHROMIUM";
const BROWSER_DEFAULT: &str = "/usr/bin/chromium";

/// Builds the hub and tells every story; pictures of how each ended stay in the target folder.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let program = hub::build(workspace)?;
    STORIES.ensure_installed(workspace)?;
    let mut stories = STORIES.node(workspace, &["run.mjs"]);
    // A page that a developer tries out must not stand in for the one inside the hub.
    stories.env("PARLOUR_PROGRAM", program).env_remove("PARLOUR_PAGE");
    run_within(RUN_TIME_MAX, &mut stories)
}

/// Whether there is a browser to tell the stories in.
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
    fn the_stories_look_for_the_browser_in_the_same_place() {
        let path = STORIES.folder(&Workspace::find()).join("harness/browser.mjs");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        assert!(text.contains(&format!("process.env.{BROWSER_VARIABLE} ?? '{BROWSER_DEFAULT}'")), "{text}");
    }
}
