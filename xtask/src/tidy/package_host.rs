//! Lock files and settings contain no download hosts, which may be mirrors of one company.

use super::Finding;
use super::tree::{TextFile, Tree};

/// In two parts, so that the rule does not match this file.
const HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("registry.yarn", "pkg.com"),
    concat!("files.python", "hosted.org"),
    concat!("pypi", ".org/simple"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
];
/// The source that stands for `crates.io`, whatever mirror cargo uses.
const CARGO_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Finds hosts by name anywhere, and any host at all in lock files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().iter().flat_map(findings).collect()
}

/// Lock files have a field for the host; other files may contain it anywhere.
fn findings(file: &TextFile) -> Vec<Finding> {
    let names_host = |line: &str| match file.name() {
        "Cargo.lock" => line.starts_with("source = ") && line != CARGO_SOURCE,
        "package-lock.json" => line.trim_start().starts_with("\"resolved\": \"http"),
        _ => HOSTS.iter().any(|host| line.contains(host)),
    };
    let found = file.numbered_lines().filter(|(_, line)| names_host(line));
    found
        .map(|(number, _)| Finding::at_line(&file.path, number, "names a package host: leave it to each machine"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        findings_of(check, &[(path, text)]).len()
    }

    #[test]
    fn a_host_in_any_text_is_found() {
        assert!(HOSTS.iter().all(|host| count("web/.npmrc", &format!("registry=https://{host}/")) == 1));
    }

    #[test]
    fn a_node_lock_with_resolved_addresses_is_found_whatever_the_host() {
        assert_eq!(count("web/package-lock.json", "  \"resolved\": \"https://mirror.example/x.tgz\",\n"), 1);
    }

    #[test]
    fn a_node_lock_without_addresses_is_fine() {
        assert_eq!(count("web/package-lock.json", "  \"version\": \"1.0.0\",\n  \"integrity\": \"sha512-x\"\n"), 0);
    }

    #[test]
    fn the_usual_source_in_a_cargo_lock_is_fine() {
        assert_eq!(count("Cargo.lock", CARGO_SOURCE), 0);
    }

    #[test]
    fn a_mirror_in_a_cargo_lock_is_found() {
        assert_eq!(count("Cargo.lock", "source = \"sparse+https://mirror.example/index/\""), 1);
    }
}
