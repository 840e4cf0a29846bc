//! What is asked, taken apart: which words count how much, whom it names, and whether it asks for a time.

use std::collections::HashMap;
use std::sync::LazyLock;

use parlour_core::context::Weights;

use super::{Query, share};
use crate::{candidate::Candidate, terms::Terms};

/// Words beyond these, the rarest first, change nothing that can be seen, and cost time.
pub(super) const TERMS_MAX: usize = 32;
/// What a word of the task counts beside one of the question.
const TASK: f32 = 0.25;
/// What a word counts that is the name of a sender: whose words they are says more.
const NAME: f32 = 0.2;
/// What a word counts that speaks of speaking, as in "summarise what they said".
const TALK: f32 = 0.5;
/// How much more a message counts whose sender is named.
const NAMED: f32 = 0.5;
/// How much more a message counts that holds a time, when one is asked for.
const TIMED: f32 = 0.5;
/// What a question counts beside its answer.
const QUESTION: f32 = 0.9;

static TALKING: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "summarise summarize summary discuss discussion mention think thought say said talk opinion describe explain tell \
         told give given suggest suggestion meeting group team member participant point view agree disagree reason main \
         according regarding happen mean feel",
    )
});
static TIMES: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "yesterday today tomorrow tonight week weekend month year day morning evening night ago last next recently \
         january february march april june july august september october november december monday tuesday wednesday \
         thursday friday saturday sunday summer winter spring autumn fall hour minute soon",
    )
});

/// What is asked, ready to be looked for.
pub(super) struct Asked<'a> {
    /// The words in ascending order, each with what it counts.
    pub(super) terms: Vec<(u32, f32)>,
    named: HashMap<&'a str, bool>,
    named_factor: f32,
    asks_for_time: bool,
}

impl<'a> Asked<'a> {
    /// Takes a query apart. Names are those of the senders of the candidates.
    pub(super) fn of(query: &Query, candidates: &'a [Candidate], weights: &Weights) -> Self {
        let mut names = Vec::new();
        let mut named = HashMap::new();
        for from in candidates.iter().filter_map(|candidate| candidate.from.as_ref()) {
            named.entry(from.name.as_str()).or_insert_with(|| {
                let name = Terms::of(&from.name);
                let is_named = name.len > 0 && name.counts.iter().all(|(term, _)| query.terms.has(*term));
                if is_named {
                    names.extend(name.counts.iter().map(|(term, _)| *term));
                }
                is_named
            });
        }
        names.sort_unstable();
        let weight = |term: u32| {
            if names.binary_search(&term).is_ok() {
                NAME
            } else if TALKING.has(term) {
                TALK
            } else {
                1.0
            }
        };
        let mut terms: Vec<(u32, f32)> = query.terms.counts.iter().map(|(term, _)| (*term, weight(*term))).collect();
        let task = TASK * share(weights.task);
        terms.extend(
            query.task.counts.iter().filter(|(term, _)| !query.terms.has(*term)).map(|(term, _)| (*term, task)),
        );
        terms.sort_unstable_by_key(|(term, _)| *term);
        let named_factor = 1.0 + NAMED * share(weights.sender);
        Self { terms, named, named_factor, asks_for_time: asks_for_time(&query.text) }
    }

    /// What the score of a candidate by its words is multiplied with.
    pub(super) fn factor(&self, candidate: &Candidate) -> f32 {
        let is_named = candidate.from.as_ref().is_some_and(|from| self.named.get(from.name.as_str()) == Some(&true));
        let sender = if is_named { self.named_factor } else { 1.0 };
        let question = if candidate.prepared.text.trim_end().ends_with(['?', '？']) { QUESTION } else { 1.0 };
        let is_timed = self.asks_for_time && candidate.prepared.terms.counts.iter().any(|(term, _)| TIMES.has(*term));
        let time = if is_timed { 1.0 + TIMED } else { 1.0 };
        sender * question * time * brevity(candidate.prepared.tokens)
    }
}

/// Short ones leave room for others: the eighth root of what one costs.
#[allow(clippy::cast_precision_loss, reason = "a text has few tokens")]
fn brevity(tokens: u64) -> f32 {
    1.0 / (tokens as f32 + 10.0).sqrt().sqrt().sqrt()
}

fn asks_for_time(text: &str) -> bool {
    let text = text.get(..text.floor_char_boundary(1_000)).unwrap_or(text).to_lowercase();
    text.starts_with("when ")
        || [" when did", " when was", " when is", "how long", "what date", "which month", "which year"]
            .iter()
            .any(|asks| text.contains(asks))
}
