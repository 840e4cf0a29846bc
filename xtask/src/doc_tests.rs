//! Finds documentation comments with code that cargo would run as a test.

use anyhow::Result;

use crate::tidy::tree::Tree;
use crate::workspace::Workspace;

/// Searches the text of all sources, because building the documentation tests takes minutes.
pub(crate) fn exist(workspace: &Workspace) -> Result<bool> {
    let tree = Tree::read(workspace.root())?;
    Ok(tree.with_extension(&["rs"]).any(|file| holds_doc_test(&file.text)))
}

/// Parses only the fences of comments. It may report too many tests, never too few.
fn holds_doc_test(source: &str) -> bool {
    // Every second fence closes a block; only an opening one has a language.
    let fences = source.lines().filter_map(fence_language);
    fences.step_by(2).any(is_run_by_rustdoc)
}

/// The text after the backticks, if the line is a fence in a documentation comment.
fn fence_language(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    text.trim().strip_prefix("```")
}

/// Rustdoc compiles a block unless its language names something that is not Rust.
fn is_run_by_rustdoc(language: &str) -> bool {
    let known = ["", "rust", "no_run", "should_panic", "compile_fail"];
    language.split(',').all(|word| known.contains(&word.trim()) || word.trim().starts_with("edition"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(language: &str) -> String {
        format!("/// Adds.\n/// ```{language}\n/// 1 + 1;\n/// ```\nfn add() {{}}\n")
    }

    #[test]
    fn a_block_without_language_is_a_test() {
        assert!(holds_doc_test(&doc("")));
    }

    #[test]
    fn rust_blocks_are_tests_whatever_their_attributes() {
        assert!(["rust", "no_run", "rust,should_panic", "edition2024"].into_iter().all(|l| holds_doc_test(&doc(l))));
    }

    #[test]
    fn text_and_ignored_blocks_are_not_tests() {
        assert!(!["text", "json", "ignore", "rust,ignore"].into_iter().any(|l| holds_doc_test(&doc(l))));
    }

    #[test]
    fn the_closing_fence_of_a_text_block_does_not_count() {
        assert!(!holds_doc_test(&doc("text")));
        assert!(holds_doc_test(&(doc("text") + &doc(""))));
    }

    #[test]
    fn comments_of_a_module_count_too() {
        assert!(holds_doc_test("//! ```\n//! use x;\n//! ```\n"));
    }

    #[test]
    fn fences_inside_string_literals_do_not_count() {
        assert!(!holds_doc_test("let body = \"\n```\ncode\n```\n\";\n"));
    }

    #[test]
    fn a_source_without_comments_has_no_tests() {
        assert!(!holds_doc_test("fn main() {}\n"));
        assert!(!holds_doc_test(""));
    }
}
