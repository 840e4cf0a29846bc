//! The parts of Markdown links and images: brackets, targets in parentheses, and reference definitions.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
    sync::LazyLock,
};

use regex::Regex;

use super::compile;

/// A pair of square brackets, by their byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BracketPair {
    pub(super) open: usize,
    pub(super) close: usize,
}

/// All pairs, ordered by their start. A pair does not span paragraphs, and an escaped bracket does not count.
pub(super) fn pairs(text: &str) -> Vec<BracketPair> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    let (mut is_escaped, mut is_blank_line) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if is_escaped && byte.is_ascii_punctuation() {
            is_escaped = false;
            continue;
        }
        is_escaped = byte == b'\\';
        match byte {
            b'\n' if is_blank_line => open.clear(),
            b'[' => open.push(at),
            b']' => pairs.extend(open.pop().map(|open| BracketPair { open, close: at })),
            _ => {}
        }
        is_blank_line = byte == b'\n' || is_blank_line && byte == b' ';
    }
    pairs.sort_unstable_by_key(|pair| pair.open);
    pairs
}

/// The pair that starts at this offset.
pub(super) fn pair_at(pairs: &[BracketPair], open: usize) -> Option<BracketPair> {
    pairs.binary_search_by_key(&open, |pair| pair.open).ok().map(|found| pairs[found])
}

/// The nesting depth of parentheses in a URL.
const DEPTH_MAX: usize = 32;
/// Characters of a redaction mark in a URL.
const MARK_CHARS_MAX: usize = 48;

/// The target of a link, in parentheses.
pub(super) struct LinkTarget {
    pub(super) to: Range<usize>,
    /// The offset after the closing parenthesis.
    pub(super) end: usize,
}

/// The link target whose parenthesis opens at this offset, with or without a title.
pub(super) fn target(text: &str, at: usize) -> Option<LinkTarget> {
    text[at..].strip_prefix('(')?;
    let start = skip_blanks(text, at + 1);
    let to = if text[start..].starts_with('<') { in_angles(text, start)? } else { start..end_of_plain(text, start) };
    let mut end = skip_blanks(text, to.end);
    if end > to.end {
        end = title_end(text, end).map_or(end, |title| skip_blanks(text, title));
    }
    text[end..].starts_with(')').then_some(LinkTarget { to, end: end + 1 })
}

/// Whether the text looks like a URL. A single word does not: in code, `handlers[0](event)` looks like a link.
pub(super) fn is_url(to: &str) -> bool {
    to.contains(['.', ':', '/', '#', '?', '@'])
}

/// A stricter form of [`is_url`] for a link after a word, where code has an index.
pub(super) fn is_certainly_url(to: &str) -> bool {
    to.contains([':', '/']) || to.starts_with('#') || to.starts_with("www.")
}

/// The offset after white space, which may include one line break.
fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let blanks = &rest[..rest.len() - rest.trim_start_matches([' ', '\n']).len()];
    if blanks.matches('\n').count() > 1 { at } else { at + blanks.len() }
}

fn in_angles(text: &str, start: usize) -> Option<Range<usize>> {
    let inside = start + 1;
    let end = inside + text[inside..].find(['<', '>', '\n'])?;
    text[end..].starts_with('>').then_some(start..end + 1)
}

