//! A text as it is quoted, counted once.

use std::cell::OnceCell;

use crate::{
    frame::{Quoted, quote_body},
    tokens::{Part, Tokenizer},
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

    pub(super) fn as_str(&self) -> &str {
        self.quoted.as_str()
    }

    /// What stands behind the colon of a quote costs by itself; nothing where it cannot be counted without what stands
    /// before it.
    pub(super) fn body(&self, tokenizer: &Tokenizer) -> Option<Part> {
        let is_apart = self.as_str().starts_with(|sign| sign != '\n');
        is_apart.then(|| *self.body.get_or_init(|| tokenizer.part(&quote_body(self.as_str()))))
    }
}
