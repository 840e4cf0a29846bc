//! A file is named after its idea; generic names are refused.

use super::Finding;
use super::tree::{TextFile, Tree};

/// Generic names, which attract unrelated code.
const VAGUE_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "misc"];

/// Finds sources with a generic name in their path.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(&["rs", "ts", "tsx", "js", "mjs", "css", "py"]).filter_map(finding).collect()
}

/// The finding names the part of the path to change.
fn finding(file: &TextFile) -> Option<Finding> {
    let vague = file.path.split('/').find(|part| is_vague(part))?;
    Some(Finding::in_file(&file.path, format!("`{vague}` is too generic: name the file after its content")))
}

/// Folders count as well, such as `utils/mod.rs`.
fn is_vague(part: &str) -> bool {
    VAGUE_NAMES.contains(&part.split('.').next().unwrap_or(part))
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn is_refused(path: &str) -> bool {
        !findings_of(check, &[(path, "")]).is_empty()
    }

    #[test]
    fn generic_file_names_are_refused() {
        for path in ["src/utils.rs", "src/helpers.rs", "web/common.ts", "src/manager.rs", "web/utils.test.ts"] {
            assert!(is_refused(path), "{path}");
        }
    }

    #[test]
    fn generic_folder_names_are_refused() {
        assert!(is_refused("src/utils/mod.rs"));
        assert!(is_refused("src/common/text.rs"));
    }

    #[test]
    fn names_that_contain_a_generic_word_are_fine() {
        assert!(!is_refused("src/common_words.rs"));
        assert!(!is_refused("src/post_message.rs"));
    }
}
