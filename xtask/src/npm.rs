//! Folders with npm packages, installed exactly as their lock files specify.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::command::{run, succeeds};
use crate::workspace::Workspace;

/// A folder with a `package.json`, relative to the root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package(pub(crate) &'static str);

impl Package {
    /// Whether the packages of the lock file are installed.
    pub(crate) fn is_installed(self, workspace: &Workspace) -> bool {
        let folder = self.folder(workspace);
        // npm writes this file after an installation.
        let installed = folder.join("node_modules").join(".package-lock.json");
        is_newer(&installed, &folder.join("package-lock.json"))
    }

    /// Installs the packages of the lock file.
    pub(crate) fn install(self, workspace: &Workspace) -> Result<()> {
        run(&mut self.npm(workspace, &["ci", "--no-audit", "--no-fund"]))
    }

    /// Installs only if something is missing, so that a step can run alone.
    pub(crate) fn ensure_installed(self, workspace: &Workspace) -> Result<()> {
        if self.is_installed(workspace) { Ok(()) } else { self.install(workspace) }
    }

    /// npm in this folder.
    pub(crate) fn npm(self, workspace: &Workspace, arguments: &[&str]) -> Command {
        self.in_folder(workspace, "npm", arguments)
    }

    /// Node in this folder, for our own scripts.
    pub(crate) fn node(self, workspace: &Workspace, arguments: &[&str]) -> Command {
        self.in_folder(workspace, "node", arguments)
    }

    /// A program of one of the packages.
    pub(crate) fn tool(self, workspace: &Workspace, name: &str, arguments: &[&str]) -> Command {
        let program = self.folder(workspace).join("node_modules").join(".bin").join(name);
        self.in_folder(workspace, program, arguments)
    }

    /// The path of the folder.
    pub(crate) fn folder(self, workspace: &Workspace) -> PathBuf {
        workspace.root().join(self.0)
    }

    fn in_folder(self, workspace: &Workspace, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder(workspace));
        command
    }
}

/// Whether Node is installed; the pages need it too.
pub(crate) fn has_node(_: &Workspace) -> bool {
    succeeds(Command::new("npm").arg("--version"))
}

fn is_newer(file: &Path, than: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    matches!((changed(file), changed(than)), (Ok(file), Ok(than)) if file >= than)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 7] = ["clients", "clients/agents", "clients/mcp", "clients/models", "e2e", "web", "web/codegen"];

    fn text_of(folder: &'static str, name: &str) -> String {
        fs::read_to_string(Package(folder).folder(&Workspace::find()).join(name)).unwrap_or_default()
    }

    #[test]
    fn every_package_has_one_exact_version() {
        for folder in ALL {
            let text = text_of(folder, "package.json");
            let versions = text.split("ependencies\"").nth(1).unwrap_or_default();
            assert!(!versions.is_empty() && !versions.contains(['^', '~', '*']), "{folder}: {text}");
        }
    }

    #[test]
    fn no_lock_file_contains_download_urls() {
        for folder in ALL {
            let text = text_of(folder, "package-lock.json");
            assert!(!text.is_empty() && !text.contains("\"resolved\": \"http"), "{folder}");
        }
    }

    #[test]
    fn a_missing_file_is_not_newer() {
        assert!(!is_newer(Path::new("no such file"), Path::new("no such file")));
    }

    #[test]
    fn tools_come_from_the_packages_and_run_in_the_folder() {
        let workspace = Workspace::at("/checkout".into(), None);
        let command = Package("web").tool(&workspace, "tsc", &[]);
        assert_eq!(command.get_program(), "/checkout/web/node_modules/.bin/tsc");
        assert_eq!(command.get_current_dir(), Some(Path::new("/checkout/web")));
    }
}
