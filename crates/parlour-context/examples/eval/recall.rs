//! Recall at a budget: which share of what a question needs is in a pack of so many tokens.

use std::sync::Arc;

use parlour_context::{
    candidate::{Candidate, ConversationRef},
    prepared::Prepared,
    rank::{RankConstants, RankQuery, rank_by, shortlist},
    terms::Terms,
    tokens::{Encoding, Tokenizer},
};
use parlour_core::{
    author::{Author, AuthorType},
    context::{Reason, Section, SubjectType, Weights},
    message::Importance,
};
use parlour_redact::Redactor;

use super::dialogue::Dialogue;

/// Tokens that each turn costs beside its own.
const FRAME_TOKENS: u64 = 8;

/// What is found of what is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// Of the turns that are needed.
    pub(crate) turns: f64,
    /// Of their tokens, as far as the budget has room for them.
    pub(crate) room: f64,
    /// Of their tokens, of the questions whose turns all fit into the budget; nothing for the others.
    pub(crate) fit: Option<f64>,
}

/// A way of choosing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ranking {
    /// The last 20, whatever is asked.
    Last20,
    /// Plain BM25, with its usual constants.
    Bm25,
    /// The engine without neighbours and senders.
    Words,
    /// The engine without senders.
    Neighbours,
    /// The engine as it is.
    All,
}

/// The ways, with their names in the tables.
pub(crate) const RANKINGS: [(&str, Ranking); 5] = [
    ("last 20", Ranking::Last20),
    ("BM25", Ranking::Bm25),
    ("words", Ranking::Words),
    ("+ neighbours", Ranking::Neighbours),
    ("+ sender named", Ranking::All),
];

/// The mean over all questions of all conversations, and the least mean share of turns of one conversation.
pub(crate) fn mean_and_least(all: &[PreparedDialogue], budgets: &[u64], way: Ranking) -> Vec<(Shares, f64)> {
    let asked: Vec<Vec<Vec<Shares>>> =
        all.iter().map(|ready| ready.recall(budgets, way, &RankConstants::default())).collect();
    let one = |budget: usize| {
        let of = |questions: &[Vec<Shares>]| mean(questions.iter().map(|shares| shares[budget]));
        let least = asked.iter().filter(|questions| !questions.is_empty()).map(|questions| of(questions).turns);
        (mean(asked.iter().flatten().map(|shares| shares[budget])), least.fold(1.0, f64::min))
    };
    (0..budgets.len()).map(one).collect()
}

/// The mean of each share.
pub(crate) fn mean(all: impl Iterator<Item = Shares> + Clone) -> Shares {
    let of = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.fold((0.0, 0.0_f64), |(sum, count), value| (sum + value, count + 1.0));
        sum / count.max(1.0)
    };
    Shares {
        turns: of(&mut all.clone().map(|shares| shares.turns)),
        room: of(&mut all.clone().map(|shares| shares.room)),
        fit: Some(of(&mut all.filter_map(|shares| shares.fit))),
    }
}

/// A conversation ready to be ranked.
pub(crate) struct PreparedDialogue {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) costs: Vec<u64>,
    pub(crate) questions: Vec<(RankQuery, Vec<usize>)>,
}

impl PreparedDialogue {
    /// Prepares every turn as a message of one conversation, and every question as what is to be answered.
    pub(crate) fn of(dialogue: &Dialogue) -> Self {
        let redactor = Redactor::default();
        let place = Arc::new(ConversationRef {
            id: "dm_1".parse().expect("id"),
            name: "a dm".to_owned(),
            last_seq: dialogue.turns.len() as u64,
        });
        let mut speakers: Vec<&str> = Vec::new();
        let candidates = dialogue.turns.iter().enumerate().map(|(index, (speaker, text))| {
            let from = author(&mut speakers, speaker);
            candidate(index, from, Prepared::of(text, &redactor), Arc::clone(&place))
        });
        let tokenizer = Tokenizer::by(Encoding::O200k);
        let cost = |(speaker, text): &(String, String)| tokenizer.count(&format!("{speaker}: {text}")) + FRAME_TOKENS;
        let question = |(text, needed): &(String, Vec<usize>)| {
            let query = RankQuery { text: text.clone(), terms: Terms::of(text), task: Terms::default() };
            (query, needed.clone())
        };
        Self {
            candidates: candidates.collect(),
            costs: dialogue.turns.iter().map(cost).collect(),
            questions: dialogue.questions.iter().map(question).collect(),
        }
    }

