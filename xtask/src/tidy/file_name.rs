//! A file is named after its idea: names that fit anything end up holding everything.

use super::Finding;
use super::tree::{TextFile, Tree};

/// Each of them has grown without end in some other project.
const VAGUE_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "misc"];

/// Finds sources whose path has a name that fits anything.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(&["rs", "ts", "tsx", "js", "mjs", "css", "py"]).filter_map(finding).collect()
}

/// Names the part of the path that should change.
fn finding(file: &TextFile) -> Option<Finding> {
    let vague = file.path.split('/').find(|part| is_vague(part))?;
    Some(Finding::in_file(&file.path, format!("`{vague}` fits anything: name it after the idea it holds")))
}

/// Folders count as well: `utils/mod.rs` is the same drawer.
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
    fn drawers_for_everything_are_refused() {
        for path in ["src/utils.rs", "src/helpers.rs", "web/common.ts", "src/manager.rs", "web/utils.test.ts"] {
            assert!(is_refused(path), "{path}");
        }
    }

    #[test]
    fn a_folder_does_not_make_a_drawer_better() {
        assert!(is_refused("src/utils/mod.rs"));
        assert!(is_refused("src/common/text.rs"));
    }

    #[test]
    fn names_that_only_contain_such_a_word_are_fine() {
        assert!(!is_refused("src/common_words.rs"));
        assert!(!is_refused("src/post_message.rs"));
    }
}
