//! Checks of the page without a browser: style, types, tests and colours.

use std::time::Duration;

use anyhow::Result;

use crate::codegen;
use crate::command::{run, run_within};
use crate::npm::Package;
use crate::workspace::Workspace;

/// The folder of the embedded pages.
pub(crate) const WEB: Package = Package("web");
/// The folder of the stories, which use the same style.
const STORIES: Package = Package("e2e");
/// Time limit, far above a normal run.
const TESTS_TIME_MAX: Duration = Duration::from_secs(12 * 60);

/// Every part runs even if another one fails, so that one run reports all failures.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    WEB.ensure_installed(workspace)?;
    let parts: [fn(&Workspace) -> Result<()>; 5] = [check_style, check_types, codegen::check, check_contrast, test];
    let results: Vec<_> = parts.iter().map(|part| part(workspace)).collect();
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        println!("{error:#}");
    }
    results.into_iter().collect()
}

/// Biome of the page also checks the stories, which have their own file list and no linter installed.
fn check_style(workspace: &Workspace) -> Result<()> {
    let page = run(&mut WEB.tool(workspace, "biome", &["check", "."]));
    let stories = run(WEB.tool(workspace, "biome", &["check", "."]).current_dir(STORIES.folder(workspace)));
    page.and(stories)
}

fn check_types(workspace: &Workspace) -> Result<()> {
    run(&mut WEB.tool(workspace, "tsc", &[]))
}

/// Needs no browser and no packages: it computes from the file that names all colours.
fn check_contrast(workspace: &Workspace) -> Result<()> {
    run(&mut STORIES.node(workspace, &["contrast.mjs"]))
}

fn test(workspace: &Workspace) -> Result<()> {
    run_within(TESTS_TIME_MAX, &mut WEB.tool(workspace, "vitest", &["run"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stories_use_the_lint_rules_of_the_page() {
        let settings = std::fs::read_to_string(STORIES.folder(&Workspace::find()).join("biome.json"));
        assert!(settings.is_ok_and(|text| text.contains("../web/biome.json")));
    }
}