    /// For each question the shares at each budget.
    pub(crate) fn recall(&self, budgets: &[u64], way: Ranking, constants: &RankConstants) -> Vec<Vec<Shares>> {
        let one = |(query, needed): &(RankQuery, Vec<usize>)| {
            let order = self.order(query, way, constants);
            budgets.iter().map(|budget| self.shares(needed, &self.fill(&order, *budget), *budget)).collect()
        };
        self.questions.iter().map(one).collect()
    }

    /// All turns that come into question, the best first.
    fn order(&self, query: &RankQuery, way: Ranking, constants: &RankConstants) -> Vec<usize> {
        let weights = Weights::default();
        let ranked = |weights: &Weights| rank_by(query, &self.candidates, weights, &[], constants);
        let scores = match way {
            Ranking::Last20 => return (0..self.candidates.len()).rev().take(20).collect(),
            Ranking::Bm25 => bm25(query, &self.candidates),
            Ranking::Words => ranked(&Weights { neighbours: 0, sender: 0, ..weights }),
            Ranking::Neighbours => ranked(&Weights { sender: 0, ..weights }),
            Ranking::All => ranked(&weights),
        };
        shortlist(&scores, scores.len())
    }

    fn shares(&self, needed: &[usize], shown: &[bool], budget: u64) -> Shares {
        let tokens = |turns: &mut dyn Iterator<Item = &usize>| turns.map(|&turn| self.costs[turn]).sum::<u64>();
        let found = || needed.iter().filter(|&&turn| shown[turn]);
        let (taken, all) = (tokens(&mut found()), tokens(&mut needed.iter()));
        Shares {
            turns: found().count() as f64 / needed.len() as f64,
            room: taken as f64 / all.min(budget) as f64,
            fit: (all <= budget).then(|| taken as f64 / all as f64),
        }
    }

    /// Takes what still fits, the best first.
    fn fill(&self, order: &[usize], budget: u64) -> Vec<bool> {
        let (mut left, mut shown) = (budget, vec![false; self.candidates.len()]);
        for &turn in order {
            if self.costs[turn] <= left {
                left -= self.costs[turn];
                shown[turn] = true;
            }
        }
        shown
    }
}

/// The measure that everybody begins with.
fn bm25(query: &RankQuery, candidates: &[Candidate]) -> Vec<f32> {
    let (k1, b, all) = (1.2, 0.75, candidates.len() as f32);
    let usual = candidates.iter().map(|candidate| candidate.prepared.terms.len as f32).sum::<f32>() / all;
    let mut scores = vec![0.0; candidates.len()];
    for (term, _) in &query.terms.counts {
        let count = |candidate: &Candidate| {
            let counts = &candidate.prepared.terms.counts;
            counts.binary_search_by_key(term, |(term, _)| *term).map_or(0.0, |at| f32::from(counts[at].1))
        };
        let holding = candidates.iter().filter(|candidate| candidate.prepared.terms.has(*term)).count() as f32;
        let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
        for (score, candidate) in scores.iter_mut().zip(candidates) {
            let (count, len) = (count(candidate), candidate.prepared.terms.len as f32);
            *score += rarity * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * len / usual));
        }
    }
    scores
}

/// A speaker under an id of its own: quotas tell senders apart by their ids, not by their names.
fn author<'a>(speakers: &mut Vec<&'a str>, speaker: &'a str) -> Author {
    let number = speakers.iter().position(|known| *known == speaker).unwrap_or_else(|| {
        speakers.push(speaker);
        speakers.len() - 1
    });
    Author { author_type: AuthorType::Person, id: Some(format!("usr_{number}")), name: speaker.to_owned() }
}

fn candidate(index: usize, from: Author, prepared: Prepared, place: Arc<ConversationRef>) -> Candidate {
    Candidate {
        subject_type: SubjectType::Message,
        id: format!("msg_{index}"),
        section: Section::History,
        conversation: Some(place),
        seq: index as u64 + 1,
        from: Some(from),
        prepared: Arc::new(prepared),
        importance: Importance::Normal,
        reasons: vec![Reason::Found],
        distance: 1,
        reply_to: None,
        note: None,
        answer_format: None,
        summarizes: None,
    }
}
