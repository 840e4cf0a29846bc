//! One name, one idea: a type name is not used for two things, and a word of the glossary means what the glossary says.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Finding;
use super::tree::{TextFile, Tree};

/// The page that defines the words of the project.
const GLOSSARY: &str = "docs/glossary.md";
/// This file.
const TABLE: &str = "xtask/src/tidy/type_names.rs";
/// A name in more crates than this needs a row in [`SAME_IDEA`].
const CRATES_MAX: usize = 2;

/// Names that may be defined several times, each with the reason.
const SAME_IDEA: &[(&str, &str)] = &[
    ("Connection", "a network connection, on both sides"),
    ("Engine", "the setting of an agent in the core, and the trait that runs it"),
    ("IssueToken", "the request, in server, use case and client"),
    ("IssuedToken", "the answer, in server, use case and client"),
    ("Join", "the request, in server, use case and client"),
    ("Joined", "the answer, in server, use case and client"),
    ("Lease", "the lease of a run or stream, in hub and client"),
    ("LoopGuard", "the answer, in server and client"),
    ("NewToken", "the answer, in server and client; the core's is what a store writes"),
    ("Role", "the caller's role, in core and client"),
    ("Session", "the hub's live session, and the client's side of it"),
    ("Subscription", "an agent's subscription to a channel, and a session's to a project"),
];

/// Folders whose files take their names from elsewhere, each with the reason.
const OWN_VOCABULARIES: &[(&str, &str)] = &[
    ("crates/parlour-agent/src/engines/models/", "wire types keep the names of the provider"),
    ("crates/parlour-dialects/src/", "wire types keep the names of their system"),
    ("crates/parlour-server/src/mcp/tools/", "every tool has a struct for its arguments"),
    ("crates/parlour/src/commands/", "a struct of arguments has the name of its command"),
];

/// A definition of a type.
struct Definition<'a> {
    path: &'a str,
    line: usize,
    name: &'a str,
}

impl Definition<'_> {
    /// The crate of the definition.
    fn owner(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// The crate or, where files have a vocabulary of their own, the single file.
    fn scope(&self) -> &str {
        if self.has_own_vocabulary() { self.path } else { self.owner() }
    }

    fn has_own_vocabulary(&self) -> bool {
        OWN_VOCABULARIES.iter().any(|(folder, _)| self.path.starts_with(folder))
    }
}

/// Finds names that are defined twice without a reason in the table.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let words = glossary_words(tree);
    let mut by_name = BTreeMap::<&str, Vec<Definition<'_>>>::new();
    for definition in tree.with_extension(&["rs"]).filter(|file| is_source(file)).flat_map(definitions) {
        by_name.entry(definition.name).or_default().push(definition);
    }
    let mut findings = unneeded_rows(tree, &by_name, &words);
    by_name.retain(|name, _| SAME_IDEA.iter().all(|(allowed, _)| allowed != name));
    findings.extend(by_name.values().filter_map(|all| finding(all, &words)));
    findings
}

/// Rows of the table that are not needed.
fn unneeded_rows(tree: &Tree, by_name: &BTreeMap<&str, Vec<Definition<'_>>>, words: &HashSet<String>) -> Vec<Finding> {
    let Some(table) = tree.files().iter().find(|file| file.path == TABLE) else { return Vec::new() };
    let is_needed = |name: &str| by_name.get(name).is_some_and(|all| finding(all, words).is_some());
    let unneeded = SAME_IDEA.iter().filter(|(name, _)| !is_needed(name));
    unneeded
        .map(|(name, _)| Finding::in_file(&table.path, format!("the row `{name}` is not needed: delete it")))
        .collect()
}

/// Sources of crates, without their tests.
fn is_source(file: &TextFile) -> bool {
    let is_test = file.path.contains("/tests/") || file.path.ends_with("/tests.rs") || file.path.contains("testkit/");
    file.path.starts_with("crates/") && file.path.contains("/src/") && !is_test
}

/// The types at the top level of a file. Items in inline modules, most often tests, are indented and do not count.
fn definitions(file: &TextFile) -> impl Iterator<Item = Definition<'_>> {
    file.numbered_lines().filter_map(|(line, text)| {
        let item = match text.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.strip_prefix(' ')?,
            None => text,
        };
        let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|word| item.strip_prefix(word))?;
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())?;
        Some(Definition { path: &file.path, line, name })
    })
}

