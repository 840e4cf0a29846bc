//! One name, one idea: a type name is not used for two things, and a word of the glossary means what the glossary says.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Finding;
use super::tree::{TextFile, Tree};

/// The page that defines the words of the project.
const GLOSSARY: &str = "docs/glossary.md";
/// A name in more crates than this needs a row in [`SAME_IDEA`].
const CRATES_MAX: usize = 2;

/// The reason of a known duplicate that still needs a better name; the table only shrinks.
const UNRELATED: &str = "private types of unrelated modules, to be renamed by their owners";

/// Names that may be defined several times, each with the reason.
const SAME_IDEA: &[(&str, &str)] = &[
    ("Answer", UNRELATED),
    ("Asked", UNRELATED),
    ("BadFile", UNRELATED),
    ("Batch", UNRELATED),
    ("Broken", UNRELATED),
    ("Call", UNRELATED),
    ("Candidate", UNRELATED),
    ("Connection", "a network connection, on both sides"),
    ("Conversation", UNRELATED),
    ("Counted", UNRELATED),
    ("Desk", UNRELATED),
    ("Digest", UNRELATED),
    ("Draft", UNRELATED),
    ("End", UNRELATED),
    ("Ended", UNRELATED),
    ("Engine", "the setting of an agent in the core, and the trait that runs it"),
    ("Entry", UNRELATED),
    ("Found", UNRELATED),
    ("Head", UNRELATED),
    ("Health", "the health answer, in server and client; the writer of the store has one too"),
    ("Heard", UNRELATED),
    ("Held", UNRELATED),
    ("IssueToken", "the request, in server, use case and client"),
    ("IssuedToken", "the answer, in server, use case and client"),
    ("Item", UNRELATED),
    ("Job", UNRELATED),
    ("Join", "the request, in server, use case and client"),
    ("Joined", "the answer, in server, use case and client"),
    ("Kept", UNRELATED),
    ("Key", UNRELATED),
    ("Kind", UNRELATED),
    ("Known", UNRELATED),
    ("Lease", "the lease of a run or stream, in hub and client"),
    ("Line", UNRELATED),
    ("Link", UNRELATED),
    ("Look", UNRELATED),
    ("LoopGuard", "the answer, in server and client"),
    ("Mark", UNRELATED),
    ("Me", "the answer of GET /me, in server and client"),
    ("Moment", UNRELATED),
    ("NewToken", "the answer, in server and client; the core's is what a store writes"),
    ("News", UNRELATED),
    ("Origin", UNRELATED),
    ("Outcome", UNRELATED),
    ("Page", "a page of a list; the server's is a web page"),
    ("Part", UNRELATED),
    ("Pen", UNRELATED),
    ("Piece", UNRELATED),
    ("Place", UNRELATED),
    ("Presence", UNRELATED),
    ("Query", UNRELATED),
    ("Question", UNRELATED),
    ("Read", UNRELATED),
    ("Reader", UNRELATED),
    ("Reply", UNRELATED),
    ("Report", UNRELATED),
    ("Role", "the caller's role, in core and client"),
    ("Running", UNRELATED),
    ("Scope", UNRELATED),
    ("Sender", UNRELATED),
    ("Senders", UNRELATED),
    ("Sending", UNRELATED),
    ("Session", "the hub's live session, and the client's side of it"),
    ("Shared", UNRELATED),
    ("Shown", UNRELATED),
    ("Sight", UNRELATED),
    ("Signs", UNRELATED),
    ("Source", UNRELATED),
    ("Stage", UNRELATED),
    ("State", UNRELATED),
    ("Step", UNRELATED),
    ("Subscription", "an agent's subscription to a channel, and a session's to a project"),
    ("Tag", UNRELATED),
    ("Taken", UNRELATED),
    ("Text", UNRELATED),
    ("Told", UNRELATED),
    ("Topic", UNRELATED),
    ("Trigger", UNRELATED),
    ("Trouble", UNRELATED),
    ("Turn", UNRELATED),
    ("Usage", UNRELATED),
    ("Viewer", UNRELATED),
    ("Walk", UNRELATED),
    ("Wanted", UNRELATED),
    ("Writer", UNRELATED),
    ("Written", UNRELATED),
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
    /// The crate.
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
    by_name.retain(|name, _| SAME_IDEA.iter().all(|(allowed, _)| allowed != name));
    by_name.values().filter_map(|all| finding(all, &words)).collect()
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
    fn every_row_of_the_table_has_a_reason_and_a_place_of_its_own() {
        assert!(SAME_IDEA.iter().all(|(name, reason)| !name.is_empty() && reason.len() > 10));
        assert!(SAME_IDEA.is_sorted_by(|one, other| one.0 < other.0));
    }
}
