//! The sentences of a text: its lines, cut where a sentence ends, and where one goes on for too long.

use std::ops::Range;

use super::cuts::Cuts;

/// Sentences that are looked at.
const PIECES_MAX: usize = 400;
/// Characters after which a sentence ends at the next blank.
const CHARS_MOST: usize = 160;
/// Characters after which it ends anywhere.
const CHARS_HARD_MAX: usize = 240;

/// The sentences that say something, as ranges of cuts without blanks around them.
pub(super) fn of(cuts: &Cuts<'_>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in 1..=cuts.end() {
        if cut < cuts.end() && !ends(cuts, from, cut) {
            continue;
        }
        let (begin, end) = cuts.trimmed(from, cut);
        from = cut;
        if cuts.slice(begin, end).chars().any(char::is_alphanumeric) {
            pieces.push(begin..end);
        }
        if pieces.len() == PIECES_MAX {
            break;
        }
    }
    pieces
}

/// Whether what began at `from` ends here.
fn ends(cuts: &Cuts<'_>, from: usize, cut: usize) -> bool {
    let last = cuts.slice(cut - 1, cut);
    let is_before_blank = || cuts.is_blank(cut, cut + 1);
    let chars = cuts.chars(from, cut);
    match last {
        _ if last.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) => true,
        "。" | "！" | "？" => true,
        "!" | "?" | "…" => is_before_blank(),
        "." => is_before_blank() && !goes_on_small(cuts, cut),
        _ => chars >= CHARS_HARD_MAX || chars >= CHARS_MOST && is_before_blank(),
    }
}

/// Whether a small letter follows: then the dot belonged to something short, such as `e.g.`
fn goes_on_small(cuts: &Cuts<'_>, cut: usize) -> bool {
    let next = (cut + 1 < cuts.end()).then(|| cuts.slice(cut + 1, cut + 2));
    next.and_then(|sign| sign.chars().next()).is_some_and(char::is_lowercase)
}
