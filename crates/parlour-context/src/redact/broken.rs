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
    let mut last = (usize::MAX, 0);
    for (place, word) in words {
        let piece = piece_from(text, word.start);
        let Some((next, end)) = next_piece(text, piece.end) else { continue };
        if last == (*place, piece.end) || found.iter().any(|one| one.range.start < end && next < one.range.end) {
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

/// The second half of a token, and no word that begins the next line.
fn is_rest(tail: &str) -> bool {
    tail.len() >= 6 && shape::is_random(&format!("{tail}{tail}")) && !shape::is_name_with_number(tail)
}

fn piece_from(text: &str, from: usize) -> std::ops::Range<usize> {
    let len = text.as_bytes()[from..].iter().take(PIECE_BYTES_MAX).take_while(|byte| is_part(**byte)).count();
    from..from + len
}

/// Where the first piece of the next line begins and ends, when a line ends here.
fn next_piece(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let after = rest.trim_start_matches([' ', '\t', '\\', '"', '\'']).strip_prefix('\n')?;
    let after = after.trim_start_matches([' ', '\t', '>', '"', '\'']);
    let start = text.len() - after.len();
    let piece = piece_from(text, start);
    (!piece.is_empty()).then_some((start, piece.end))
}