/// The words of the glossary as type names: `Host message` is `HostMessage`.
fn glossary_words(tree: &Tree) -> HashSet<String> {
    let pages = tree.files().iter().filter(|file| file.path == GLOSSARY);
    let words =
        pages.flat_map(|page| page.text.lines()).filter_map(|line| line.strip_prefix("| **")?.split("**").next());
    words.map(type_name).collect()
}

fn type_name(word: &str) -> String {
    let parts = word.split([' ', '-']).filter(|part| !part.is_empty());
    parts.map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

fn finding(all: &[Definition<'_>], words: &HashSet<String>) -> Option<Finding> {
    let name = all.first()?.name;
    let own = all.iter().filter(|one| !one.has_own_vocabulary()).count();
    let owners: BTreeSet<_> = all.iter().filter(|one| !one.has_own_vocabulary()).map(Definition::owner).collect();
    let scopes: BTreeSet<_> = all.iter().map(Definition::scope).collect();
    let problem = if words.contains(name) && own > 1 {
        "is a word of the glossary and may have one definition"
    } else if owners.len() > CRATES_MAX {
        "is defined in more than two crates"
    } else if scopes.len() < all.len() {
        "is defined twice in one crate"
    } else {
        return None;
    };
    let places: Vec<_> = all.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    let text = format!("`{name}` {problem}: rename it, or state the reason in SAME_IDEA ({})", places.join(", "));
    all.last().map(|last| Finding::at_line(last.path, last.line, text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    const WORDS: (&str, &str) =
        (GLOSSARY, "| word | meaning |\n|---|---|\n| **Run** | x |\n| **Host message** | x |\n");

    #[test]
    fn a_name_in_two_crates_is_fine_unless_the_glossary_defines_it() {
        let files = |text| [WORDS, ("crates/a/src/x.rs", text), ("crates/b/src/y.rs", text)];
        assert!(findings_of(check, &files("pub struct Other;")).is_empty());
        assert_eq!(
            findings_of(check, &files("\npub(crate) enum Run {}")),
            [
                "crates/b/src/y.rs:2: `Run` is a word of the glossary and may have one definition: rename it, or state the \
              reason in SAME_IDEA (crates/a/src/x.rs:2, crates/b/src/y.rs:2)"
            ]
        );
        assert_eq!(findings_of(check, &files("trait HostMessage {}")).len(), 1);
    }

    #[test]
    fn a_name_in_three_crates_or_twice_in_one_is_found() {
        let text = "struct Odd<T>(T);";
        let three = ["a", "b", "c"].map(|name| (format!("crates/{name}/src/x.rs"), text));
        let three: Vec<_> = three.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert!(findings_of(check, &three)[0].contains("more than two crates"));
        let twice = [("crates/a/src/x.rs", text), ("crates/a/src/y.rs", text)];
        assert!(findings_of(check, &twice)[0].contains("twice in one crate"));
    }

    #[test]
    fn tests_and_associated_types_do_not_count() {
        let inner = "impl Iterator for X {\n    type Item = u8;\n}\nmod tests {\n    struct Odd;\n}\n";
        let files =
            [("crates/a/src/x.rs", inner), ("crates/a/src/y.rs", inner), ("crates/a/tests/z.rs", "struct Odd;")];
        assert!(findings_of(check, &files).is_empty());
    }

    #[test]
    fn files_with_a_vocabulary_of_their_own_may_repeat_names() {
        let dialects =
            ["tkr", "caco"].map(|name| (format!("crates/parlour-dialects/src/{name}.rs"), "pub struct Run;"));
        let mut files: Vec<_> = dialects.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        files.extend([WORDS, ("crates/parlour-core/src/run.rs", "pub struct Run;")]);
        assert!(findings_of(check, &files).is_empty());
    }

    #[test]
    fn an_unneeded_row_is_found() {
        let needed = ("crates/a/src/x.rs", "struct Join;\nstruct Join;");
        let findings = findings_of(check, &[(TABLE, ""), needed]);
        assert_eq!(findings.len(), SAME_IDEA.len() - 1);
        assert!(findings.iter().all(|finding| !finding.contains("`Join`")), "{findings:?}");
    }

    #[test]
    fn rows_have_a_reason_and_are_sorted_and_unique() {
        assert!(SAME_IDEA.iter().all(|(name, reason)| !name.is_empty() && reason.len() > 10));
        assert!(SAME_IDEA.is_sorted_by(|one, other| one.0 < other.0));
    }
}
