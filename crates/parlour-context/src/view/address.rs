//! Addresses in round brackets, as links and images of Markdown have them.

use std::ops::Range;

/// Round brackets in an address, one in the other.
const DEPTH_MAX: usize = 32;
/// Characters of a mark that stands in an address for something that was taken out.
const MARK_CHARS_MAX: usize = 48;

/// What stands in round brackets.
pub(super) struct Target {
    /// The address.
    pub(super) to: Range<usize>,
    /// Behind the closing bracket.
    pub(super) end: usize,
}

/// The target whose bracket opens here, with or without a title; nothing where there is none.
pub(super) fn target(text: &str, at: usize) -> Option<Target> {
    text[at..].strip_prefix('(')?;
    let start = behind_blanks(text, at + 1);
    let to = if text[start..].starts_with('<') { in_angles(text, start)? } else { start..end_of_plain(text, start) };
    let mut end = behind_blanks(text, to.end);
    if end > to.end {
        end = title(text, end).map_or(end, |title| behind_blanks(text, title));
    }
    text[end..].starts_with(')').then_some(Target { to, end: end + 1 })
}

/// Whether an address leads anywhere. A single word does not, and in code `handlers[0](event)` looks like a link.
pub(super) fn leads(to: &str) -> bool {
    to.contains(['.', ':', '/', '#', '?', '@'])
}

/// The same where a word stands before the link, as before the index of a list in code.
pub(super) fn surely_leads(to: &str) -> bool {
    to.contains([':', '/']) || to.starts_with('#') || to.starts_with("www.")
}

/// Blanks go on into the next line, not beyond an empty one.
fn behind_blanks(text: &str, at: usize) -> usize {
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

/// The last place of a mark such as `[mail 1]`, which has a blank in it.
fn end_of_mark(text: &str, open: usize) -> Option<usize> {
    let close = text.bytes().skip(open).take(MARK_CHARS_MAX).position(|byte| byte == b']')? + open;
    let (kind, number) = text[open + 1..close].split_once(' ')?;
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    (is_kind && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(close)
}

/// Behind the title that begins here.
fn title(text: &str, at: usize) -> Option<usize> {
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
