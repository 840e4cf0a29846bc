//! Tokens that a line break stands in, or the signs by which code puts texts together: what belongs together is taken out
//! with the break.

use std::ops::Range;

use regex::Regex;

use super::{
    scan::{Candidate, Rules},
    shape,
};

/// Bytes of a token on each side of the break.
const PIECE_BYTES_MAX: usize = 400;
/// Pieces of one token.
const PIECES_MAX: usize = 6;

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}

/// Adds tokens that only are ones across a break, and lets those that end at one go on behind it.
pub(super) fn extend(rules: &Rules, text: &str, words: &[(usize, Range<usize>)], found: &mut Vec<Candidate>) {
    let taken = Taken::of(found);
    let mut last = (usize::MAX, 0);
    let mut run = 0..0;
    for (place, word) in words {
        // Many words of one run share its end: it is looked for once.
        if !run.contains(&word.start) {
            run = piece_from(text, word.start, usize::MAX);
        }
        let piece = word.start..run.end;
        let is_inner = text[..word.start].ends_with(|char: char| char.is_ascii_alphanumeric());
        if is_inner || piece.len() > PIECE_BYTES_MAX || last == (*place, piece.end) {
            continue;
        }
        let Some(next) = next_piece(text, piece.end).filter(|next| !taken.meets(next.clone())) else { continue };
        last = (*place, piece.end);
        let Some(pattern) = rules.pattern(*place) else { continue };
        if let Some(range) = across(pattern, text, piece, next) {
            found.push(Candidate { range, kind: rules.all()[*place].kind, rank: *place });
        }
    }
}

/// Where a token begins and ends that goes over two pieces or more.
fn across(pattern: &Regex, text: &str, first: Range<usize>, next: Range<usize>) -> Option<Range<usize>> {
    let mut joined = text[first.clone()].to_owned();
    let mut pieces = vec![(joined.len(), first.clone())];
    let mut following = Some(next);
    while let Some(piece) = following.filter(|_| pieces.len() < PIECES_MAX) {
        // What is a token already only goes on with what looks like the rest of one.
        if pattern.is_match(&joined) && !is_rest(&text[piece.clone()]) {
            break;
        }
        joined.push_str(&text[piece.clone()]);
        pieces.push((joined.len(), piece.clone()));
        following = next_piece(text, piece.end);
    }
    let whole = pattern.find(&joined)?;
    let (joined_end, piece) = pieces.iter().find(|(end, _)| *end >= whole.end())?;
    let is_broken = whole.end() > first.len() && !super::stand_in::is_filler(&joined);
    is_broken.then(|| first.start + whole.start()..piece.end - (joined_end - whole.end()))
}

/// What was found already, in the order of the text and without overlaps, so that a place is looked up and not searched.
struct Taken(Vec<Range<usize>>);

impl Taken {
    fn of(found: &[Candidate]) -> Self {
        let mut ranges: Vec<_> = found.iter().map(|one| one.range.clone()).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut taken: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match taken.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => taken.push(range),
            }
        }
        Self(taken)
    }

    fn meets(&self, place: Range<usize>) -> bool {
        let first = self.0.partition_point(|range| range.end <= place.start);
        self.0.get(first).is_some_and(|range| range.start < place.end)
    }
}

/// The second half of a token, and no word that begins the next line.
fn is_rest(tail: &str) -> bool {
    tail.len() >= 6 && shape::is_random(&format!("{tail}{tail}")) && !shape::is_name_with_number(tail)
}

fn piece_from(text: &str, from: usize, bytes_max: usize) -> Range<usize> {
    let len = text.as_bytes()[from..].iter().take(bytes_max).take_while(|byte| is_part(**byte)).count();
    from..from + len
}

/// Where the next piece begins and ends, when a line or a text in code ends here.
fn next_piece(text: &str, at: usize) -> Option<Range<usize>> {
    let after = after_line(&text[at..]).or_else(|| after_text(&text[at..]))?;
    let piece = piece_from(text, text.len() - after.len(), PIECE_BYTES_MAX);
    (!piece.is_empty()).then_some(piece)
}

fn after_line(rest: &str) -> Option<&str> {
    let after = rest.trim_start_matches([' ', '\t', '\\', '"', '\'']).strip_prefix('\n')?;
    Some(after.trim_start_matches([' ', '\t', '>', '"', '\'', '+', '.']))
}

/// `"ab" + "cd"`: what follows the next quotation mark.
fn after_text(rest: &str) -> Option<&str> {
    let quotes = ['"', '\'', '`'];
    let signs = rest.strip_prefix(quotes)?.trim_start_matches([' ', '\t']);
    let after = signs.strip_prefix(['+', '.', '&', ',', '~', '|'])?;
    after.trim_start_matches(['.', '|', ' ', '\t', '\n', '\\']).strip_prefix(quotes)
}
