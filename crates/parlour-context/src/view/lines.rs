//! Lines: none too long, no walls of code that no person wrote, no empty ones in a row, and an end.

use std::ops::Range;

use parlour_core::limits;
use unicode_normalization::char::is_combining_mark;

use super::{
    blobs,
    edit::{Edit, Edited},
};

/// Characters that long paragraphs of prose share: one is shown whole, many are not.
const PROSE_CHARS_MAX: usize = 8_000;
/// Punctuation of a line that may be prose, in percent; code and data have more.
const PUNCTUATION_PERCENT_MAX: usize = 12;
/// Characters of the beginning and of the end of a wall that are shown.
const WALL_HEAD_CHARS: usize = 80;
const WALL_TAIL_CHARS: usize = 160;
/// Characters that the note in a line or at the end of the text takes.
const NOTE_CHARS_MAX: usize = 60;
/// The part of a long line, in percent, that is kept of its beginning; the rest is kept of its end.
const HEAD_PERCENT: usize = 60;
/// How far a cut moves so that no word is halved.
const WORD_CHARS_MAX: usize = 60;

fn each(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches('\n').len()
    })
}

/// `[… 120 characters more]`.
pub(super) fn note(chars: usize) -> String {
    format!("[… {chars} characters more]")
}

fn is_longer(line: &str, chars: usize) -> bool {
    line.len() > chars && line.chars().count() > chars
}

/// Long lines almost without blanks, such as minified code, keep their beginning and their end.
pub(super) fn walls(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let is_wall = |line: &str| {
        let blanks = line.bytes().filter(|byte| *byte == b' ').count();
        is_longer(line, limits::CONTEXT_LINE_CHARS_MAX)
            && blanks * 40 < line.len()
            && line.bytes().filter(u8::is_ascii).count() * 10 > line.len() * 9
    };
    let lines = each(text).filter(|line| is_wall(&text[line.clone()]));
    lines.map(|line| middle(edited, &line, [WALL_HEAD_CHARS, WALL_TAIL_CHARS], |cut| blobs::mark(cut.len()))).collect()
}

/// Whether a person may have written it.
fn is_prose(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_punctuation).count() * 100 <= line.chars().count() * PUNCTUATION_PERCENT_MAX
}

/// Long lines lose their middle, with a note that says how much is missing: the question often stands at the end.
pub(super) fn long(edited: &Edited) -> Vec<Edit> {
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

/// The middle of a line, behind so many characters of its beginning and before so many of its end, and what stands there.
fn middle(edited: &Edited, line: &Range<usize>, [head, tail]: [usize; 2], note: impl Fn(&str) -> String) -> Edit {
    let from = cut_at(edited, line, head);
    let to = begin_at(edited, line, tail).max(from);
    let note = note(&edited.text[from..to]);
    let end = if to == line.end { "" } else { " " };
    (from..to, format!(" {note}{end}"))
}

/// Where a line is cut: behind so many characters or the last word before them, or before the mark that stands there.
fn cut_at(edited: &Edited, line: &Range<usize>, chars: usize) -> usize {
    let text = &edited.text[line.clone()];
    let at = text.char_indices().nth(chars).map_or(line.end, |(at, _)| line.start + at);
    let at = marked(edited, at).map_or(at, |mark| mark.start);
    let near = edited.text[line.start..at].char_indices().rev().take(WORD_CHARS_MAX);
    let blank = near.filter(|(_, sign)| *sign == ' ').map(|(blank, _)| line.start + blank).next();
    let at = blank.filter(|blank| marked(edited, *blank).is_none()).unwrap_or(at);
    // No joiner without what it joins, and no sign that only changes how the next one looks.
    let kept = edited.text[line.start..at].trim_end_matches(is_joiner).trim_end_matches(' ');
    line.start + kept.len()
}

/// Where the end of a line begins: so many characters before it or at the first word behind that, or behind the mark that
/// stands there.
fn begin_at(edited: &Edited, line: &Range<usize>, chars: usize) -> usize {
    let text = &edited.text[line.clone()];
    let at = text.char_indices().rev().nth(chars).map_or(line.start, |(at, sign)| line.start + at + sign.len_utf8());
    let at = marked(edited, at).map_or(at, |mark| mark.end);
    let near = edited.text[at..line.end].char_indices().take(WORD_CHARS_MAX);
    let blank = near.filter(|(_, sign)| *sign == ' ').map(|(blank, _)| at + blank + 1).next();
    let at = blank.filter(|blank| marked(edited, *blank).is_none()).unwrap_or(at);
    let rest =
        edited.text[at..line.end].trim_start_matches(|sign| is_joiner(sign) || is_combining_mark(sign) || sign == ' ');
    line.end - rest.len()
}

fn is_joiner(sign: char) -> bool {
    matches!(sign, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// The mark in whose middle a place is.
fn marked(edited: &Edited, at: usize) -> Option<&Range<usize>> {
    edited.marks.iter().map(|mark| &mark.range).find(|mark| mark.start < at && at < mark.end)
}

/// Empty lines in a row become one.
pub(super) fn blank(edited: &Edited) -> Vec<Edit> {
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

/// Cuts what has become too long, and says how much is missing.
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
