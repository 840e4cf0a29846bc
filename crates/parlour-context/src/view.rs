//! Views: a normalised and bounded form of a stored text.
//!
//! A view is made in two steps, because a cut secret cannot be detected: [`NormalizedText`] normalises a text without
//! dropping visible characters, then `parlour_redact` redacts it, and [`shorten`] shortens it last, without cutting a
//! redaction mark.

use std::ops::Range;

use parlour_core::limits;
use parlour_redact::Mark;
use regex::Regex;

pub use self::normalize::NormalizedText;

mod blobs;
mod html;
mod lines;
mod links;
mod markdown;
mod normalize;

/// The most rounds of shortening; it stops earlier when nothing changes.
const ROUNDS_MAX: usize = 8;
/// A step that finds edits which shorten a text.
type ShorteningStep = fn(&Edited) -> Vec<Edit>;
/// All steps in order, and whether a step drops readable text.
const STEPS: [(ShorteningStep, bool); 8] = [
    (lines::drawn_rows, false),
    (lines::long_rows, true),
    // The content of an image is not text, so nothing readable is lost.
    (links::images, false),
    (links::links, true),
    (blobs::blobs, true),
    (lines::dense_lines, true),
    (lines::long_lines, true),
    (lines::blank_lines, false),
];

/// A view of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The text in NFC, with bounded lines, blobs as short marks, few links and no images.
    pub text: String,
    /// The number of removed invisible and direction-changing characters.
    pub invisible: u64,
    /// Whether readable text was omitted.
    pub is_cut: bool,
}

impl View {
    /// The view of a text. It reads at most `CONTEXT_ITEM_CHARS_MAX` characters in linear time. The view of a view is
    /// the view itself.
    pub fn of(text: &str) -> Self {
        let plain = NormalizedText::of(text);
        let short = shorten(&plain.text, Vec::new(), plain.left_out_bytes);
        Self { text: short.text, invisible: plain.invisible, is_cut: short.is_cut }
    }
}

/// The result of [`shorten`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShortenedText {
    pub text: String,
    /// The redaction marks in the text.
    pub marks: Vec<Mark>,
    /// Whether readable text was omitted.
    pub is_cut: bool,
}

/// Shortens a normalised text: repeated characters, images, links after the first few, blobs and the middle of long
/// lines. Redaction marks move with the text; those in omitted text are dropped. A note at the end tells the size of
/// the text that was not read.
pub fn shorten(text: &str, marks: Vec<Mark>, left_out_bytes: usize) -> ShortenedText {
    let mut edited = Edited { text: text.to_owned(), marks, is_cut: false };
    // A shorter text can form a link that was too far apart before.
    for _ in 0..ROUNDS_MAX {
        let before = edited.text.clone();
        for (find, is_loss) in STEPS {
            let edits = find(&edited);
            edited.is_cut |= edited.apply(edits) && is_loss;
        }
        if edited.text == before {
            break;
        }
    }
    lines::end(&mut edited, left_out_bytes, limits::CONTEXT_ITEM_CHARS_MAX);
    ShortenedText { text: edited.text, marks: edited.marks, is_cut: edited.is_cut }
}

/// A text with redaction marks, and edits that keep the marks in place.
#[derive(Debug)]
struct Edited {
    text: String,
    marks: Vec<Mark>,
    is_cut: bool,
}

/// A range and its replacement.
type Edit = (Range<usize>, String);

impl Edited {
    /// Applies the edits and returns whether the text changed. It skips an edit that would cut a mark or that overlaps
    /// the one before.
    fn apply(&mut self, edits: Vec<Edit>) -> bool {
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

/// The mark, moved from its place after `from` to its place after `at`.
fn moved(mark: &Mark, from: usize, at: usize) -> Mark {
    let range = mark.range.start - from + at..mark.range.end - from + at;
    Mark { kind: mark.kind.clone(), range }
}

/// Compiles a built-in pattern. A pattern that does not compile panics where it is first used, before a text is
/// returned; a test compiles all of them.
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("a built-in pattern does not compile: {error}"))
}

#[cfg(test)]
mod tests;
