//! Line lengths: bounds long lines, rows of one character, runs of blank lines, and the whole text.

use std::ops::Range;

use parlour_core::limits;
use unicode_normalization::char::is_combining_mark;

use crate::view::{Edit, Edited, blobs};

/// The characters that all long paragraphs of prose share.
const PROSE_CHARS_MAX: usize = 8_000;
/// The most punctuation of a line of prose, in percent; code and data have more.
const PUNCTUATION_PERCENT_MAX: usize = 12;
/// Characters shown of the start and of the end of a dense line.
const DENSE_HEAD_CHARS: usize = 80;
const DENSE_TAIL_CHARS: usize = 160;
/// Characters reserved for a note in a line or at the end of the text.
const NOTE_CHARS_MAX: usize = 60;
/// The share of the kept characters of a long line that comes from its start, in percent.
const HEAD_PERCENT: usize = 60;
/// The distance that a cut moves to a word boundary, at most.
const WORD_CHARS_MAX: usize = 60;

fn each(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches('\n').len()
    })
}

/// The note about omitted text: `[… 120 characters more]`.
pub(super) fn note(chars: usize) -> String {
    format!("[… {chars} characters more]")
}

fn is_longer(line: &str, chars: usize) -> bool {
    line.len() > chars && line.chars().count() > chars
}

/// Shortens long lines with almost no spaces, such as minified code, to their start and end.
pub(super) fn dense_lines(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let is_dense = |line: &str| {
        let blanks = line.bytes().filter(|byte| *byte == b' ').count();
        is_longer(line, limits::CONTEXT_LINE_CHARS_MAX)
            && blanks * 40 < line.len()
            && line.bytes().filter(u8::is_ascii).count() * 10 > line.len() * 9
    };
    let lines = each(text).filter(|line| is_dense(&text[line.clone()]));
    lines
        .map(|line| middle(edited, &line, [DENSE_HEAD_CHARS, DENSE_TAIL_CHARS], |cut| blobs::mark(cut.len())))
        .collect()
}

/// Whether the line looks like prose.
fn is_prose(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_punctuation).count() * 100 <= line.chars().count() * PUNCTUATION_PERCENT_MAX
}

/// Shortens long lines in their middle, with a note about the missing length: questions are often at the end.
pub(super) fn long_lines(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let lines = each(text).filter(|line| is_longer(&text[line.clone()], limits::CONTEXT_LINE_CHARS_MAX));
    let lines: Vec<(Range<usize>, bool)> = lines.map(|line| (line.clone(), is_prose(&text[line]))).collect();
    let share = PROSE_CHARS_MAX / lines.iter().filter(|(_, is_prose)| *is_prose).count().max(1);
    let most = |is_prose: bool| if is_prose { share } else { 0 }.max(limits::CONTEXT_LINE_CHARS_MAX);
    let cut = |(line, is_prose): &(Range<usize>, bool)| {
        let room = most(*is_prose) - NOTE_CHARS_MAX;
        let head = room * HEAD_PERCENT / 100;
        middle(edited, line, [head, room - head], |cut| note(cut.chars().count()))
    };
    lines.iter().filter(|(line, is_prose)| is_longer(&text[line.clone()], most(*is_prose))).map(cut).collect()
}

/// The edit that replaces the middle of a line and keeps this many characters of its start and end.
fn middle(edited: &Edited, line: &Range<usize>, [head, tail]: [usize; 2], note: impl Fn(&str) -> String) -> Edit {
    let from = cut_at(edited, line, head);
    let to = begin_at(edited, line, tail).max(from);
    let note = note(&edited.text[from..to]);
    let end = if to == line.end { "" } else { " " };
    (from..to, format!(" {note}{end}"))
}

/// The offset at which the kept start of a line ends: at a word boundary, and never inside a redaction mark.
fn cut_at(edited: &Edited, line: &Range<usize>, chars: usize) -> usize {
    let text = &edited.text[line.clone()];
    let at = text.char_indices().nth(chars).map_or(line.end, |(at, _)| line.start + at);
    let at = mark_around(edited, at).map_or(at, |mark| mark.start);
    let near = edited.text[line.start..at].char_indices().rev().take(WORD_CHARS_MAX);
    let blank = near.filter(|(_, sign)| *sign == ' ').map(|(blank, _)| line.start + blank).next();
    let at = blank.filter(|blank| mark_around(edited, *blank).is_none()).unwrap_or(at);
    // A trailing joiner or variation selector has no effect without the next character.
    let kept = edited.text[line.start..at].trim_end_matches(is_joiner).trim_end_matches(' ');
    line.start + kept.len()
}

