//! Provider tokens that a line break or string concatenation splits. They are redacted together with the break.

use std::ops::Range;

use regex::Regex;

use super::{
    scanner::{Scanner, SecretCandidate},
    shape,
};

/// Bytes of one piece.
const PIECE_BYTES_MAX: usize = 400;
/// Pieces of one token.
const PIECES_MAX: usize = 6;

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}

/// Adds tokens that match only across a break, and extends tokens that end at a break.
pub(super) fn extend(scanner: &Scanner, text: &str, words: &[(usize, Range<usize>)], found: &mut Vec<SecretCandidate>) {
    let covered = CoveredRanges::of(found);
    let mut last = (usize::MAX, 0);
    let mut run = 0..0;
    for (rule, word) in words {
        // Many triggers of one run share its end, so it is searched for once.
        if !run.contains(&word.start) {
            run = piece_from(text, word.start, usize::MAX);
        }
        let piece = word.start..run.end;
        let is_inner = text[..word.start].ends_with(|char: char| char.is_ascii_alphanumeric());
        if is_inner || piece.len() > PIECE_BYTES_MAX || last == (*rule, piece.end) {
            continue;
        }
        let Some(next) = next_piece(text, piece.end).filter(|next| !covered.overlaps(next.clone())) else { continue };
        last = (*rule, piece.end);
        if let Some(range) = across(scanner.pattern(*rule), text, piece, next) {
            found.push(SecretCandidate { range, kind: scanner.rule(*rule).kind, priority: *rule });
        }
    }
}

/// The range of a token that spans two pieces or more.
fn across(pattern: &Regex, text: &str, first: Range<usize>, next: Range<usize>) -> Option<Range<usize>> {
    let mut joined = text[first.clone()].to_owned();
    let mut pieces = vec![(joined.len(), first.clone())];
    let mut following = Some(next);
    while let Some(piece) = following.filter(|_| pieces.len() < PIECES_MAX) {
        // A complete token continues only with a piece that looks random.
        if pattern.is_match(&joined) && !is_rest(&text[piece.clone()]) {
            break;
        }
        joined.push_str(&text[piece.clone()]);
        pieces.push((joined.len(), piece.clone()));
        following = next_piece(text, piece.end);
    }
    let whole = pattern.find(&joined)?;
    let (joined_end, piece) = pieces.iter().find(|(end, _)| *end >= whole.end())?;
    let is_broken = whole.end() > first.len() && !super::placeholder::is_filler(&joined);
    is_broken.then(|| first.start + whole.start()..piece.end - (joined_end - whole.end()))
}

/// The ranges of earlier findings, sorted and without overlaps, for binary search.
struct CoveredRanges(Vec<Range<usize>>);

impl CoveredRanges {
    fn of(found: &[SecretCandidate]) -> Self {
        let mut ranges: Vec<_> = found.iter().map(|one| one.range.clone()).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut covered: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match covered.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => covered.push(range),
            }
        }
        Self(covered)
    }

    fn overlaps(&self, rule: Range<usize>) -> bool {
        let first = self.0.partition_point(|range| range.end <= rule.start);
        self.0.get(first).is_some_and(|range| range.start < rule.end)
    }
}

/// Whether a piece looks like the rest of a token and not like the first word of the next line.
fn is_rest(tail: &str) -> bool {
    tail.len() >= 6 && shape::is_random(&format!("{tail}{tail}")) && !shape::is_name_with_number(tail)
}

fn piece_from(text: &str, from: usize, bytes_max: usize) -> Range<usize> {
    let len = text.as_bytes()[from..].iter().take(bytes_max).take_while(|byte| is_part(**byte)).count();
    from..from + len
}

/// The next piece, if a line or a string literal ends here.
fn next_piece(text: &str, at: usize) -> Option<Range<usize>> {
    let after = after_line(&text[at..]).or_else(|| after_text(&text[at..]))?;
    let piece = piece_from(text, text.len() - after.len(), PIECE_BYTES_MAX);
    (!piece.is_empty()).then_some(piece)
}

fn after_line(rest: &str) -> Option<&str> {
    let after = rest.trim_start_matches([' ', '\t', '\\', '"', '\'']).strip_prefix('\n')?;
    Some(after.trim_start_matches([' ', '\t', '>', '"', '\'', '+', '.']))
}

/// `"ab" + "cd"`: the text after the next quotation mark.
fn after_text(rest: &str) -> Option<&str> {
    let quotes = ['"', '\'', '`'];
    let symbols = rest.strip_prefix(quotes)?.trim_start_matches([' ', '\t']);
    let after = symbols.strip_prefix(['+', '.', '&', ',', '~', '|'])?;
    after.trim_start_matches(['.', '|', ' ', '\t', '\n', '\\']).strip_prefix(quotes)
}
