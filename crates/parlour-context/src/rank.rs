//! Ranking: scores candidates by words in common with the query, and by features such as importance and recency.

mod constants;
mod neighbours;
#[cfg(test)]
mod tests;
mod words;

use std::{collections::HashMap, sync::LazyLock};

use parlour_core::{
    context::{Reason, Section, SubjectType, Weights},
    id::ConversationId,
    message::Importance,
};

use self::{neighbours::ConversationLines, words::WordIndex};
use crate::{authors::Authors, candidate::Candidate, terms::Terms};

pub use self::constants::{CarryRange, RankConstants};

/// Which authors the query names in full.
pub(crate) fn named_authors(query: &RankQuery, authors: &Authors<'_>) -> Vec<bool> {
    NamedSenders::of(authors, &query.terms).shares.iter().map(|share| *share >= 1.0).collect()
}

/// The query that candidates are ranked against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankQuery {
    /// The prepared query text.
    pub text: String,
    /// Its words.
    pub terms: Terms,
    /// The words of the task, with lower weight.
    pub task: Terms,
}

/// Words of a question that asks for something that was said: with fewer it depends on the messages before it, and with
/// more it tells something itself.
const QUESTION_WORDS: std::ops::RangeInclusive<usize> = 3..=10;

impl RankQuery {
    /// Whether it is a question that can be understood by itself.
    pub(crate) fn is_short_question(&self) -> bool {
        self.terms.is_question && QUESTION_WORDS.contains(&self.terms.counts.len())
    }
}

/// The weight of a reranker in the final score.
const RERANKED: f32 = 0.7;

/// Scores of all candidates, not negative and comparable only with each other.
///
/// `reranked` holds scores of a reranker from 0 to 1, by candidate index. The run time is linear in the words of the
/// candidates.
pub fn rank(query: &RankQuery, candidates: &[Candidate], weights: &Weights, reranked: &[(usize, f32)]) -> Vec<f32> {
    rank_by(query, candidates, weights, reranked, &RankConstants::default())
}

/// The same with other constants, for evaluation.
pub fn rank_by(
    query: &RankQuery,
    candidates: &[Candidate],
    weights: &Weights,
    reranked: &[(usize, f32)],
    constants: &RankConstants,
) -> Vec<f32> {
    let candidates: Vec<&Candidate> = candidates.iter().collect();
    scores(query, (&candidates, &Authors::of(&candidates)), weights, reranked, constants)
}

/// The same for borrowed candidates, without a reranker.
pub fn rank_all(query: &RankQuery, candidates: &[&Candidate], weights: &Weights) -> Vec<f32> {
    rank_of(query, (candidates, &Authors::of(candidates)), weights, &[])
}

