//! Recall at a budget: which share of what a question needs is in a pack of so many tokens.

use std::sync::Arc;

use parlour_context::{
    candidate::{Candidate, Place},
    prepared::Prepared,
    rank::Query,
    redact::Redactor,
    terms::Terms,
    tokens::{Encoding, Tokenizer},
};
use parlour_core::{
    author::{Author, AuthorType},
    context::{Reason, RedactionRules, Section, SubjectType},
    message::Importance,
};

/// Tokens that each turn costs beside its own.
const FRAME_TOKENS: u64 = 8;

/// A conversation, and what is asked about it.
pub(crate) struct Dialogue {
    /// Who said what, in order.
    pub(crate) turns: Vec<(String, String)>,
    /// What is asked, and the turns that are needed to answer it.
    pub(crate) questions: Vec<(String, Vec<usize>)>,
}

/// A conversation ready to be ranked.
pub(crate) struct Ready {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) costs: Vec<u64>,
    pub(crate) questions: Vec<(Query, Vec<usize>)>,
}

impl Ready {
    /// Prepares every turn as a message of one conversation, and every question as what is to be answered.
    pub(crate) fn of(dialogue: &Dialogue) -> Self {
        let redactor = Redactor::new(&RedactionRules::default()).expect("the usual rules");
        let place = Arc::new(Place {
            id: "dm_1".parse().expect("id"),
            name: "a dm".to_owned(),
            last_seq: dialogue.turns.len() as u64,
        });
        let candidates = dialogue.turns.iter().enumerate().map(|(index, (speaker, text))| {
            candidate(index, speaker, Prepared::of(text, &redactor), Arc::clone(&place))
        });
        let tokenizer = Tokenizer::by(Encoding::O200k);
        let cost = |(speaker, text): &(String, String)| tokenizer.count(&format!("{speaker}: {text}")) + FRAME_TOKENS;
        let question = |(text, needed): &(String, Vec<usize>)| {
            let query = Query { text: text.clone(), terms: Terms::of(text), task: Terms::default() };
            (query, needed.clone())
        };
        Self {
            candidates: candidates.collect(),
            costs: dialogue.turns.iter().map(cost).collect(),
            questions: dialogue.questions.iter().map(question).collect(),
        }
    }

    /// The mean over the questions, for each budget, of the share of what is needed that is in the pack.
    pub(crate) fn recall(&self, budgets: &[u64], score: impl Fn(&Self, &Query) -> Vec<f32>) -> Vec<f64> {
        let mut sums = vec![0.0; budgets.len()];
        for (query, needed) in &self.questions {
            let scores = score(self, query);
            let order = parlour_context::rank::shortlist(&scores, scores.len());
            for (sum, budget) in sums.iter_mut().zip(budgets) {
                let shown = self.fill(&order, *budget);
                let found = needed.iter().filter(|&&turn| shown[turn]).count();
                *sum += found as f64 / needed.len() as f64;
            }
        }
        sums.iter().map(|sum| sum / self.questions.len().max(1) as f64).collect()
    }

    /// Takes what still fits, the best first.
    fn fill(&self, order: &[usize], budget: u64) -> Vec<bool> {
        let (mut left, mut shown) = (budget, vec![false; order.len()]);
        for &turn in order {
            if self.costs[turn] <= left {
                left -= self.costs[turn];
                shown[turn] = true;
            }
        }
        shown
    }
}

fn candidate(index: usize, speaker: &str, prepared: Prepared, place: Arc<Place>) -> Candidate {
    Candidate {
        subject_type: SubjectType::Message,
        id: format!("msg_{index}"),
        section: Section::History,
        place: Some(place),
        seq: index as u64 + 1,
        from: Some(Author {
            author_type: AuthorType::Person,
            id: Some(format!("usr_{}", speaker.len())),
            name: speaker.to_owned(),
        }),
        prepared: Arc::new(prepared),
        importance: Importance::Normal,
        reasons: vec![Reason::Found],
        distance: 1,
        reply_to: None,
        note: None,
    }
}
