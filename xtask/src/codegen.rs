//! The page's types of the API, written from the OpenAPI document.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::command::run;
use crate::diff::short_diff;
use crate::npm::Package;
use crate::workspace::Workspace;

/// Apart from the page: the generator needs an older TypeScript than the page does.
pub(crate) const GENERATOR: Package = Package("web/codegen");
/// What is generated, from the root of the checkout.
const TYPES: &str = "web/src/api/types.ts";
/// What it is generated from, from the folder of the generator.
const DOCUMENT: &str = "../../docs/openapi.json";

/// Writes the types anew.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    generate(workspace, &types(workspace))
}

/// Errors with the first difference when the checked-in types are not those of the document.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let folder = workspace.scratch("codegen");
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
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

    /// What `compare` says of two texts in files of their own.
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
    fn types_that_differ_are_shown_with_the_command_that_renews_them() {
        let message = compared("codegen-other", "type A = 1;\n", "type A = 2;\n")
            .map_or_else(|error| error.to_string(), |()| "no error".into());
        assert!(message.contains("cargo xtask codegen") && message.contains("+ type A = 2;"), "{message}");
    }

    #[test]
    fn the_document_is_where_the_generator_looks_for_it() {
        let workspace = Workspace::find();
        assert!(GENERATOR.folder(&workspace).join(DOCUMENT).is_file() && types(&workspace).is_file());
    }
}
