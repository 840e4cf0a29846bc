//! Links and images that say their address elsewhere: `[text][label]`, and `[label]: address` in a line of its own.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
    sync::LazyLock,
};

use regex::Regex;

use super::{
    address,
    brackets::{self, Pair},
};

static DEFINITIONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?m)^[ >*+-]{0,8}(?P<whole>\[(?P<label>(?:\\.|[^\[\]\\\n]){1,200})\]: *\n? *",
        r"(?P<to><[^<>\n]*>|(?:[^\s\[\]<]|\[[a-z0-9-]{1,40} [0-9]{1,6}\])(?:[^\s\[\]]|\[[a-z0-9-]{1,40} [0-9]{1,6}\])*)",
        r"(?: +(?:\x22[^\x22\n]*\x22|'[^'\n]*'|\([^()\n]*\)))?) *$",
    ))
    .ok()
});

/// Where an address is said.
pub(super) struct Definition {
    pub(super) label: String,
    pub(super) range: Range<usize>,
}

/// Where it is used.
pub(super) struct Use {
    /// The brackets of what is shown.
    pub(super) pair: Pair,
    pub(super) label: String,
    /// Behind all of it.
    pub(super) end: usize,
    pub(super) is_image: bool,
}

/// All addresses that are said for labels, in their order. Notes (`[^1]: …`) have none.
pub(super) fn definitions(text: &str) -> Vec<Definition> {
    if !text.contains("]:") {
        return Vec::new();
    }
    let found = DEFINITIONS.iter().flat_map(|definitions| definitions.captures_iter(text));
    let found = found.filter_map(|groups| Some((groups.name("label")?, groups.name("to")?, groups.name("whole")?)));
    found
        .filter(|(label, to, _)| !label.as_str().starts_with('^') && address::leads(to.as_str()))
        .map(|(label, _, whole)| Definition { label: label_of(label.as_str()), range: whole.range() })
        .collect()
}

/// Labels are the same whatever their case and blanks.
pub(super) fn label_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// All labels that have an address.
pub(super) fn labels(definitions: &[Definition]) -> BTreeSet<&str> {
    definitions.iter().map(|definition| definition.label.as_str()).collect()
}

/// All uses of labels that have an address, in their order.
pub(super) fn uses(text: &str, pairs: &[Pair], definitions: &[Definition]) -> Vec<Use> {
    if definitions.is_empty() {
        return Vec::new();
    }
    let labels = labels(definitions);
    let is_defined = |label: &str| labels.contains(label);
    // The second brackets of `[text][label]` are no use of their own.
    let mut seconds = HashSet::new();
    let mut uses = Vec::new();
    for pair in pairs.iter().copied() {
        let before = definitions.partition_point(|definition| definition.range.start <= pair.open);
        let is_definition = before > 0 && definitions[before - 1].range.contains(&pair.open);
        if is_definition || seconds.contains(&pair.open) || address::target(text, pair.close + 1).is_some() {
            continue;
        }
        let own = label_of(&text[pair.open + 1..pair.close]);
        let named = |second: &Pair| label_of(&text[second.open + 1..second.close]);
        let second = brackets::at(pairs, pair.close + 1).map(|second| (second, named(&second)));
        let second = second.filter(|(_, label)| label.is_empty() || is_defined(label));
        let label = second.as_ref().map(|(_, label)| label.clone()).filter(|label| !label.is_empty()).unwrap_or(own);
        if is_defined(&label) {
            let second = second.map(|(second, _)| second);
            seconds.extend(second.map(|second| second.open));
            let end = second.map_or(pair.close, |second| second.close) + 1;
            uses.push(Use { pair, label, end, is_image: text[..pair.open].ends_with('!') });
        }
    }
    uses
}
