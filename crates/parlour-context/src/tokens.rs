//! How many tokens a text costs a model.
//!
//! For OpenAI's models the count is exact, by their own tables. For others it is a bound that the true count does not
//! exceed, and that reported usage tightens ([`Observed`]). A table is loaded when the first text is counted by it, and
//! not before.

mod bound;
mod counted;
mod learned;
mod model;
mod observed;
#[cfg(test)]
mod tests;

use parlour_core::context::TokenCounting;

use self::model::Way;
pub use self::{bound::Part, counted::Counted, learned::Learned, observed::Observed};

/// A way of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    way: Way,
    learned: Learned,
}

/// The table that is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Of OpenAI's models since GPT-4o.
    O200k,
    /// Of OpenAI's models before.
    Cl100k,
}

/// Bytes of the longest token in the tables: a text has at least one token for so many bytes.
const TOKEN_BYTES_MAX: usize = 128;

impl Tokenizer {
    /// The way of counting for a model by its name; an unknown one gets a bound that holds for all.
    pub fn for_model(model: &str) -> Self {
        Self { way: model::way(model), learned: Learned::default() }
    }

    /// The exact count by this table.
    pub fn by(encoding: Encoding) -> Self {
        Self { way: Way::Exact(encoding), learned: Learned::default() }
    }

    /// The same, with what was learned from usage before. An exact count has nothing to learn.
    #[must_use]
    pub fn with_learned(self, learned: Learned) -> Self {
        match self.way {
            Way::Exact(_) => self,
            Way::Bound(_) => Self { learned, ..self },
        }
    }

    /// Tokens that the text costs, or will not exceed. The work grows with the text and not faster.
    pub fn count(&self, text: &str) -> u64 {
        self.total(self.part(text))
    }

    /// What the text costs as a part of another one.
    pub fn part(&self, text: &str) -> Part {
        match self.way {
            Way::Exact(encoding) => Part::exact(encoding.table().count(text) as u64),
            Way::Bound(family) => bound::of(family, text),
        }
    }

    /// Tokens that a text of these parts costs, or will not exceed: the same as [`Tokenizer::count`] of all of it, where
    /// no table joins anything over the ends of its parts. So it is for the lines of a frame.
    pub fn total(&self, parts: Part) -> u64 {
        match self.way {
            Way::Exact(_) => parts.by_table,
            Way::Bound(_) => self.learned.applied_to(parts.bound()).max(parts.by_table),
        }
    }

    /// About what these parts add to a text; never less.
    pub fn added(&self, parts: Part) -> u64 {
        match self.way {
            Way::Exact(_) => parts.by_table,
            Way::Bound(_) => self.learned.applied_to(parts.raised()).max(parts.by_table),
        }
    }

    /// The count, if it is no more than `tokens_max`. A text that is far longer is not looked at.
    pub fn count_up_to(&self, text: &str, tokens_max: u64) -> Option<u64> {
        // Every way of counting gives at least one token for the bytes of the longest token.
        if (text.len() as u64).div_ceil(TOKEN_BYTES_MAX as u64) > tokens_max {
            return None;
        }
        Some(self.count(text)).filter(|tokens| *tokens <= tokens_max)
    }

    /// Whether the text costs no more than this.
    pub fn fits(&self, text: &str, tokens_max: u64) -> bool {
        self.count_up_to(text, tokens_max).is_some()
    }

    /// What is said of it in a receipt.
    pub fn counting(&self) -> TokenCounting {
        let encoding = match self.way {
            Way::Exact(Encoding::O200k) => "o200k",
            Way::Exact(Encoding::Cl100k) => "cl100k",
            Way::Bound(_) => "bound",
        };
        TokenCounting { encoding: encoding.to_owned(), is_exact: matches!(self.way, Way::Exact(_)) }
    }
}

impl Encoding {
    fn table(self) -> &'static bpe_openai::Tokenizer {
        match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        }
    }
}