/// The same with known authors.
pub(crate) fn rank_of(
    query: &RankQuery,
    candidates: (&[&Candidate], &Authors<'_>),
    weights: &Weights,
    reranked: &[(usize, f32)],
) -> Vec<f32> {
    scores(query, candidates, weights, reranked, &RankConstants::default())
}

fn scores(
    query: &RankQuery,
    (candidates, authors): (&[&Candidate], &Authors<'_>),
    weights: &Weights,
    reranked: &[(usize, f32)],
    constants: &RankConstants,
) -> Vec<f32> {
    let lines = ConversationLines::of(candidates);
    let looked = WordIndex::of(candidates, &lines, constants);
    let asked = QueryWeights::of(query, authors, weights, constants);
    let mut along = words::scores(&asked, &lines, &looked, share(weights.neighbours), constants);
    asked.multiply(&mut along, &looked, &lines);
    // Normalised to 1, so that the other features weigh the same for every query.
    let best = along.iter().copied().fold(0.0, f32::max);
    let scale = if best > 0.0 { share(weights.words) / best } else { 0.0 };
    let signs = RankFeatures::of(query, weights, candidates);
    let mut scores = vec![0.0; candidates.len()];
    for (score, place) in along.iter().zip(&lines.order) {
        scores[*place] = score * scale + signs.sum(candidates[*place]);
    }
    blend(&mut scores, reranked);
    scores
}

/// The best `count` candidates, for a reranker.
pub fn shortlist(scores: &[f32], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    places.truncate(count);
    places
}

#[allow(clippy::cast_precision_loss, reason = "weights are small")]
fn share(percent: u64) -> f32 {
    percent as f32 / 100.0
}

/// Candidates that the reranker has not scored fall behind, in the same order.
fn blend(scores: &mut [f32], reranked: &[(usize, f32)]) {
    if reranked.is_empty() {
        return;
    }
    scores.iter_mut().for_each(|score| *score *= 1.0 - RERANKED);
    let mut has_vote = vec![false; scores.len()];
    for &(place, said) in reranked {
        // The first score of a candidate counts; not a number counts as 0.
        if has_vote.get(place) == Some(&false) {
            has_vote[place] = true;
            scores[place] += RERANKED * if said.is_nan() { 0.0 } else { said.clamp(0.0, 1.0) };
        }
    }
}

static TALKING: LazyLock<Terms> = LazyLock::new(|| {
    Terms::of(
        "summarise summarize summary discuss discussion mention think thought say said talk opinion describe explain tell \
         told give given suggest suggestion meeting group team member participant point view agree disagree reason main \
         according regarding happen mean feel",
    )
});

/// The weighted words of the query.
struct QueryWeights<'a> {
    /// In ascending order, with weights.
    terms: Vec<(u32, f32)>,
    senders: NamedSenders<'a>,
    sender: f32,
    asks_for_time: bool,
    constants: &'a RankConstants,
}

impl<'a> QueryWeights<'a> {
    /// Names are those of the authors of the candidates.
    fn of(query: &RankQuery, authors: &'a Authors<'_>, weights: &Weights, constants: &'a RankConstants) -> Self {
        let senders = NamedSenders::of(authors, &query.terms);
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

    /// Multiplies word scores by factors for sender, question, time and length.
    fn multiply(&self, along: &mut [f32], looked: &WordIndex<'_>, lines: &ConversationLines) {
        let named = self.sender * looked.pace.between(self.constants.named, self.constants.named_uneven);
        for ((score, text), place) in along.iter_mut().zip(&looked.texts).zip(&lines.order) {
            let question = if text.is_question { self.constants.question } else { 1.0 };
            let time = if self.asks_for_time && text.says_when { 1.0 + self.constants.timed } else { 1.0 };
            let sender = 1.0 + named * self.senders.named(*place);
            *score *= sender * question * time * brevity(text.tokens);
        }
    }
}

/// Prefers short texts, by the eighth root of their tokens.
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

/// Sender names that are matched.
const NAMES_MAX: usize = 1_000;
/// Two words of a longer name are enough: `Mara Lind` for `Mara Lind Ek`.
const WORDS_ENOUGH: usize = 2;
const NOBODY: u32 = u32::MAX;

/// How far the query names the sender of each candidate.
struct NamedSenders<'a> {
    /// Name words in the query, in ascending order.
    names: Vec<u32>,
    authors: &'a Authors<'a>,
    /// The named share of each author, 0 to 1.
    shares: Vec<f32>,
}

impl<'a> NamedSenders<'a> {
    fn of(authors: &'a Authors<'_>, asked: &Terms) -> Self {
        let mut names = Vec::new();
        let numbers = number(authors, &mut names);
        let names: Vec<Terms> = names.into_iter().map(Terms::of).collect();
        let mut holders: HashMap<u32, usize> = HashMap::new();
        for (term, _) in names.iter().flat_map(|name| &name.counts).filter(|(term, _)| asked.has(*term)) {
            *holders.entry(*term).or_default() += 1;
        }
        let mut told = Vec::new();
        // A word in most names ("Member …") identifies nobody.
        let is_own = |term: u32| holders.get(&term).is_some_and(|count| count * 2 <= names.len().max(2));
        let mut share = |name: &Terms| {
            let words: Vec<u32> = name.counts.iter().map(|(term, _)| *term).collect();
            let found = words.iter().filter(|term| asked.has(**term));
            let own = found.clone().filter(|term| is_own(**term)).count();
            let is_whole = !words.is_empty() && found.clone().count() == words.len();
            if is_whole || own > 0 {
                told.extend(found);
            }
            if is_whole { 1.0 } else { part(own, words.len()) }
        };
        let by_name: Vec<f32> = names.iter().map(&mut share).collect();
        let shares = numbers.into_iter().map(|number| by_name.get(number as usize).copied().unwrap_or(0.0)).collect();
        told.sort_unstable();
        told.dedup();
        Self { names: told, authors, shares }
    }

    fn named(&self, place: usize) -> f32 {
        self.authors.of[place].map_or(0.0, |author| self.shares[author as usize])
    }
}

#[allow(clippy::cast_precision_loss, reason = "a name has few words")]
fn part(own: usize, words: usize) -> f32 {
    (own as f32 / words.clamp(1, WORDS_ENOUGH) as f32).min(1.0)
}

/// The name number of each author.
fn number<'a>(authors: &Authors<'a>, names: &mut Vec<&'a str>) -> Vec<u32> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut one = |name: &'a str| {
        let count = names.len();
        *known.entry(name).or_insert_with(|| {
            if count == NAMES_MAX {
                return NOBODY;
            }
            names.push(name);
            u32::try_from(count).unwrap_or(NOBODY)
        })
    };
    authors.list.iter().map(|author| one(&author.name)).collect()
}

