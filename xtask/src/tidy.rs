//! Rules of this repository that neither the compiler nor clippy checks. Each is one small file of the same shape.

mod debt;
mod decision;
mod file_length;
mod file_name;
mod layering;
mod machine_path;
mod manifest;
mod markdown_link;
mod named_test;
mod package_host;
mod private_limit;
pub(crate) mod tree;
mod type_names;
mod walks;

use std::fmt;

use anyhow::{Result, ensure};

use crate::workspace::Workspace;
use tree::Tree;

/// A violation of a rule, and how to fix it.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// Counted from 1; `None` for the whole file.
    line: Option<usize>,
    text: String,
}

impl Finding {
    /// A finding about a whole file.
    fn in_file(path: &str, text: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, text: text.into() }
    }

    /// A finding about one line.
    fn at_line(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {}", self.path, self.text),
            None => write!(out, "{}: {}", self.path, self.text),
        }
    }
}

/// A rule gets all files at once and changes nothing.
type Rule = fn(&Tree) -> Vec<Finding>;

/// All rules; a new one is a file of the same shape and a line here.
const RULES: &[Rule] = &[
    debt::check,
    decision::check,
    file_length::check,
    file_name::check,
    layering::check,
    machine_path::check,
    markdown_link::check,
    named_test::check,
    package_host::check,
    private_limit::check,
    type_names::check,
    walks::check,
];

/// Reads the checkout once and applies every rule; reports all findings.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let tree = Tree::read(workspace.root())?;
    let findings: Vec<_> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.iter().for_each(|finding| println!("{finding}"));
    ensure!(findings.is_empty(), "{} violations of the rules of this repository", findings.len());
    println!("{} rules passed for {} files", RULES.len(), tree.files().len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies one rule to a tree of (path, text) and returns the printed findings.
    pub(super) fn findings_of(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        rule(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_finding_names_its_line_where_it_has_one() {
        assert_eq!(Finding::at_line("a.rs", 3, "too odd").to_string(), "a.rs:3: too odd");
        assert_eq!(Finding::in_file("a.rs", "too long").to_string(), "a.rs: too long");
    }

    #[test]
    fn an_empty_tree_breaks_no_rule() {
        assert_eq!(RULES.iter().flat_map(|rule| rule(&Tree::of(&[]))).count(), 0);
    }

    #[test]
    fn all_findings_of_a_rule_are_reported() {
        let files = [("a/utils.rs", ""), ("b/helpers.rs", "")];
        assert_eq!(findings_of(file_name::check, &files).len(), 2);
    }
}
