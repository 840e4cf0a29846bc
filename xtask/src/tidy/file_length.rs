//! No source file is longer than one can hold in mind: past the limit it holds more than one idea.

use super::Finding;
use super::tree::{TextFile, Tree};

/// With tests: a file that is tested well and still short is easy to change.
const LINES_MAX: usize = 500;
/// Stands in the first lines of files that a program wrote.
const GENERATED_MARK: &str = concat!("@", "generated");
/// The mark stands at the top, or it is text about the mark.
const GENERATED_MARK_LINES: usize = 5;

/// Finds sources that are too long; texts and data are not meant.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.with_extension(&["rs", "ts", "tsx", "js", "mjs", "css", "py"]);
    sources.filter(|file| !is_generated(file)).filter_map(finding).collect()
}

/// Nothing for a file within the limit.
fn finding(file: &TextFile) -> Option<Finding> {
    let lines = file.text.lines().count();
    let text = format!("{lines} lines, at most {LINES_MAX}: split it by idea");
    (lines > LINES_MAX).then(|| Finding::in_file(&file.path, text))
}

/// Whether a program wrote the file, so that splitting it is no use.
fn is_generated(file: &TextFile) -> bool {
    file.text.lines().take(GENERATED_MARK_LINES).any(|line| line.contains(GENERATED_MARK))
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn lines(count: usize) -> String {
        "x\n".repeat(count)
    }

    #[test]
    fn a_file_at_the_limit_is_fine() {
        assert!(findings_of(check, &[("a.rs", &lines(LINES_MAX))]).is_empty());
    }

    #[test]
    fn one_line_more_is_too_long() {
        let findings = findings_of(check, &[("a.css", &lines(501))]);
        assert_eq!(findings, ["a.css: 501 lines, at most 500: split it by idea"]);
    }

    #[test]
    fn texts_and_data_may_be_as_long_as_they_need() {
        assert!(findings_of(check, &[("a.md", &lines(900)), ("openapi.json", &lines(900))]).is_empty());
    }

    #[test]
    fn generated_files_are_not_split_by_hand() {
        let text = format!("// {GENERATED_MARK} from the OpenAPI description\n{}", lines(900));
        assert!(findings_of(check, &[("client.ts", &text)]).is_empty());
    }
}
