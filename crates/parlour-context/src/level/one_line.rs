//! One line of a text: its first sentence that says something.

use std::ops::Range;

use super::{GAP, cuts::Cuts};

/// Characters of the line, with the gaps around it.
const CHARS_MAX: usize = 120;
/// Below this a line says nothing.
const CHARS_LEAST: usize = 24;
/// Words of a sentence that is more than a greeting.
const WORDS_LEAST: usize = 4;
/// What quoted lines, fences, rules and tables begin with.
const ASIDE: &[char] = &['>', '`', '|', '-', '=', '#', '~'];

/// The line; nothing where there is too little room for one.
pub(super) fn of(cuts: &Cuts<'_>, pieces: &[Range<usize>], chars_max: usize) -> Option<String> {
    let chars_max = chars_max.min(CHARS_MAX);
    if chars_max < CHARS_LEAST {
        return None;
    }
    let says_something = |piece: &&Range<usize>| {
        let text = cuts.slice(piece.start, piece.end);
        !text.starts_with(ASIDE) && text.split_whitespace().nth(WORDS_LEAST - 1).is_some()
    };
    let piece = pieces.iter().find(says_something).or(pieces.first())?;
    let before = if cuts.is_blank(0, piece.start) { String::new() } else { format!("{GAP} ") };
    let behind = format!(" {GAP}");
    let is_last = cuts.is_blank(piece.end, cuts.end());
    let room = chars_max - before.chars().count();
    if is_last && cuts.chars(piece.start, piece.end) <= room {
        return Some(before + cuts.slice(piece.start, piece.end));
    }
    let farthest = cuts.ahead(piece.start, room - behind.chars().count()).min(piece.end);
    let (from, to) = cuts.trimmed(piece.start, farthest);
    (from < to).then(|| [&before, cuts.slice(from, to), &behind].concat())
}
