//! The beginning and the end of a text.

use super::{GAP, cuts::Cuts};

/// Below this, a text is as well shown as a whole.
const CHARS_LEAST: usize = 240;
/// Characters of the beginning, at most; for shorter texts two fifths of them.
const HEAD_CHARS_MAX: usize = 480;
/// Characters of the end, at most; for shorter texts one fifth.
const TAIL_CHARS_MAX: usize = 240;

/// The beginning and the end, with what is missing between them said in a line of its own when there are lines.
pub(super) fn of(cuts: &Cuts<'_>, chars_max: usize) -> Option<String> {
    let chars = cuts.chars(0, cuts.end());
    if chars < CHARS_LEAST {
        return None;
    }
    let text = joined(cuts, (chars * 2 / 5).min(HEAD_CHARS_MAX), (chars / 5).min(TAIL_CHARS_MAX))?;
    (text.chars().count() <= chars_max).then_some(text)
}

/// The same in about so many characters, two thirds of them from the beginning.
pub(super) fn within(cuts: &Cuts<'_>, chars_max: usize) -> Option<String> {
    let tail = chars_max / 3;
    joined(cuts, chars_max - tail, tail).filter(|text| text.chars().count() < cuts.chars(0, cuts.end()))
}

fn joined(cuts: &Cuts<'_>, head_chars: usize, tail_chars: usize) -> Option<String> {
    let (begin, head) = cuts.trimmed(0, cuts.ahead(0, head_chars));
    let (tail, end) = cuts.trimmed(cuts.back_from_end(tail_chars), cuts.end());
    if begin == head || tail == end || tail <= head {
        return None;
    }
    let missing = cuts.slice(head, tail);
    let gap = if missing.contains('\n') {
        format!("\n{GAP} {} characters {GAP}\n", missing.trim().chars().count())
    } else {
        format!(" {GAP} ")
    };
    Some([cuts.slice(begin, head), &gap, cuts.slice(tail, end)].concat())
}
