//! Changes to a text that carries marks.

use std::ops::Range;

use parlour_redact::Mark;

/// A text and the marks in it.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
    /// Whether something was left out that was there to be read.
    pub(super) is_cut: bool,
}

/// A place and what comes there.
pub(super) type Edit = (Range<usize>, String);

impl Edited {
    /// Makes the changes, and says whether any was made. One that would cut a mark is not, nor one that overlaps the one
    /// before it.
    pub(super) fn apply(&mut self, edits: Vec<Edit>) -> bool {
        if edits.is_empty() {
            return false;
        }
        let mut text = String::with_capacity(self.text.len());
        let old = std::mem::take(&mut self.marks);
        let mut marks = Vec::with_capacity(old.len());
        let (mut from, mut next, mut is_changed) = (0, 0, false);
        for (range, new) in edits {
            while next < old.len() && old[next].range.end <= range.start {
                marks.push(moved(&old[next], from, text.len()));
                next += 1;
            }
            let inside = old[next..].partition_point(|mark| mark.range.start < range.end);
            let touched = &old[next..next + inside];
            let is_cut = touched.iter().any(|mark| mark.range.start < range.start || mark.range.end > range.end);
            if range.start < from || is_cut {
                continue;
            }
            is_changed |= self.text[range.clone()] != new;
            text.push_str(&self.text[from..range.start]);
            text.push_str(&new);
            (from, next) = (range.end, next + inside);
        }
        marks.extend(old[next..].iter().map(|mark| moved(mark, from, text.len())));
        text.push_str(&self.text[from..]);
        (self.text, self.marks) = (text, marks);
        is_changed
    }
}

/// A mark behind what was written so far: the text from `from` on follows at `at`.
fn moved(mark: &Mark, from: usize, at: usize) -> Mark {
    let range = mark.range.start - from + at..mark.range.end - from + at;
    Mark { kind: mark.kind.clone(), range }
}
