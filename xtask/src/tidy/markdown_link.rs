//! Links within the repository have existing targets.

use super::Finding;
use super::tree::{TextFile, Tree};

/// Finds links to files that are not part of the repository.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(&["md"]).flat_map(|page| findings(page, tree)).collect()
}

/// Skips code blocks, in which brackets have another meaning.
fn findings(page: &TextFile, tree: &Tree) -> Vec<Finding> {
    let mut is_code = false;
    let mut findings = Vec::new();
    for (number, line) in page.numbered_lines() {
        is_code ^= line.trim_start().starts_with("```");
        let targets = links(line).filter(|_| !is_code);
        let dead = targets.filter(|target| !tree.holds(&resolve(&page.path, target)));
        findings.extend(
            dead.map(|target| Finding::at_line(&page.path, number, format!("link target `{target}` does not exist"))),
        );
    }
    findings
}

/// The files that a line links to, without URLs and anchors of the same page.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains(':') && !file.starts_with('/'))
}

/// The path below the root that a link in `page` means.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<_> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            // The link leaves the repository: keep `..`, so that no file matches.
            ".." if parts.last().is_none_or(|last| *last == "..") => parts.push(".."),
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn findings_in(text: &str) -> Vec<String> {
        findings_of(
            check,
            &[("docs/page.md", text), ("docs/other.md", ""), ("README.md", ""), ("docs/adr/0001-x.md", "")],
        )
    }

    #[test]
    fn links_to_files_and_folders_of_the_repository_are_fine() {
        let text = "[a](other.md) [b](../README.md) [c](adr/) [d](./adr/0001-x.md#price) [e](..)";
        assert!(findings_in(text).is_empty());
    }

    #[test]
    fn a_dead_link_is_found_with_its_line() {
        assert_eq!(findings_in("one\n[a](gone.md)"), ["docs/page.md:2: link target `gone.md` does not exist"]);
    }

    #[test]
    fn every_link_of_a_line_is_followed() {
        assert_eq!(findings_in("[a](other.md), [b](gone.md), [c](lost.md)").len(), 2);
    }

    #[test]
    fn a_link_out_of_the_repository_is_dead() {
        assert_eq!(findings_in("[a](../../README.md)").len(), 1);
    }

    #[test]
    fn urls_and_anchors_are_not_followed() {
        assert!(findings_in("[a](https://example.org) [b](#words) [c](mailto:x@example.org) [d](/docs)").is_empty());
    }

    #[test]
    fn links_in_code_are_ignored() {
        assert!(findings_in("```\nhandlers[0](request)\n```\n").is_empty());
    }
}