/// Messages after which recency has half its weight.
const RECENT_SEQS: f32 = 10.0;

/// Messages this close to the message to answer belong to it, whatever their words are.
const BESIDE: u64 = 6;
/// What remains of that for a short question, which needs what it asks for more than the messages around it.
const QUESTION_CLOSENESS: f32 = 0.5;

/// The weights of features other than words.
struct RankFeatures<'a> {
    importance: f32,
    task: f32,
    graph: f32,
    recency: f32,
    /// Factor of the closeness to the message to answer.
    closeness: f32,
    /// Conversation and sequence number of the messages to answer.
    currents: Vec<(&'a ConversationId, u64)>,
}

impl<'a> RankFeatures<'a> {
    fn of(query: &RankQuery, weights: &Weights, candidates: &[&'a Candidate]) -> Self {
        let current = |candidate: &&&Candidate| candidate.reasons.contains(&Reason::Current);
        let place = |candidate: &&'a Candidate| Some((&candidate.conversation.as_ref()?.id, candidate.seq));
        Self {
            importance: share(weights.importance),
            task: share(weights.task),
            graph: share(weights.graph),
            recency: share(weights.recency),
            closeness: if query.is_short_question() { QUESTION_CLOSENESS } else { 1.0 },
            currents: candidates.iter().filter(current).filter_map(place).collect(),
        }
    }

    /// The sum of the features, where 1 is the best word score.
    #[inline]
    fn sum(&self, candidate: &Candidate) -> f32 {
        self.importance * importance(candidate)
            + self.task * if candidate.reasons.contains(&Reason::Task) { 0.1 } else { 0.0 }
            + self.graph * (standing(candidate) + 0.05 / (1.0 + f32::from(candidate.distance)))
            + self.recency * (recency(candidate) + self.beside(candidate))
    }

    /// Closeness to the message to answer. Later messages count more, because they may change the request.
    #[allow(clippy::cast_precision_loss, reason = "a few messages")]
    fn beside(&self, candidate: &Candidate) -> f32 {
        let Some(place) = &candidate.conversation else { return 0.0 };
        let here = self.currents.iter().filter(|(id, seq)| candidate.seq != *seq && **id == place.id);
        let nearest = here.min_by_key(|(_, seq)| seq.abs_diff(candidate.seq));
        let Some((_, seq)) = nearest.filter(|(_, seq)| seq.abs_diff(candidate.seq) <= BESIDE) else { return 0.0 };
        let most = if candidate.seq > *seq { 1.0 } else { 0.7 };
        (most - 0.1 * seq.abs_diff(candidate.seq) as f32) * self.closeness
    }
}

/// The base value of items that an agent needs for any query: project, task, its parents, its files, and summaries.
/// They share few words with a conversation, and a long one would displace them.
fn standing(candidate: &Candidate) -> f32 {
    if candidate.subject_type == SubjectType::Summary {
        return 0.8 / (1.0 + f32::from(candidate.distance));
    }
    match candidate.section {
        Section::Task => 1.5,
        Section::Project => 1.25,
        Section::Neighbours if candidate.reasons.contains(&Reason::Parent) => {
            1.2 / f32::from(candidate.distance.max(1))
        }
        Section::Artifacts if candidate.distance == 0 => 1.2,
        // The root message is the subject of a thread.
        Section::History if candidate.reasons.contains(&Reason::Thread) => 0.9,
        _ => 0.0,
    }
}

fn importance(candidate: &Candidate) -> f32 {
    let rank = match candidate.importance {
        Importance::Normal => 0.0,
        Importance::High => 0.2,
        Importance::Critical => 0.5,
    };
    let reason = |reason: &Reason| match reason {
        Reason::Current | Reason::Blocking => 1.0,
        Reason::Mention => 0.3,
        Reason::Reply => 0.2,
        Reason::Unread => 0.1,
        _ => 0.0,
    };
    // An unread call of the agent comes before messages that only share words with the query, whose score is at most 1
    // and a little for recency.
    let is_call = candidate.reasons.iter().any(|reason| matches!(reason, Reason::Mention | Reason::Reply));
    let unheard = if is_call && candidate.is_unread() { 0.9 } else { 0.0 };
    rank + unheard + candidate.reasons.iter().map(reason).fold(0.0, f32::max)
}

/// By sequence number, not by time.
#[allow(clippy::cast_precision_loss, reason = "only what is small counts")]
fn recency(candidate: &Candidate) -> f32 {
    let Some(place) = &candidate.conversation else { return 0.0 };
    0.1 * RECENT_SEQS / (RECENT_SEQS + place.last_seq.saturating_sub(candidate.seq) as f32)
}
