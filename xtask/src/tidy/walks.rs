//! `ARCHITECTURE.md` follows four use cases through the code; every file that it names exists, and each walk is short.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::{TextFile, Tree};

/// The page with the walks.
const PAGE: &str = "ARCHITECTURE.md";
const SECTION: &str = "## Walks";
/// The use cases, each with the largest number of files that its walk may have.
const WALKS: [(&str, usize); 4] =
    [("Post to socket", 10), ("Streamed answer", 12), ("Pause and resume", 12), ("Context pack", 12)];

/// Finds missing walks, paths that do not exist, and walks with too many files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.files().iter().find(|file| file.path == PAGE);
    page.map(|page| WALKS.iter().flat_map(|(name, files_max)| findings(page, name, *files_max, tree)).collect())
        .unwrap_or_default()
}

fn findings(page: &TextFile, name: &str, files_max: usize, tree: &Tree) -> Vec<Finding> {
    let heading = format!("### {name} (at most {files_max} files)");
    let section = page.numbered_lines().skip_while(|(_, line)| line.trim_end() != SECTION).skip(1);
    let mut walk = section
        .take_while(|(_, line)| !line.starts_with("## "))
        .skip_while(|(_, line)| line.trim_end() != heading)
        .take_while(|(_, line)| !line.starts_with('#') || line.trim_end() == heading);
    let Some((start, _)) = walk.next() else {
        return vec![Finding::in_file(&page.path, format!("add the heading `{heading}` to the section `{SECTION}`"))];
    };
    let paths: Vec<_> = walk.flat_map(|(number, line)| paths_in(line).map(move |path| (number, path))).collect();
    let missing = paths.iter().filter(|(_, path)| !tree.holds(path));
    let missing =
        missing.map(|(number, path)| Finding::at_line(&page.path, *number, format!("`{path}` does not exist")));
    let count = paths.iter().map(|(_, path)| path).collect::<BTreeSet<_>>().len();
    let size = match count {
        0 => Some(format!("the walk `{name}` names no file")),
        _ if count > files_max => Some(format!("the walk `{name}` has {count} files, at most {files_max}")),
        _ => None,
    };
    missing.chain(size.map(|text| Finding::at_line(&page.path, start, text))).collect()
}

/// The paths in backticks: with a folder and an extension.
fn paths_in(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains('/') && text.rsplit('/').next().is_some_and(|name| name.contains('.')))
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn page(first: &str) -> String {
        let others = WALKS[1..].iter().map(|(name, max)| format!("### {name} (at most {max} files)\n- `a/b.rs`\n\n"));
        format!("# Map\n\n{SECTION}\n\n{first}\n{}\n## Other\n- `x/none.rs`\n", others.collect::<String>())
    }

    fn findings_in(first: &str) -> Vec<String> {
        findings_of(check, &[("ARCHITECTURE.md", &page(first)), ("a/b.rs", ""), ("a/c.rs", "")])
    }

    #[test]
    fn a_walk_over_existing_files_is_fine() {
        let walk =
            "### Post to socket (at most 10 files)\n1. `a/b.rs`: `post_message`\n2. `a/c.rs`, then `a/b.rs` again\n";
        assert!(findings_in(walk).is_empty(), "{:?}", findings_in(walk));
    }

    #[test]
    fn a_missing_file_is_found_with_its_line() {
        let findings = findings_in("### Post to socket (at most 10 files)\n- `a/gone.rs`\n");
        assert_eq!(findings, ["ARCHITECTURE.md:6: `a/gone.rs` does not exist"]);
    }

    #[test]
    fn a_walk_with_too_many_files_is_found() {
        let files: Vec<_> = (0..11).map(|number| (format!("a/f{number}.rs"), String::new())).collect();
        let list: String = files.iter().map(|(path, _)| format!("- `{path}`\n")).collect();
        let text = page(&format!("### Post to socket (at most 10 files)\n{list}"));
        let mut tree = vec![("ARCHITECTURE.md", text.as_str()), ("a/b.rs", "")];
        tree.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        assert_eq!(
            findings_of(check, &tree),
            ["ARCHITECTURE.md:5: the walk `Post to socket` has 11 files, at most 10"]
        );
    }

    #[test]
    fn a_missing_heading_or_another_limit_is_found() {
        for first in ["", "### Post to socket (at most 99 files)\n- `a/b.rs`\n"] {
            let expected =
                "ARCHITECTURE.md: add the heading `### Post to socket (at most 10 files)` to the section `## Walks`";
            assert_eq!(findings_in(first), [expected], "{first}");
        }
    }

    #[test]
    fn a_walk_without_files_is_found() {
        let findings = findings_in("### Post to socket (at most 10 files)\nNo files, only `words`.\n");
        assert_eq!(findings, ["ARCHITECTURE.md:5: the walk `Post to socket` names no file"]);
    }
}