/// The offset at which the kept end of a line starts: at a word boundary, and never inside a redaction mark.
fn begin_at(edited: &Edited, line: &Range<usize>, chars: usize) -> usize {
    let text = &edited.text[line.clone()];
    let at = text.char_indices().rev().nth(chars).map_or(line.start, |(at, sign)| line.start + at + sign.len_utf8());
    let at = mark_around(edited, at).map_or(at, |mark| mark.end);
    let near = edited.text[at..line.end].char_indices().take(WORD_CHARS_MAX);
    let blank = near.filter(|(_, sign)| *sign == ' ').map(|(blank, _)| at + blank + 1).next();
    let at = blank.filter(|blank| mark_around(edited, *blank).is_none()).unwrap_or(at);
    let rest =
        edited.text[at..line.end].trim_start_matches(|sign| is_joiner(sign) || is_combining_mark(sign) || sign == ' ');
    line.end - rest.len()
}

fn is_joiner(sign: char) -> bool {
    matches!(sign, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// The redaction mark that contains the offset.
fn mark_around(edited: &Edited, at: usize) -> Option<&Range<usize>> {
    edited.marks.iter().map(|mark| &mark.range).find(|mark| mark.start < at && at < mark.end)
}

/// Reduces consecutive blank lines to one.
pub(super) fn blank_lines(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let mut edits = Vec::new();
    let mut first: Option<usize> = None;
    let mut last = 0;
    for line in each(text) {
        let is_blank = text[line.clone()].trim().is_empty();
        match (is_blank, first) {
            (true, None) => first = Some(line.start),
            (false, Some(start)) => {
                if text[start..line.start].matches('\n').count() > 1 {
                    edits.push((start..line.start, "\n".to_owned()));
                }
                first = None;
            }
            _ => {}
        }
        last = line.end;
    }
    if let Some(start) = first
        && text[start..].contains('\n')
    {
        edits.push((start..text.len().max(last), String::new()));
    }
    edits
}

/// Cuts the text to its limit and appends a note about the missing size.
pub(super) fn end(edited: &mut Edited, left_out_bytes: usize, chars_max: usize) {
    let is_over = edited.text.len() > chars_max && edited.text.chars().count() > chars_max;
    let needs_room = left_out_bytes > 0 && edited.text.chars().count() + NOTE_CHARS_MAX > chars_max;
    let mut missing = left_out_bytes;
    if is_over || needs_room {
        let all = 0..edited.text.len();
        let from = cut_at(edited, &all, chars_max - NOTE_CHARS_MAX);
        missing += all.end - from;
        edited.text.truncate(from);
        edited.marks.retain(|mark| mark.range.end <= from);
    }
    if missing > 0 {
        edited.is_cut = true;
        let kept = edited.text.trim_end().len().max(edited.marks.last().map_or(0, |mark| mark.range.end));
        edited.text.truncate(kept);
        edited.text.push_str(&format!("\n[… {} kB more]", missing.div_ceil(1_000)));
    }
}

/// Characters shown of a row of one repeated character.
pub(super) const ROW_CHARS_MAX: usize = 32;
/// The length from which a row of a letter or other readable character is shortened; the note takes room too.
const ROW_CHARS_LONG: usize = 64;
/// The longest drawn line that is shortened without a note.
const DRAWN_CHARS_MAX: usize = 200;

/// Shortens drawn lines and runs of spaces. No readable text is lost.
pub(super) fn drawn_rows(edited: &Edited) -> Vec<Edit> {
    let is_drawn = |row: &CharRow| is_drawing(row.sign) && row.chars > ROW_CHARS_MAX && row.chars <= DRAWN_CHARS_MAX;
    rows(&edited.text).filter(is_drawn).map(|row| (row.rest(), String::new())).collect()
}

/// Shortens other rows, with a note about the missing length. Digits stay, because they are numbers; line breaks are
/// handled by [`blank_lines`].
pub(super) fn long_rows(edited: &Edited) -> Vec<Edit> {
    let is_long = |row: &CharRow| row.chars > ROW_CHARS_LONG && row.sign != '\n' && !row.sign.is_numeric();
    let text = &edited.text;
    let cut = |row: CharRow| {
        let blank = if text[row.range.end..].starts_with(['(', '[', ':']) { " " } else { "" };
        (row.rest(), format!("{}{blank}", note(row.chars - ROW_CHARS_MAX)))
    };
    rows(text).filter(is_long).map(cut).collect()
}

/// A row of one repeated character.
struct CharRow {
    sign: char,
    chars: usize,
    range: Range<usize>,
}

impl CharRow {
    /// The part after the shown characters.
    fn rest(&self) -> Range<usize> {
        self.range.start + ROW_CHARS_MAX * self.sign.len_utf8()..self.range.end
    }
}

fn rows(text: &str) -> impl Iterator<Item = CharRow> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, sign) = rest.next()?;
        let mut chars = 1;
        while rest.next_if(|(_, next)| *next == sign).is_some() {
            chars += 1;
        }
        Some(CharRow { sign, chars, range: start..start + chars * sign.len_utf8() })
    })
}

/// Whether lines are drawn with the character: white space, punctuation, box drawing.
fn is_drawing(sign: char) -> bool {
    sign != '\n' && (sign.is_whitespace() || sign.is_ascii_punctuation())
        || matches!(sign, '·' | '•' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{259f}')
}
