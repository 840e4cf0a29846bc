//! The steps of `cargo xtask test`, in order. A new kind of test is one entry in the table.

use anyhow::Result;

use crate::command::{run, succeeds};
use crate::step::Step;
use crate::workspace::Workspace;
use crate::{api, clients, doc_tests, e2e, mcp, models, one_crypto, reference, tidy, tools, web};

/// What `cargo xtask test` does, cheap steps first; `install` comes before all that may need a tool.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "install", promise: "the tools the tests need are there", run: tools::install_missing },
    Step { name: "fmt", promise: "all sources are formatted", run: check_format },
    Step { name: "lint", promise: "clippy and the rules of this repository find nothing", run: lint },
    Step {
        name: "web",
        promise: "the page is well written, typed and tested, and its colours can be read",
        run: web::check,
    },
    Step { name: "test", promise: "the tests of every crate pass", run: test },
    Step { name: "docs", promise: "the generated references are up to date", run: reference::check },
    Step { name: "api", promise: "the running hub keeps its OpenAPI description", run: api::check },
    Step {
        name: "clients",
        promise: "client libraries of other people work with the running hub",
        run: clients::check,
    },
    Step {
        name: "mcp",
        promise: "the public suite and the official clients of MCP work with the running hub",
        run: mcp::check,
    },
    Step {
        name: "models",
        promise: "what models are sent has the types of the providers' own libraries",
        run: models::check,
    },
    Step { name: "e2e", promise: "people can use the page, in a real browser with the real hub", run: e2e::check },
];

/// Formats every source in place.
pub(crate) fn format(workspace: &Workspace) -> Result<()> {
    run(&mut workspace.cargo(&["fmt", "--all"]))
}

/// Refuses sources that `cargo xtask fmt` would change.
pub(crate) fn check_format(workspace: &Workspace) -> Result<()> {
    run(&mut workspace.cargo(&["fmt", "--all", "--check"]))
}

/// Our own rules first: they answer in milliseconds. Clippy runs whatever they say, so that one run shows all.
pub(crate) fn lint(workspace: &Workspace) -> Result<()> {
    let tidy = tidy::check(workspace).and_then(|()| one_crypto::check(workspace));
    if let Err(error) = &tidy {
        println!("{error}");
    }
    run(&mut workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])).and(tidy)
}

/// Always the whole workspace: a part of it would unify features differently and build shared crates again.
fn test(workspace: &Workspace) -> Result<()> {
    if !succeeds(&mut workspace.cargo(&["nextest", "--version"])) {
        println!("cargo-nextest is not installed: plain cargo test does the same, only slower");
        return run(&mut workspace.cargo(&["test", "--workspace", "--no-fail-fast"]));
    }
    run(&mut workspace.cargo(&["nextest", "run", "--workspace"]))?;
    // Nextest leaves documentation tests out, and building for none of them takes minutes.
    if doc_tests::exist(workspace)? { run(&mut workspace.cargo(&["test", "--doc", "--workspace"])) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own_that_fits_the_table() {
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
