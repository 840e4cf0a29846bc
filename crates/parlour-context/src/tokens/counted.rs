//! Counts of one text, each made when it is first asked for.

use std::sync::OnceLock;

use super::{Encoding, Part, Tokenizer, bound::Family, model::Way};

/// Ways of counting.
const WAYS: usize = 6;

/// What one text costs, by every way of counting. It follows from the text, so that all of them are equal.
#[derive(Clone, Debug, Default)]
pub struct Counted([OnceLock<Part>; WAYS]);

impl Counted {
    /// What the text costs; it is always the same text.
    pub(crate) fn part(&self, tokenizer: &Tokenizer, text: impl FnOnce() -> String) -> Part {
        let way = match tokenizer.way {
            Way::Exact(Encoding::O200k) => 0,
            Way::Exact(Encoding::Cl100k) => 1,
            Way::Bound(Family::Claude) => 2,
            Way::Bound(Family::Gemini) => 3,
            Way::Bound(Family::Large) => 4,
            Way::Bound(Family::Unknown) => 5,
        };
        *self.0[way].get_or_init(|| tokenizer.part(&text()))
    }
}

impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counted {}
