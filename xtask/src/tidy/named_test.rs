//! The threat model names a test in each row, and that test exists.

use std::collections::HashSet;

use super::Finding;
use super::tree::{TextFile, Tree};

/// The page with the threat model.
const PAGE: &str = "SECURITY.md";
/// The last column of its table.
const COLUMN: &str = "test";

/// Finds rows without a test, and tests that do not exist.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let functions: HashSet<&str> = tree.with_extension(&["rs"]).flat_map(|file| functions(&file.text)).collect();
    let pages = tree.files().iter().filter(|file| file.path == PAGE);
    pages.flat_map(|page| findings(page, &functions)).collect()
}

/// The names of all functions of a file.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next())
}

fn findings(page: &TextFile, functions: &HashSet<&str>) -> Vec<Finding> {
    let mut is_table = false;
    let mut findings = Vec::new();
    for (number, line) in page.numbered_lines() {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let last = cells.last().copied().unwrap_or_default();
        match (line.starts_with('|'), is_table) {
            (true, false) => is_table = last == COLUMN,
            (true, true) if line.starts_with("|-") => {}
            (true, true) => findings.extend(row_findings(page, number, last, functions)),
            (false, _) => is_table = false,
        }
    }
    findings
}

/// The problems of the last cell of a row, which contains test names in backticks.
fn row_findings(page: &TextFile, number: usize, cell: &str, functions: &HashSet<&str>) -> Vec<Finding> {
    let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
    if names.is_empty() {
        return vec![Finding::at_line(&page.path, number, "this row names no test")];
    }
    let missing = names.into_iter().filter(|name| !functions.contains(name));
    missing.map(|name| Finding::at_line(&page.path, number, format!("no test is named `{name}`"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    const CODE: (&str, &str) = ("a/tests/b.rs", "#[test]\nfn nobody_comes_in() {}\nasync fn it_holds<T>() {}\n");

    fn findings_in(rows: &str) -> Vec<String> {
        let page = format!(
            "# Security\n\n| asset | attack | test |\n|---|---|---|\n{rows}\n\n| other | table |\n|---|---|\n| a | b |\n"
        );
        findings_of(check, &[("SECURITY.md", &page), CODE])
    }

    #[test]
    fn rows_with_tests_that_exist_are_fine() {
        assert!(findings_in("| a | b | `nobody_comes_in`, `it_holds` |").is_empty());
    }

    #[test]
    fn a_missing_test_is_found_with_its_line() {
        assert_eq!(
            findings_in("| a | b | `everybody_comes_in` |"),
            ["SECURITY.md:5: no test is named `everybody_comes_in`"]
        );
    }

    #[test]
    fn a_row_without_a_test_is_found() {
        assert_eq!(findings_in("| a | b | later |"), ["SECURITY.md:5: this row names no test"]);
    }

    #[test]
    fn only_the_threat_model_is_checked() {
        assert!(findings_of(check, &[("README.md", "| a | test |\n|---|---|\n| b | c |"), CODE]).is_empty());
    }
}
