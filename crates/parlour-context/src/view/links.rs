//! Few links, and no images: addresses are long, and each is a way out.

use std::{collections::BTreeSet, sync::LazyLock};

use parlour_core::limits;
use regex::{Captures, Regex};

use super::edit::{Edit, Edited};

/// Stands where an address stood.
const MORE: &str = "[more links]";

static IMAGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"!\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+(?:\x22[^\x22\n]*\x22|'[^'\n]*'))?\)",
        r"|!\[([^\[\]\n]*)\]\[[^\[\]\n]*\]",
        r"|(?i:<img\b([^<>]*)>)",
    ))
    .ok()
});
static ALT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)\balt\s*=\s*(?:"([^"\[\]\n]*)"|'([^'\[\]\n]*)')"#).ok());
static LINKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?P<inline>\]\((?P<to><[^<>\n]*>|(?:[^()\s\[\]]|\[[a-z0-9-]{1,40} [0-9]{1,6}\]|\([^()\s]*\))*)(?:[ \t]+(?:\x22[^\x22\n]*\x22|'[^'\n]*'))?\))",
        r"|(?P<definition>(?m:^) {0,3}\[(?P<label>[^\[\]\n]+)\]:[ ]*\S[^\n]*)",
        r"|(?P<use>\]\[(?P<of>[^\[\]\n]*)\])",
        r"|(?P<auto><(?i:[a-z][a-z0-9+.-]{1,20}):[^\s<>]*>)",
        r"|(?P<bare>(?i:(?:https?|ftp|wss?)://|\bwww\.)(?:[^\s<>\x22'`\[\]()]|\[[a-z0-9-]{1,40} [0-9]{1,6}\])+)",
    ))
    .ok()
});

/// Images become what they are said to show.
pub(super) fn images(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    if !text.contains("![") && !text.contains('<') {
        return Vec::new();
    }
    let found = IMAGES.iter().flat_map(|images| images.captures_iter(text));
    found.filter_map(|groups| Some((groups.get(0)?.range(), shown(text, &groups)))).collect()
}

fn shown(text: &str, groups: &Captures<'_>) -> String {
    let inside = groups.get(3).and_then(|tag| ALT.as_ref()?.captures(tag.as_str()));
    let alt = match &inside {
        Some(alt) => alt.get(1).or(alt.get(2)),
        None => groups.get(1).or(groups.get(2)),
    };
    let alt = alt.map_or("", |alt| alt.as_str().trim());
    let mark = if alt.is_empty() { "[image]".to_owned() } else { format!("[image: {alt}]") };
    apart(text, groups.get(0).map_or(0..0, |whole| whole.range()), &mark)
}

/// Links beyond the first few lose their address and keep their text.
pub(super) fn links(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    if !text.contains("](")
        && !text.contains("://")
        && !text.contains("]:")
        && !text.contains(':')
        && !text.contains("www.")
        && !text.contains("WWW.")
    {
        return Vec::new();
    }
    let found: Vec<_> = LINKS.iter().flat_map(|links| links.captures_iter(text)).collect();
    let labels: BTreeSet<_> =
        found.iter().filter_map(|groups| groups.name("label")).map(|label| label.as_str().to_lowercase()).collect();
    let mut count = 0;
    found
        .iter()
        .filter(|groups| is_link(text, groups, &labels))
        .filter_map(|groups| {
            count += 1;
            (count > limits::CONTEXT_LINKS_MAX).then(|| without_address(text, groups)).flatten()
        })
        .collect()
}

/// Whether it leads anywhere: in code, `handlers[0](event)` and `grid[x][y]` look the same.
fn is_link(text: &str, groups: &Captures<'_>, labels: &BTreeSet<String>) -> bool {
    if let Some(to) = groups.name("to") {
        let to = to.as_str();
        return to.contains([':', '/']) || to.starts_with('#') || to.starts_with("www.");
    }
    if let (Some(of), Some(whole)) = (groups.name("of"), groups.get(0)) {
        let text = text[..whole.start()].rsplit('[').next().unwrap_or_default();
        let label = if of.as_str().is_empty() { text } else { of.as_str() };
        return labels.contains(&label.to_lowercase());
    }
    true
}

fn without_address(text: &str, groups: &Captures<'_>) -> Option<Edit> {
    let range = groups.get(0)?.range();
    let new = if groups.name("inline").or(groups.name("use")).is_some() { "]".to_owned() } else { MORE.to_owned() };
    let new = apart(text, range.clone(), &new);
    Some((range, new))
}

/// With a blank to each side where it would otherwise make a link of its neighbours.
pub(super) fn apart(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    let before = if text[..range.start].ends_with([']', '!']) && new.starts_with('[') { " " } else { "" };
    let after = if text[range.end..].starts_with(['(', '[', ':']) { " " } else { "" };
    format!("{before}{new}{after}")
}
