//! Changes to a text that carries marks.

use std::ops::Range;

use crate::redact::Mark;

/// A text and the marks in it.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
}

/// A place and what comes there.
pub(super) type Edit = (Range<usize>, String);

impl Edited {
    /// Makes the changes. One that would cut a mark is not made, nor one that overlaps the one before it.
    pub(super) fn apply(&mut self, edits: Vec<Edit>) {
        if edits.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut marks = Vec::with_capacity(self.marks.len());
        let mut old = std::mem::take(&mut self.marks).into_iter().peekable();
        let mut from = 0;
        for (range, new) in edits {
            while let Some(mark) = old.next_if(|mark| mark.range.end <= range.start) {
                marks.push(moved(mark, from, text.len()));
            }
            let cuts = old.peek().is_some_and(|mark| mark.range.start < range.start) || self.cuts_end(&old, range.end);
            if range.start < from || cuts {
                continue;
            }
            text.push_str(&self.text[from..range.start]);
            // Marks before the change were moved by what had been written until then; now all of it counts.
            text.push_str(&new);
            from = range.end;
            while old.next_if(|mark| mark.range.end <= range.end).is_some() {}
        }
        marks.extend(old.map(|mark| moved(mark, from, text.len())));
        text.push_str(&self.text[from..]);
        (self.text, self.marks) = (text, marks);
    }

    fn cuts_end(&self, old: &std::iter::Peekable<std::vec::IntoIter<Mark>>, end: usize) -> bool {
        old.clone().take_while(|mark| mark.range.start < end).any(|mark| mark.range.end > end)
    }
}

/// A mark behind what was written so far: the text from `from` on follows at `at`.
fn moved(mark: Mark, from: usize, at: usize) -> Mark {
    let range = mark.range.start - from + at..mark.range.end - from + at;
    Mark { kind: mark.kind, range }
}
