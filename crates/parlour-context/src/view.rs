//! What of a stored text may be looked at: a view, never the text itself.
//!
//! It is made in two steps, because half a secret has no shape: [`NormalizedText`] brings a text into normal form without leaving
//! out anything that is seen, then secrets are taken out (`parlour_redact`), and [`shorten`] makes it short last. It never
//! cuts a mark.

mod address;
mod blobs;
mod brackets;
mod edit;
mod images;
mod lines;
mod links;
mod plain;
mod references;
mod repeats;
mod signs;
mod tags;

use parlour_core::limits;
use parlour_redact::Mark;

use self::edit::{Edit, Edited};

pub use self::plain::NormalizedText;

/// How often a text is made shorter, as long as there is something to do.
const ROUNDS_MAX: usize = 8;
/// Something that makes a text shorter.
type Step = fn(&Edited) -> Vec<Edit>;
/// All of them in their order, and whether something is lost by it that was there to be read.
const STEPS: [(Step, bool); 8] = [
    (repeats::drawn, false),
    (repeats::long, true),
    // What an image shows is no text, and stays behind its address.
    (images::images, false),
    (links::links, true),
    (blobs::blobs, true),
    (lines::walls, true),
    (lines::long, true),
    (lines::blank, false),
];

/// A view of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// In normal form (NFC), lines ended by `\n` only and bounded, blobs as short marks, few links, no images.
    pub text: String,
    /// Invisible and direction-changing signs that were taken out.
    pub invisible: u64,
    /// Whether something was left out that was there to be read.
    pub is_cut: bool,
}

impl View {
    /// The view of a text. It looks at no more than `CONTEXT_ITEM_CHARS_MAX` characters, and its cost grows with what it
    /// looks at and nothing else. The view of a view is the view itself.
    pub fn of(text: &str) -> Self {
        let plain = NormalizedText::of(text);
        let short = shorten(&plain.text, Vec::new(), plain.left_out_bytes);
        Self { text: short.text, invisible: plain.invisible, is_cut: short.is_cut }
    }
}

/// A text that was made short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShortenedText {
    /// What is left of it.
    pub text: String,
    /// The marks in that.
    pub marks: Vec<Mark>,
    /// Whether something was left out that was there to be read: such a text is never all of it.
    pub is_cut: bool,
}

/// Makes a plain text short: rows of one sign lose what is too much, images and links beyond the first few go, blobs
/// become marks, long lines lose their middle. The marks of secrets move with the text, and those in what is left out are
/// gone. At its end it says how much was not looked at.
pub fn shorten(text: &str, marks: Vec<Mark>, left_out_bytes: usize) -> ShortenedText {
    let mut edited = Edited { text: text.to_owned(), marks, is_cut: false };
    // What becomes short may bring together what was too far apart to be a link.
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

#[cfg(test)]
mod tests;
