//! Lines: none too long, no walls of code that no person wrote, no empty ones in a row, and an end.

use std::ops::Range;

use parlour_core::limits;

use super::{
    blobs,
    edit::{Edit, Edited},
};

/// Characters of a wall that are shown.
const WALL_HEAD_CHARS: usize = 80;
/// Characters that the note at the end of a line or of the text takes.
const NOTE_CHARS_MAX: usize = 60;

fn each(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches('\n').len()
    })
}

/// Long lines almost without blanks, such as minified code, keep their beginning.
pub(super) fn walls(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let is_wall = |line: &str| {
        let blanks = line.bytes().filter(|byte| *byte == b' ').count();
        line.len() > limits::CONTEXT_LINE_CHARS_MAX
            && line.chars().count() > limits::CONTEXT_LINE_CHARS_MAX
            && blanks * 40 < line.len()
            && line.bytes().filter(u8::is_ascii).count() * 10 > line.len() * 9
    };
    let cut = |line: Range<usize>| {
        let from = cut_at(edited, &line, WALL_HEAD_CHARS);
        let new = blobs::mark(line.end - from);
        (from..line.end, new)
    };
    each(text).filter(|line| is_wall(&text[line.clone()])).map(cut).collect()
}

/// Long lines are cut, with a note that says how much is missing.
pub(super) fn long(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let is_long = |line: &Range<usize>| {
        line.len() > limits::CONTEXT_LINE_CHARS_MAX
            && text[line.clone()].chars().count() > limits::CONTEXT_LINE_CHARS_MAX
    };
    let cut = |line: Range<usize>| {
        let from = cut_at(edited, &line, limits::CONTEXT_LINE_CHARS_MAX - NOTE_CHARS_MAX);
        let new = format!("[… {} characters more]", text[from..line.end].chars().count());
        (from..line.end, new)
    };
    each(text).filter(is_long).map(cut).collect()
}

/// Where a line is cut: behind so many characters, or before the mark that stands there.
fn cut_at(edited: &Edited, line: &Range<usize>, chars: usize) -> usize {
    let at = edited.text[line.clone()].char_indices().nth(chars).map_or(line.end, |(at, _)| line.start + at);
    let at = edited
        .marks
        .iter()
        .find(|mark| mark.range.start < at && at < mark.range.end)
        .map_or(at, |mark| mark.range.start);
    // No joiner without what it joins, and no letter without its marks.
    edited.text[line.start..at].trim_end_matches(['\u{200c}', '\u{200d}']).len() + line.start
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
        let kept = edited.text.trim_end().len().max(edited.marks.last().map_or(0, |mark| mark.range.end));
        edited.text.truncate(kept);
        edited.text.push_str(&format!("\n[… {} kB more]", missing.div_ceil(1_000)));
    }
}
