//! Paths of the workspace. Developer commands use them instead of the current folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The checkout on which the commands work.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    builds_once: bool,
}

impl Workspace {
    /// Finds the checkout from the folder of this package, independently of the current folder.
    pub(crate) fn find() -> Self {
        // Cargo sets the variable for `cargo run`; the built-in value serves a program started by hand.
        let package =
            env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = package.parent().map_or_else(|| package.clone(), Path::to_path_buf);
        Self::at(root, env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
    }

    /// A checkout at `root`; a relative target folder starts there, as for cargo.
    pub(crate) fn at(root: PathBuf, target: Option<PathBuf>) -> Self {
        let target = root.join(target.unwrap_or_else(|| "target".into()));
        Self { root, target, builds_once: false }
    }

    /// For a full check: disables incremental builds, whose gigabytes of output would not be reused.
    pub(crate) fn built_once(mut self) -> Self {
        self.builds_once = true;
        self
    }

    /// The root folder of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A cargo command in the checkout, with the cargo that started this program.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.root).args(arguments);
        if self.builds_once {
            cargo.env("CARGO_INCREMENTAL", "0");
        }
        cargo
    }

    /// A program that cargo built: `profile` is `debug` or `release`.
    pub(crate) fn built(&self, profile: &str, program: &str) -> PathBuf {
        self.target.join(profile).join(program)
    }

    /// The folder of installed tools; kept between runs.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// The path of a scratch folder of this process; the caller creates and removes it.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.target.join("tmp").join(format!("{name}-{}", std::process::id()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(target: Option<&str>) -> Workspace {
        Workspace::at("/checkout".into(), target.map(PathBuf::from))
    }

    #[test]
    fn the_root_contains_the_workspace_manifest() {
        assert!(Workspace::find().root().join("xtask/Cargo.toml").is_file());
    }

    #[test]
    fn programs_are_in_the_target_folder() {
        assert_eq!(sample(None).built("debug", "parlour"), Path::new("/checkout/target/debug/parlour"));
    }

    #[test]
    fn a_relative_target_folder_starts_at_the_root() {
        assert_eq!(sample(Some("out")).tools(), Path::new("/checkout/out/tools"));
    }

    #[test]
    fn an_absolute_target_folder_is_unchanged() {
        assert_eq!(sample(Some("/cache")).built("release", "ceiling"), Path::new("/cache/release/ceiling"));
    }

    #[test]
    fn cargo_runs_in_the_root() {
        assert_eq!(sample(None).cargo(&["fmt"]).get_current_dir(), Some(Path::new("/checkout")));
    }

    #[test]
    fn only_a_full_check_disables_incremental_builds() {
        let is_set = |workspace: Workspace| workspace.cargo(&["build"]).get_envs().next().is_some();
        assert!(is_set(sample(None).built_once()) && !is_set(sample(None)));
    }

    #[test]
    fn scratch_folders_of_two_purposes_differ() {
        assert_ne!(sample(None).scratch("api"), sample(None).scratch("reference"));
    }
}
