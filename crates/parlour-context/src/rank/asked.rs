//! What is asked, taken apart: which words count how much, whom it names, whether it asks for a time.

use std::sync::LazyLock;

use parlour_core::context::Weights;

use super::{RankQuery, constants::Constants, lines::Lines, look::Looked, senders::Senders, share};
use crate::{authors::Authors, terms::Terms};

static TALKING: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "summarise summarize summary discuss discussion mention think thought say said talk opinion describe explain tell \
         told give given suggest suggestion meeting group team member participant point view agree disagree reason main \
         according regarding happen mean feel",
    )
});

/// What is asked, ready to be looked for.
pub(super) struct Asked<'a> {
    /// The words in ascending order, each with what it counts.
    pub(super) terms: Vec<(u32, f32)>,
    senders: Senders<'a>,
    sender: f32,
    asks_for_time: bool,
    constants: &'a Constants,
}

impl<'a> Asked<'a> {
    /// Takes a query apart. Names are those of the authors of the candidates.
    pub(super) fn of(query: &RankQuery, authors: &'a Authors<'_>, weights: &Weights, constants: &'a Constants) -> Self {
        let senders = Senders::of(authors, &query.terms);
        let weight = |term: u32| {
            if senders.names.binary_search(&term).is_ok() {
                constants.name
            } else if TALKING.has(term) {
                constants.talk
            } else {
                1.0
            }
        };
        let mut terms: Vec<(u32, f32)> = query.terms.counts.iter().map(|(term, _)| (*term, weight(*term))).collect();
        let task = constants.task * share(weights.task);
        terms.extend(
            query.task.counts.iter().filter(|(term, _)| !query.terms.has(*term)).map(|(term, _)| (*term, task)),
        );
        terms.sort_unstable_by_key(|(term, _)| *term);
        let sender = share(weights.sender);
        Self { terms, senders, sender, asks_for_time: asks_for_time(&query.text), constants }
    }

    /// Multiplies what the words say of each candidate with what its sender and its form say, in the order of the lines.
    pub(super) fn multiply(&self, along: &mut [f32], looked: &Looked<'_>, lines: &Lines) {
        let named = self.sender * looked.pace.between(self.constants.named, self.constants.named_uneven);
        for ((score, text), place) in along.iter_mut().zip(&looked.texts).zip(&lines.order) {
            let question = if text.is_question { self.constants.question } else { 1.0 };
            let time = if self.asks_for_time && text.says_when { 1.0 + self.constants.timed } else { 1.0 };
            let sender = 1.0 + named * self.senders.named(*place);
            *score *= sender * question * time * brevity(text.tokens);
        }
    }
}

/// Short ones leave room for others: the eighth root of what one costs.
#[allow(clippy::cast_precision_loss, reason = "a text has few tokens")]
fn brevity(tokens: u64) -> f32 {
    1.0 / (tokens as f32 + 16.0).sqrt().sqrt().sqrt()
}

fn asks_for_time(text: &str) -> bool {
    let text = text.get(..text.floor_char_boundary(1_000)).unwrap_or(text).to_lowercase();
    text.starts_with("when ")
        || [" when did", " when was", " when is", "how long", "what date", "which month", "which year"]
            .iter()
            .any(|asks| text.contains(asks))
}
