//! The benchmarks: release builds of the hub and of its yardstick, measured against each other in one run.

use std::process::Command;

use anyhow::Result;

use crate::command::run;
use crate::workspace::Workspace;

const SUBJECTS: &[&str] = &["post", "history"];

/// Builds for release and runs the benchmarks of these subjects, or all; `arguments` go to `parlour bench` as they are.
pub(crate) fn run_subjects(workspace: &Workspace, subject: Option<&str>, arguments: &[String]) -> Result<()> {
    run(&mut workspace.cargo(&["build", "--release", "--workspace", "--bins"]))?;
    for chosen in SUBJECTS
        .iter()
        .filter(|name| subject.is_none_or(|only| only == **name))
    {
        run(Command::new(workspace.built("release", "parlour"))
            .args(["bench", chosen])
            .args(arguments))?;
    }
    Ok(())
}

/// What can be measured, for the command line to check against.
pub(crate) fn subjects() -> &'static [&'static str] {
    SUBJECTS
}
