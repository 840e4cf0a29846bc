//! One sign again and again says no more than a short row of it, and takes long to count.

use std::ops::Range;

use super::{
    edit::{Edit, Edited},
    lines,
};

/// Characters of a row of one sign that are shown.
pub(super) const ROW_CHARS_MAX: usize = 32;
/// Characters of a row of signs that make words from which it is too long: a note takes room, too.
const ROW_CHARS_LONG: usize = 64;
/// Characters of a line that somebody has drawn, at most: nothing is missing when it is drawn shorter.
const DRAWN_CHARS_MAX: usize = 200;

/// Lines that are drawn, and blanks, become short. Nothing that was to be read is lost.
pub(super) fn drawn(edited: &Edited) -> Vec<Edit> {
    let is_drawn = |row: &Row| is_drawing(row.sign) && row.chars > ROW_CHARS_MAX && row.chars <= DRAWN_CHARS_MAX;
    rows(&edited.text).filter(is_drawn).map(|row| (row.rest(), String::new())).collect()
}

/// Other rows lose what is too much, with a note that says how much it was. Digits stay: they are numbers; and ends of
/// lines are looked at elsewhere.
pub(super) fn long(edited: &Edited) -> Vec<Edit> {
    let is_long = |row: &Row| row.chars > ROW_CHARS_LONG && row.sign != '\n' && !row.sign.is_numeric();
    let text = &edited.text;
    let cut = |row: Row| {
        let blank = if text[row.range.end..].starts_with(['(', '[', ':']) { " " } else { "" };
        (row.rest(), format!("{}{blank}", lines::note(row.chars - ROW_CHARS_MAX)))
    };
    rows(text).filter(is_long).map(cut).collect()
}

/// One sign, and how often it stands here.
struct Row {
    sign: char,
    chars: usize,
    range: Range<usize>,
}

impl Row {
    /// What is too much of it.
    fn rest(&self) -> Range<usize> {
        self.range.start + ROW_CHARS_MAX * self.sign.len_utf8()..self.range.end
    }
}

fn rows(text: &str) -> impl Iterator<Item = Row> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, sign) = rest.next()?;
        let mut chars = 1;
        while rest.next_if(|(_, next)| *next == sign).is_some() {
            chars += 1;
        }
        Some(Row { sign, chars, range: start..start + chars * sign.len_utf8() })
    })
}

/// Whether lines are drawn with it: blanks, punctuation, and what is made for that.
fn is_drawing(sign: char) -> bool {
    sign != '\n' && (sign.is_whitespace() || sign.is_ascii_punctuation())
        || matches!(sign, '·' | '•' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{259f}')
}
