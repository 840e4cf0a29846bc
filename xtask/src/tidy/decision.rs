//! Decision records have unique numbers and a known status.

use super::Finding;
use super::tree::{TextFile, Tree};

/// The folder of decision records.
const FOLDER: &str = "docs/adr/";
/// The known states.
const STATES: &[&str] = &["proposed", "accepted", "rejected", "superseded by"];

/// Finds records without a known state or with a duplicate number. Files are sorted, so equal numbers are adjacent.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let records: Vec<_> = tree.with_extension(&["md"]).filter(|file| is_record(file)).collect();
    let broken = records.iter().filter_map(|record| finding(record));
    let doubled = records.windows(2).filter(|pair| number(pair[0]) == number(pair[1]));
    let doubled = doubled.map(|pair| Finding::in_file(&pair[1].path, "its number is taken: give it the next free one"));
    broken.chain(doubled).collect()
}

/// Whether the file is a record and not an index or a template.
fn is_record(file: &TextFile) -> bool {
    file.path.starts_with(FOLDER) && file.name().starts_with(|c: char| c.is_ascii_digit())
}

/// The part of the name that other records refer to.
fn number(record: &TextFile) -> &str {
    record.name().split('-').next().unwrap_or_default()
}

/// The problem of a single record; its name is checked first.
fn finding(record: &TextFile) -> Option<Finding> {
    if number(record).len() != 4 {
        return Some(Finding::in_file(&record.path, "name it with four digits: 0001-what-was-decided.md"));
    }
    let is_decided =
        record.text.lines().filter_map(state).any(|state| STATES.iter().any(|known| state.starts_with(known)));
    (!is_decided)
        .then(|| Finding::in_file(&record.path, format!("add a line `Status:` with one of: {}", STATES.join(", "))))
}

/// The text after `Status:`, without Markdown formatting.
fn state(line: &str) -> Option<String> {
    let plain = line.replace('*', "").to_lowercase();
    let text = plain.trim_start_matches(['-', '#', '>', ' ']).strip_prefix("status:")?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    const PATH: &str = "docs/adr/0001-one-writer.md";

    fn is_refused(path: &str, text: &str) -> bool {
        !findings_of(check, &[(path, text)]).is_empty()
    }

    #[test]
    fn a_record_with_a_known_state_is_fine() {
        for text in ["Status: accepted", "# One\n\n- **Status:** Accepted", "**Status**: superseded by 0011"] {
            assert!(!is_refused(PATH, text), "{text}");
        }
    }

    #[test]
    fn a_record_without_state_is_found() {
        let findings = findings_of(check, &[(PATH, "# One writer\n")]);
        assert_eq!(findings, [format!("{PATH}: add a line `Status:` with one of: {}", STATES.join(", "))]);
    }

    #[test]
    fn an_unknown_state_is_found() {
        assert!(is_refused(PATH, "Status: maybe"));
    }

    #[test]
    fn a_record_is_named_with_four_digits() {
        assert!(is_refused("docs/adr/1-one-writer.md", "Status: accepted"));
    }

    #[test]
    fn two_records_cannot_share_a_number() {
        let files = [(PATH, "Status: accepted"), ("docs/adr/0001-positions.md", "Status: accepted")];
        assert_eq!(findings_of(check, &files).len(), 1);
    }

    #[test]
    fn other_pages_need_no_state() {
        assert!(!is_refused("docs/adr/README.md", "# Decisions"));
        assert!(!is_refused("docs/glossary.md", "# Words"));
    }
}
