//! Ensures that only one crypto library is used: a second one, enabled by a dependency, would fail at run time.

use anyhow::{Result, ensure};

use crate::command::capture;
use crate::workspace::Workspace;

/// Crates of crypto libraries other than aws-lc.
const OTHERS: &[&str] = &["ring", "openssl-sys"];

/// Checks the resolved dependencies; the lock file also contains crates that no feature enables.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let tree = capture(&mut workspace.cargo(&["tree", "--workspace", "--edges", "all", "--prefix", "none"]))?;
    let found = others_in(&tree);
    ensure!(
        found.is_empty(),
        "a second crypto library is built: {}; see `cargo tree -i {}`",
        found.join(", "),
        found[0]
    );
    Ok(())
}

/// The forbidden crates in a list of packages with one package and version per line.
fn others_in(tree: &str) -> Vec<&'static str> {
    let is_built = |name: &&&str| tree.lines().any(|line| line.split(' ').next() == Some(**name));
    OTHERS.iter().filter(is_built).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_library_is_found_by_its_full_name() {
        assert_eq!(others_in("parlour v0.1.0\nring v0.17.14\nserde v1.0.0 (*)"), ["ring"]);
        assert!(others_in("aws-lc-rs v1.19.0\nstring v1.0.0\nring-buffer v1.0.0").is_empty());
    }
}
