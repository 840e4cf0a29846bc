//! Tags of HTML, as far as they lead somewhere.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// Bytes of a tag; what is longer is taken for one that has no end.
const TAG_BYTES_MAX: usize = 2_000;
/// Tags that show something from elsewhere.
const SHOWING: [&str; 9] = ["img", "image", "source", "svg", "picture", "video", "object", "embed", "iframe"];
/// Those of them that are shown as one with all that is in them.
const WITH_CONTENT: [&str; 2] = ["picture", "svg"];
/// Tags that lead elsewhere.
const LEADING: [&str; 3] = ["a", "area", "link"];

static ALT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)\balt\s*=\s*(?:"([^"\[\]\n]*)"|'([^'\[\]\n]*)')"#).ok());
static HREF: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bhref\s*=").ok());

/// A tag with its name in small letters.
pub(super) struct Tag {
    pub(super) range: Range<usize>,
    pub(super) name: &'static str,
}

/// What shows images, each with what it is said to show.
pub(super) fn images(text: &str) -> Vec<(Range<usize>, &str)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut behind = 0;
    // Where the end of a tag was not found once, it is not looked for again.
    let mut is_without_end = [false; WITH_CONTENT.len()];
    for tag in tags(&lower, &SHOWING) {
        if tag.range.start < behind {
            continue;
        }
        let mut range = tag.range.clone();
        if let Some(at) = WITH_CONTENT.iter().position(|name| *name == tag.name).filter(|at| !is_without_end[*at]) {
            match closing(&lower, &tag) {
                Some(end) => range.end = end,
                None => is_without_end[at] = true,
            }
        }
        // A name in angles alone is a type in code, or stands for something.
        if range == tag.range && !text[range.clone()].contains('=') {
            continue;
        }
        behind = range.end;
        let alt = ALT.as_ref().and_then(|alt| alt.captures(&text[range.clone()]));
        let alt = alt.and_then(|alt| alt.get(1).or(alt.get(2))).map_or(0..0, |alt| alt.range());
        found.push((range.clone(), text[range][alt].trim()));
    }
    found
}

/// What leads elsewhere.
pub(super) fn anchors(text: &str) -> Vec<Tag> {
    let lower = text.to_ascii_lowercase();
    let has_address = |tag: &Tag| HREF.as_ref().is_some_and(|href| href.is_match(&lower[tag.range.clone()]));
    tags(&lower, &LEADING).filter(has_address).collect()
}

/// Behind the end of what stands in a tag.
fn closing(lower: &str, tag: &Tag) -> Option<usize> {
    let at = tag.range.end + lower[tag.range.end..].find(&format!("</{}", tag.name))?;
    Some(lower[at..].find('>').map_or(lower.len(), |end| at + end + 1))
}

/// The tags with one of these names, in their order.
fn tags<'a>(lower: &'a str, names: &'a [&'static str]) -> impl Iterator<Item = Tag> + 'a {
    lower.match_indices('<').filter_map(move |(start, _)| {
        let inside = &lower[start + 1..];
        let length = inside.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = names.iter().find(|name| **name == &inside[..length])?;
        let end = end_of(lower, start + 1 + length)?;
        Some(Tag { range: start..end, name })
    })
}

/// Behind a tag whose name ends here: `>` in quotes is no end.
fn end_of(lower: &str, from: usize) -> Option<usize> {
    let bytes = &lower.as_bytes()[..lower.len().min(from + TAG_BYTES_MAX)];
    let (mut at, mut is_value) = (from, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(at + 1),
            b'"' | b'\'' if is_value => match bytes[at + 1..].iter().position(|next| next == byte) {
                Some(length) => at += length + 1,
                None => break,
            },
            b'<' => break,
            b'\n' if bytes.get(at + 1) == Some(&b'\n') => break,
            _ => {}
        }
        is_value = *byte == b'=' || is_value && byte.is_ascii_whitespace();
        at += 1;
    }
    end_without_bracket(lower, from)
}

/// The end of a tag that is not closed: its first `>`, or behind the last value in its line; nothing where it has none.
fn end_without_bracket(lower: &str, from: usize) -> Option<usize> {
    let near = &lower.as_bytes()[from..lower.len().min(from + TAG_BYTES_MAX)];
    let line = near.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n')).unwrap_or(near.len());
    if near.get(line) == Some(&b'>') {
        return Some(from + line + 1);
    }
    let value = near[..line].iter().rposition(|byte| *byte == b'=')? + 1;
    let value = value + near[value..line].iter().take_while(|byte| **byte == b' ').count();
    let mut end = from + near[value..line].iter().position(|byte| *byte == b' ').map_or(line, |length| value + length);
    while !lower.is_char_boundary(end) {
        end += 1;
    }
    Some(end)
}
