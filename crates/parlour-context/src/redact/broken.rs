//! Tokens that a line break stands in: what belongs together in two lines is taken out with the break.

use super::scan::{Candidate, Rules};
use super::shape;

/// Bytes of a token on each side of the break.
const PIECE_BYTES_MAX: usize = 400;

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
}

/// Adds tokens that only are ones across a line break, and lets those that end at one go on behind it.
pub(super) fn extend(rules: &Rules, text: &str, words: &[(usize, std::ops::Range<usize>)], found: &mut Vec<Candidate>) {
    if !text.contains('\n') {
        return;
    }
    let taken = Taken::of(found);
    let mut last = (usize::MAX, 0);
    let mut run = 0..0;
    for (place, word) in words {
        // Many words of one run share its end: it is looked for once.
        if !run.contains(&word.start) {
            run = piece_from(text, word.start, usize::MAX);
        }
        let piece = word.start..run.end;
        if piece.len() > PIECE_BYTES_MAX || last == (*place, piece.end) {
            continue;
        }
        let Some((next, end)) = next_piece(text, piece.end) else { continue };
        if taken.meets(next..end) {
            continue;
        }
        last = (*place, piece.end);
        let (head, tail) = (&text[piece.clone()], &text[next..end]);
        let joined = format!("{head}{tail}");
        let Some(whole) = rules.pattern(*place).and_then(|pattern| pattern.find(&joined)) else { continue };
        let is_alone = rules.pattern(*place).is_some_and(|pattern| pattern.is_match(head));
        let goes_on = if is_alone { is_rest(tail) } else { true };
        if whole.end() > head.len() && goes_on && !super::stand_in::is_filler(&joined) {
            let to = next + (whole.end() - head.len()).min(tail.len());
            found.push(Candidate {
                range: piece.start + whole.start()..to,
                kind: rules.all()[*place].kind,
                rank: *place,
            });
        }
    }
}

/// What was found already, in the order of the text and without overlaps, so that a place is looked up and not searched.
struct Taken(Vec<std::ops::Range<usize>>);

impl Taken {
    fn of(found: &[Candidate]) -> Self {
        let mut ranges: Vec<_> = found.iter().map(|one| one.range.clone()).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut taken: Vec<std::ops::Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match taken.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => taken.push(range),
            }
        }
        Self(taken)
    }

    fn meets(&self, place: std::ops::Range<usize>) -> bool {
        let first = self.0.partition_point(|range| range.end <= place.start);
        self.0.get(first).is_some_and(|range| range.start < place.end)
    }
}

/// The second half of a token, and no word that begins the next line.
fn is_rest(tail: &str) -> bool {
    tail.len() >= 6 && shape::is_random(&format!("{tail}{tail}")) && !shape::is_name_with_number(tail)
}

fn piece_from(text: &str, from: usize, bytes_max: usize) -> std::ops::Range<usize> {
    let len = text.as_bytes()[from..].iter().take(bytes_max).take_while(|byte| is_part(**byte)).count();
    from..from + len
}

/// Where the first piece of the next line begins and ends, when a line ends here.
fn next_piece(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let after = rest.trim_start_matches([' ', '\t', '\\', '"', '\'']).strip_prefix('\n')?;
    let after = after.trim_start_matches([' ', '\t', '>', '"', '\'']);
    let start = text.len() - after.len();
    let piece = piece_from(text, start, PIECE_BYTES_MAX);
    (!piece.is_empty()).then_some((start, piece.end))
}
