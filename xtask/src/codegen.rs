//! Generates the API types of the page from the OpenAPI document.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::command::run;
use crate::diff::short_diff;
use crate::npm::Package;
use crate::workspace::Workspace;

/// Separate from the page, because the generator needs an older TypeScript.
pub(crate) const GENERATOR: Package = Package("web/codegen");
/// The generated file, relative to the root.
const TYPES: &str = "web/src/api/types.ts";
/// The OpenAPI document, relative to the folder of the generator.
const DOCUMENT: &str = "../../docs/openapi.json";

/// Regenerates the types.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    generate(workspace, &types(workspace))
}

/// Fails with the first difference if the checked-in types are outdated.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let folder = workspace.scratch("codegen");
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    let fresh = folder.join("types.ts");
    let result = generate(workspace, &fresh).and_then(|()| compare(&types(workspace), &fresh));
    fs::remove_dir_all(&folder).context("remove the fresh types")?;
    result
}

fn generate(workspace: &Workspace, out: &Path) -> Result<()> {
    GENERATOR.ensure_installed(workspace)?;
    run(GENERATOR.tool(workspace, "openapi-typescript", &[DOCUMENT, "--output"]).arg(out))
}

fn compare(checked_in: &Path, fresh: &Path) -> Result<()> {
    let text = |path: &Path| fs::read_to_string(path).with_context(|| format!("read {}", path.display()));
    let difference = short_diff(&text(checked_in)?, &text(fresh)?);
    ensure!(difference.is_empty(), "{TYPES} is out of date; renew it with: cargo xtask codegen\n{difference}");
    Ok(())
}

fn types(workspace: &Workspace) -> PathBuf {
    workspace.root().join(TYPES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of `compare` for two texts.
    fn compared(name: &str, old: &str, new: &str) -> Result<()> {
        let folder = Workspace::find().scratch(name);
        fs::create_dir_all(&folder)?;
        let (first, second) = (folder.join("old.ts"), folder.join("new.ts"));
        fs::write(&first, old)?;
        fs::write(&second, new)?;
        let result = compare(&first, &second);
        fs::remove_dir_all(&folder)?;
        result
    }

    #[test]
    fn equal_types_are_up_to_date() -> Result<()> {
        compared("codegen-equal", "export type A = 1;\n", "export type A = 1;\n")
    }

    #[test]
    fn an_outdated_file_is_shown_with_the_command_that_updates_it() {
        let message = compared("codegen-other", "type A = 1;\n", "type A = 2;\n")
            .map_or_else(|error| error.to_string(), |()| "no error".into());
        assert!(message.contains("cargo xtask codegen") && message.contains("+ type A = 2;"), "{message}");
    }

    #[test]
    fn the_generator_finds_the_openapi_document() {
        let workspace = Workspace::find();
        assert!(GENERATOR.folder(&workspace).join(DOCUMENT).is_file() && types(&workspace).is_file());
    }
}
