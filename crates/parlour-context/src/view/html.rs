//! HTML tags that show images or contain links.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::compile;

/// Bytes of a tag; a longer one counts as unclosed.
const TAG_BYTES_MAX: usize = 2_000;
/// Tags that load an image or other media.
const MEDIA: [&str; 9] = ["img", "image", "source", "svg", "picture", "video", "object", "embed", "iframe"];
/// Media tags that are replaced together with their content.
const WITH_CONTENT: [&str; 2] = ["picture", "svg"];
/// Tags that contain a link.
const LINKS: [&str; 3] = ["a", "area", "link"];

pub(super) static ALT: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"(?i)\balt\s*=\s*(?:"([^"\[\]\n]*)"|'([^'\[\]\n]*)')"#));
pub(super) static HREF: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)\bhref\s*="));

/// A tag with its name in lower case.
pub(super) struct HtmlTag {
    pub(super) range: Range<usize>,
    pub(super) name: &'static str,
}

/// The tags that load media, each with its `alt` text.
pub(super) fn images(text: &str) -> Vec<(Range<usize>, &str)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut behind = 0;
    // A closing tag that was not found once is not searched again, so that the cost stays linear.
    let mut is_without_end = [false; WITH_CONTENT.len()];
    for tag in tags(&lower, &MEDIA) {
        if tag.range.start < behind {
            continue;
        }
        let mut range = tag.range.clone();
        if let Some(at) = WITH_CONTENT.iter().position(|name| *name == tag.name).filter(|at| !is_without_end[*at]) {
            match closing_end(&lower, &tag) {
                Some(end) => range.end = end,
                None => is_without_end[at] = true,
            }
        }
        // A name in angle brackets without attributes is a type in code, or a placeholder.
        if range == tag.range && !text[range.clone()].contains('=') {
            continue;
        }
        behind = range.end;
        let alt = ALT.captures(&text[range.clone()]);
        let alt = alt.and_then(|alt| alt.get(1).or(alt.get(2))).map_or(0..0, |alt| alt.range());
        found.push((range.clone(), text[range][alt].trim()));
    }
    found
}

/// The tags with a link.
pub(super) fn anchors(text: &str) -> Vec<HtmlTag> {
    let lower = text.to_ascii_lowercase();
    let has_address = |tag: &HtmlTag| HREF.is_match(&lower[tag.range.clone()]);
    tags(&lower, &LINKS).filter(has_address).collect()
}

/// The offset after the closing tag.
fn closing_end(lower: &str, tag: &HtmlTag) -> Option<usize> {
    let at = tag.range.end + lower[tag.range.end..].find(&format!("</{}", tag.name))?;
    Some(lower[at..].find('>').map_or(lower.len(), |end| at + end + 1))
}

/// The tags with one of these names, in order.
fn tags<'a>(lower: &'a str, names: &'a [&'static str]) -> impl Iterator<Item = HtmlTag> + 'a {
    lower.match_indices('<').filter_map(move |(start, _)| {
        let inside = &lower[start + 1..];
        let length = inside.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = names.iter().find(|name| **name == &inside[..length])?;
        let end = end_of(lower, start + 1 + length)?;
        Some(HtmlTag { range: start..end, name })
    })
}

/// The offset after a tag whose name ends at `from`; `>` in quotes does not end it.
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

/// The end of an unclosed tag: its first `>`, or the end of the last attribute value in its line.
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