fn end_of_plain(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' if depth < DEPTH_MAX => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b'[' => at = end_of_mark(text, at).unwrap_or(at),
            b'(' | b')' | b' ' | b'\n' => break,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The end of a redaction mark such as `[mail 1]`, which contains a space.
fn end_of_mark(text: &str, open: usize) -> Option<usize> {
    let close = text.bytes().skip(open).take(MARK_CHARS_MAX).position(|byte| byte == b']')? + open;
    let (kind, number) = text[open + 1..close].split_once(' ')?;
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    (is_kind && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(close)
}

/// The offset after the title that starts here.
fn title_end(text: &str, at: usize) -> Option<usize> {
    let close = match text.as_bytes().get(at)? {
        b'"' => '"',
        b'\'' => '\'',
        b'(' => ')',
        _ => return None,
    };
    let inside = at + 1;
    let length = text[inside..].find(close)?;
    (!text[inside..inside + length].contains("\n\n")).then_some(inside + length + 1)
}

pub(super) static DEFINITIONS: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?m)^[ >*+-]{0,8}(?P<whole>\[(?P<label>(?:\\.|[^\[\]\\\n]){1,200})\]: *\n? *",
        r"(?P<to><[^<>\n]*>|(?:[^\s\[\]<]|\[[a-z0-9-]{1,40} [0-9]{1,6}\])(?:[^\s\[\]]|\[[a-z0-9-]{1,40} [0-9]{1,6}\])*)",
        r"(?: +(?:\x22[^\x22\n]*\x22|'[^'\n]*'|\([^()\n]*\)))?) *$",
    ))
});

/// The definition of a reference label: `[label]: URL`.
pub(super) struct LinkDefinition {
    pub(super) label: String,
    pub(super) range: Range<usize>,
}

/// The use of a reference label: `[text][label]`.
pub(super) struct LinkReference {
    /// The brackets around the shown text.
    pub(super) pair: BracketPair,
    pub(super) label: String,
    /// The offset after the reference.
    pub(super) end: usize,
    pub(super) is_image: bool,
}

/// All definitions, in order. Footnotes (`[^1]: …`) are not definitions.
pub(super) fn definitions(text: &str) -> Vec<LinkDefinition> {
    if !text.contains("]:") {
        return Vec::new();
    }
    let found = DEFINITIONS.captures_iter(text);
    let found = found.filter_map(|groups| Some((groups.name("label")?, groups.name("to")?, groups.name("whole")?)));
    found
        .filter(|(label, to, _)| !label.as_str().starts_with('^') && is_url(to.as_str()))
        .map(|(label, _, whole)| LinkDefinition { label: label_of(label.as_str()), range: whole.range() })
        .collect()
}

/// The normalised label: case and white space do not matter.
pub(super) fn label_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// All defined labels.
pub(super) fn labels(definitions: &[LinkDefinition]) -> BTreeSet<&str> {
    definitions.iter().map(|definition| definition.label.as_str()).collect()
}

/// All uses of defined labels, in order.
pub(super) fn uses(text: &str, pairs: &[BracketPair], definitions: &[LinkDefinition]) -> Vec<LinkReference> {
    if definitions.is_empty() {
        return Vec::new();
    }
    let labels = labels(definitions);
    let is_defined = |label: &str| labels.contains(label);
    // The second brackets of `[text][label]` are not a separate use.
    let mut seconds = HashSet::new();
    let mut uses = Vec::new();
    for pair in pairs.iter().copied() {
        let before = definitions.partition_point(|definition| definition.range.start <= pair.open);
        let is_definition = before > 0 && definitions[before - 1].range.contains(&pair.open);
        if is_definition || seconds.contains(&pair.open) || target(text, pair.close + 1).is_some() {
            continue;
        }
        let own = label_of(&text[pair.open + 1..pair.close]);
        let named = |second: &BracketPair| label_of(&text[second.open + 1..second.close]);
        let second = pair_at(pairs, pair.close + 1).map(|second| (second, named(&second)));
        let second = second.filter(|(_, label)| label.is_empty() || is_defined(label));
        let label = second.as_ref().map(|(_, label)| label.clone()).filter(|label| !label.is_empty()).unwrap_or(own);
        if is_defined(&label) {
            let second = second.map(|(second, _)| second);
            seconds.extend(second.map(|second| second.open));
            let end = second.map_or(pair.close, |second| second.close) + 1;
            uses.push(LinkReference { pair, label, end, is_image: text[..pair.open].ends_with('!') });
        }
    }
    uses
}
