//! What is asked, taken apart: which words count how much, whom it names, whether it asks for a time or for a talk.

use std::sync::LazyLock;

use parlour_core::context::Weights;

use super::{Query, constants::Constants, senders::Senders, share};
use crate::{candidate::Candidate, terms::Terms};

static TALKING: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "summarise summarize summary discuss discussion mention think thought say said talk opinion describe explain tell \
         told give given suggest suggestion meeting group team member participant point view agree disagree reason main \
         according regarding happen mean feel",
    )
});

/// Who asks with these wants to know how a talk went, and not one fact of it.
static BROAD: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "summarise summarize summary overview outline discuss discussion debate argue argument opinion view perspective \
         attitude presentation present introduce decide decision conclude conclusion agree agreement disagree think \
         thought propose proposal suggest suggestion recommend recommendation describe explain elaborate respond reason \
         group team meeting mainly",
    )
});

/// What is asked, ready to be looked for.
pub(super) struct Asked<'a> {
    /// The words in ascending order, each with what it counts.
    pub(super) terms: Vec<(u32, f32)>,
    /// Whether it asks how a talk went.
    pub(super) is_broad: bool,
    senders: Senders,
    named: f32,
    asks_for_time: bool,
    constants: &'a Constants,
}

impl<'a> Asked<'a> {
    /// Takes a query apart. Names are those of the senders of the candidates.
    pub(super) fn of(query: &Query, candidates: &[Candidate], weights: &Weights, constants: &'a Constants) -> Self {
        let senders = Senders::of(candidates, &query.terms);
        let is_broad = query.terms.counts.iter().any(|(term, _)| BROAD.has(*term));
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
        let named = share(weights.sender) * if is_broad { constants.named_broad } else { constants.named };
        Self { terms, is_broad, senders, named, asks_for_time: asks_for_time(&query.text), constants }
    }

    /// Multiplies what the words say of each candidate with what its sender and its form say.
    pub(super) fn multiply(&self, scores: &mut [f32], candidates: &[Candidate]) {
        for (place, (score, candidate)) in scores.iter_mut().zip(candidates).enumerate() {
            let terms = &candidate.prepared.terms;
            let question = if terms.is_question { self.constants.question } else { 1.0 };
            let time = if self.asks_for_time && terms.says_when { 1.0 + self.constants.timed } else { 1.0 };
            let sender = 1.0 + self.named * self.senders.named(place);
            *score *= sender * question * time * brevity(candidate.prepared.tokens);
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
