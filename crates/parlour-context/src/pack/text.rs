//! A text as it is quoted, counted once.

use std::cell::OnceCell;

use crate::{
    frame::{Quoted, quote_body},
    tokens::{Counted, Part, Tokenizer},
};

/// A text at one length.
pub(super) struct Text {
    pub(super) quoted: Quoted,
    body: OnceCell<Part>,
}

impl Text {
    pub(super) fn of(quoted: Quoted) -> Self {
        Self { quoted, body: OnceCell::new() }
    }

    /// The whole of a text. What it costs is known when it stood in a pack before.
    pub(super) fn whole(quoted: Quoted, known: &Counted, tokenizer: &Tokenizer) -> Self {
        let body = if is_apart(&quoted) {
            OnceCell::from(known.part(tokenizer, || quote_body(quoted.as_str())))
        } else {
            OnceCell::new()
        };
        Self { quoted, body }
    }

    pub(super) fn as_str(&self) -> &str {
        self.quoted.as_str()
    }

    /// What stands behind the colon of a quote costs by itself; nothing where it cannot be counted without what stands
    /// before it.
    pub(super) fn body(&self, tokenizer: &Tokenizer) -> Option<Part> {
        is_apart(&self.quoted).then(|| *self.body.get_or_init(|| tokenizer.part(&quote_body(self.as_str()))))
    }
}

/// Whether it begins in the line of its head.
fn is_apart(quoted: &Quoted) -> bool {
    quoted.as_str().starts_with(|sign| sign != '\n')
}
