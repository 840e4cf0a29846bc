//! Checks generated model requests against the types of the providers' Python and TypeScript libraries.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::{capture, run_within};
use crate::npm::Package;
use crate::python;
use crate::workspace::Workspace;

/// The folder with the TypeScript libraries and the checkers.
pub(crate) const LIBRARIES: Package = Package("clients/models");
/// The example that writes the requests; they are the same every time.
const WRITER: [&str; 6] = ["run", "--quiet", "--package", "parlour-dialects", "--example", "model_requests"];
/// Time limit of one checker, far above a normal run.
const RUN_TIME_MAX: Duration = Duration::from_secs(60);

/// Writes the requests and runs both checkers.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    LIBRARIES.ensure_installed(workspace)?;
    let folder = workspace.scratch("models");
    let requests = folder.join("requests.jsonl");
    fs::create_dir_all(&folder).context("create the folder of the requests")?;
    fs::write(&requests, capture(&mut workspace.cargo(&WRITER))?).context("write the requests")?;
    for mut checker in checkers(workspace, &requests) {
        run_within(RUN_TIME_MAX, &mut checker)?;
    }
    fs::remove_dir_all(&folder).context("remove the folder of the requests")
}

fn checkers(workspace: &Workspace, requests: &Path) -> [Command; 2] {
    let mut python = python::script(workspace, &LIBRARIES.folder(workspace).join("check.py"));
    python.arg(requests);
    let mut node = LIBRARIES.node(workspace, &["types.mjs"]);
    node.arg(requests);
    [python, node]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_checkers_exist_and_get_the_requests() {
        let workspace = Workspace::find();
        let folder = LIBRARIES.folder(&workspace);
        assert!(folder.join("check.py").is_file() && folder.join("types.mjs").is_file());
        for checker in checkers(&workspace, Path::new("/requests.jsonl")) {
            assert_eq!(checker.get_args().last(), Some("/requests.jsonl".as_ref()));
        }
    }

    #[test]
    fn the_writer_is_an_example_of_the_dialects() {
        let path =
            Workspace::find().root().join("crates/parlour-dialects/examples").join(WRITER[5]).with_extension("rs");
        assert!(path.is_file());
    }

    #[test]
    fn every_python_library_of_a_provider_is_pinned() -> Result<()> {
        let pinned = fs::read_to_string(Workspace::find().root().join("xtask/requirements.txt"))?;
        for library in ["anthropic==", "google-genai==", "openai=="] {
            assert!(pinned.lines().any(|line| line.starts_with(library)), "{library}");
        }
        Ok(())
    }
}
