//! Where things are: every path of the developer commands starts here, never from the current folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The checkout these commands work on.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    builds_once: bool,
}

impl Workspace {
    /// Finds the checkout from the folder of this package, so the current folder does not matter.
    pub(crate) fn find() -> Self {
        // Cargo sets the variable for `cargo run`; the built-in value serves a program started by hand.
        let package =
            env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = package.parent().map_or_else(|| package.clone(), Path::to_path_buf);
        Self::at(root, env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
    }

    /// A checkout at `root`; a relative target folder counts from there, as it does for cargo.
    pub(crate) fn at(root: PathBuf, target: Option<PathBuf>) -> Self {
        let target = root.join(target.unwrap_or_else(|| "target".into()));
        Self { root, target, builds_once: false }
    }

    /// For a whole check: what cargo would keep for the next small change is gigabytes that nobody comes back for.
    pub(crate) fn built_once(mut self) -> Self {
        self.builds_once = true;
        self
    }

    /// The top folder of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A cargo command in the checkout, with the very cargo that started this program.
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

    /// Where installed tools live; kept between runs.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// A scratch folder of this process; whoever makes it removes it.
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
    fn the_root_is_the_folder_that_holds_the_workspace_manifest() {
        assert!(Workspace::find().root().join("xtask/Cargo.toml").is_file());
    }

    #[test]
    fn programs_are_looked_for_in_the_target_folder() {
        assert_eq!(sample(None).built("debug", "parlour"), Path::new("/checkout/target/debug/parlour"));
    }

    #[test]
    fn a_relative_target_folder_counts_from_the_root() {
        assert_eq!(sample(Some("out")).tools(), Path::new("/checkout/out/tools"));
    }

    #[test]
    fn an_absolute_target_folder_is_taken_as_it_is() {
        assert_eq!(sample(Some("/cache")).built("release", "ceiling"), Path::new("/cache/release/ceiling"));
    }

    #[test]
    fn cargo_runs_in_the_root() {
        assert_eq!(sample(None).cargo(&["fmt"]).get_current_dir(), Some(Path::new("/checkout")));
    }

    #[test]
    fn only_a_whole_check_keeps_nothing_for_the_next_small_change() {
        let is_set = |workspace: Workspace| workspace.cargo(&["build"]).get_envs().next().is_some();
        assert!(is_set(sample(None).built_once()) && !is_set(sample(None)));
    }

    #[test]
    fn scratch_folders_of_two_purposes_differ() {
        assert_ne!(sample(None).scratch("api"), sample(None).scratch("reference"));
    }
}
