//! The steps of `cargo xtask test`, in order. A new kind of test is one entry in the table.

use anyhow::Result;

use crate::command::{run, succeeds};
use crate::step::Step;
use crate::workspace::Workspace;
use crate::{agents, api, clients, doc_tests, e2e, mcp, models, one_crypto, reference, tidy, tools, web};

/// The steps of `cargo xtask test`, cheap ones first; `install` comes before all steps that may need a tool.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "install", promise: "the tools of the tests are installed", run: tools::install_missing },
    Step { name: "fmt", promise: "all sources are formatted", run: check_format },
    Step { name: "lint", promise: "clippy and the rules of this repository report nothing", run: lint },
    Step {
        name: "web",
        promise: "the page passes lint, types and tests, and its colours have enough contrast",
        run: web::check,
    },
    Step { name: "test", promise: "the tests of every crate pass", run: test },
    Step { name: "docs", promise: "the generated references are up to date", run: reference::check },
    Step { name: "api", promise: "the running hub conforms to its OpenAPI description", run: api::check },
    Step { name: "clients", promise: "third-party client libraries work with the running hub", run: clients::check },
    Step {
        name: "mcp",
        promise: "the public MCP suite and the official MCP clients work with the running hub",
        run: mcp::check,
    },
    Step {
        name: "models",
        promise: "requests to models have the types of the providers' libraries",
        run: models::check,
    },
    Step {
        name: "agents",
        promise: "coding agents work with the running hub as docs/coding-agents.md shows",
        run: agents::check,
    },
    Step { name: "e2e", promise: "the browser stories pass with the real hub", run: e2e::check },
];

/// Formats every source in place.
pub(crate) fn format(workspace: &Workspace) -> Result<()> {
    run(&mut workspace.cargo(&["fmt", "--all"]))
}

/// Fails if `cargo xtask fmt` would change a source.
pub(crate) fn check_format(workspace: &Workspace) -> Result<()> {
    run(&mut workspace.cargo(&["fmt", "--all", "--check"]))
}

/// Runs the rules of this repository first, which take milliseconds, and then clippy in any case.
pub(crate) fn lint(workspace: &Workspace) -> Result<()> {
    let tidy = tidy::check(workspace).and_then(|()| one_crypto::check(workspace));
    if let Err(error) = &tidy {
        println!("{error}");
    }
    run(&mut workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])).and(tidy)
}

/// Always the whole workspace: a part of it would unify features differently and rebuild shared crates.
fn test(workspace: &Workspace) -> Result<()> {
    if !succeeds(&mut workspace.cargo(&["nextest", "--version"])) {
        println!("cargo-nextest is not installed; using cargo test, which is slower");
        return run(&mut workspace.cargo(&["test", "--workspace", "--no-fail-fast"]));
    }
    run(&mut workspace.cargo(&["nextest", "run", "--workspace"]))?;
    // Nextest omits documentation tests; building them takes minutes, so it is skipped if there are none.
    if doc_tests::exist(workspace)? { run(&mut workspace.cargo(&["test", "--doc", "--workspace"])) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_names_are_unique_and_fit_the_table() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        assert!(names.iter().all(|name| name.len() <= 8), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn tools_are_installed_before_any_other_step() {
        assert_eq!(STEPS.first().map(|step| step.name), Some("install"));
    }

    #[test]
    fn cheap_steps_come_before_slow_ones() {
        let place = |name| STEPS.iter().position(|step| step.name == name);
        assert!(place("fmt") < place("lint") && place("lint") < place("test") && place("test") < place("api"));
        assert!(place("web") < place("test") && place("api") < place("e2e"));
    }
}
