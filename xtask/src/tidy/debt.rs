//! A debt comment states its kind; bare markers are refused.

use super::Finding;
use super::tree::{TextFile, Tree};

/// In two parts, so that the rule does not match this file.
const MARK: &str = concat!("TO", "DO");
/// Other markers for the same idea.
const OTHER_MARKS: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

/// Finds debts without a kind in all sources.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(&["rs", "ts", "tsx", "js", "mjs", "css", "py", "sql"]).flat_map(findings).collect()
}

/// One finding per line.
fn findings(file: &TextFile) -> Vec<Finding> {
    let finding = |line| Finding::at_line(&file.path, line, format!("write a debt as {MARK}(kind): what makes it due"));
    file.numbered_lines().filter(|(_, line)| is_bare_debt(line)).map(|(number, _)| finding(number)).collect()
}

/// Matches whole words only.
fn is_bare_debt(line: &str) -> bool {
    let has_word = |mark: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == mark);
    OTHER_MARKS.iter().any(|mark| has_word(mark)) || (has_word(MARK) && !line.contains(&format!("{MARK}(")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn findings_in(line: &str) -> Vec<String> {
        findings_of(check, &[("a.rs", line)])
    }

    #[test]
    fn a_debt_with_its_kind_is_fine() {
        assert!(findings_in(&format!("// {MARK}(limits): page it when a reader exceeds 10k unread.")).is_empty());
    }

    #[test]
    fn a_bare_debt_is_found_with_its_line() {
        let findings = findings_in(&format!("fn a() {{}}\n// {MARK}: improve\n"));
        assert_eq!(findings, [format!("a.rs:2: write a debt as {MARK}(kind): what makes it due")]);
    }

    #[test]
    fn other_words_for_a_debt_are_not_used() {
        assert!(OTHER_MARKS.iter().all(|mark| findings_in(&format!("// {mark} later")).len() == 1));
    }

    #[test]
    fn names_that_contain_the_mark_are_no_debts() {
        assert!(findings_in(&format!("let {MARK}S_SHOWN = 3; let state_{MARK} = 1;")).is_empty());
    }
}
