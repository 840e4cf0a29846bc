//! What of a stored text may be looked at: a view, never the text itself.
//!
//! It is made in two steps, because half a secret has no shape: [`Plain`] brings a text into normal form without leaving
//! out anything that is seen, then secrets are taken out ([`crate::redact`]), and [`shorten`] makes it short last. It never
//! cuts a mark.

mod blobs;
mod edit;
mod lines;
mod links;
mod plain;
mod repeats;
mod signs;

use parlour_core::limits;

use self::edit::Edited;
use crate::redact::Mark;

pub use self::plain::Plain;

/// How often a text is made shorter, as long as there is something to do.
const ROUNDS_MAX: usize = 8;

/// A view of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// In normal form (NFC), lines ended by `\n` only and bounded, blobs as short marks, few links, no images.
    pub text: String,
    /// Invisible and direction-changing signs that were taken out.
    pub invisible: u64,
}

impl View {
    /// The view of a text. It looks at no more than `CONTEXT_ITEM_CHARS_MAX` characters, and its cost grows with what it
    /// looks at and nothing else. The view of a view is the view itself.
    pub fn of(text: &str) -> Self {
        let plain = Plain::of(text);
        let (text, _) = shorten(&plain.text, Vec::new(), plain.left_out_bytes);
        Self { text, invisible: plain.invisible }
    }
}

/// Makes a plain text short: rows of one sign lose what is too much, images and links beyond the first few go, blobs become marks, lines are cut. The marks of
/// secrets move with the text, and those in what is left out are gone. At its end it says how much was not looked at.
pub fn shorten(text: &str, marks: Vec<Mark>, left_out_bytes: usize) -> (String, Vec<Mark>) {
    let mut edited = Edited { text: text.to_owned(), marks };
    // What becomes short may bring together what was too far apart to be a link.
    for _ in 0..ROUNDS_MAX {
        let before = edited.text.clone();
        for find in
            [repeats::repeats, links::images, links::links, blobs::blobs, lines::walls, lines::long, lines::blank]
        {
            let edits = find(&edited);
            edited.apply(edits);
        }
        if edited.text == before {
            break;
        }
    }
    lines::end(&mut edited, left_out_bytes, limits::CONTEXT_ITEM_CHARS_MAX);
    (edited.text, edited.marks)
}

#[cfg(test)]
mod tests;
