//! What is known of the pieces of one text, whatever else is said around it. It is found out once for each text.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
};

use super::{
    extract::share,
    pieces::pieces,
    words::{leaning, opens, requests, stemmer, times, topic, words},
};

/// The pieces of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSentences(Box<[Piece]>);

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it stands in the text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) chars: usize,
    /// How many words it has.
    pub(super) words: usize,
    /// What it speaks of, each once, as numbers.
    pub(super) topics: Box<[u64]>,
    /// How much it needs what stands around it, in thousandths.
    pub(super) leans: i64,
    /// How much it names, in thousandths: people and things, times, requests.
    pub(super) names: i64,
}

impl TextSentences {
    /// Takes a text apart; with `trims` without the words that only open a sentence.
    pub fn of(text: &str, trims: bool) -> Self {
        let stemmer = stemmer();
        let begin = text.as_ptr() as usize;
        let piece = |piece: &str| {
            let words = words(piece);
            let topics: BTreeSet<String> = words.iter().filter_map(|word| topic(word, &stemmer)).collect();
            let start = piece.as_ptr() as usize - begin;
            Piece {
                range: start..start + piece.len(),
                chars: piece.chars().count(),
                leans: leans(&words, topics.len()),
                names: names(piece, &words),
                words: words.len(),
                topics: topics.iter().map(|topic| number(topic)).collect(),
            }
        };
        Self(pieces(text, trims).into_iter().map(piece).collect())
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let topics: usize = self.0.iter().map(|piece| piece.topics.len()).sum();
        size_of::<Piece>() * self.0.len() + size_of::<u64>() * topics
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter()
    }
}

/// A topic as a number; two of them share one by chance once in very many talks, and then count as one.
fn number(topic: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    topic.hash(&mut hasher);
    hasher.finish()
}

fn leans(words: &[String], topics: usize) -> i64 {
    let opens = if opens(words) { 45 } else { 0 };
    (160 * share(leaning(words).min(5), 5) + 70 * share(topics, words.len())) / 1_000 + opens
}

fn names(text: &str, words: &[String]) -> i64 {
    let is_name = |word: &str| {
        let mut signs = word.chars();
        signs.next().is_some_and(char::is_uppercase) && signs.next().is_some_and(char::is_alphanumeric)
    };
    let names = text.split_whitespace().skip(1).filter(|word| is_name(word)).count();
    let request = if requests(words) { 15 } else { 0 };
    let time = if times(words) { 20 } else { 0 };
    50 * share(names.min(2), 2) / 1_000 + request + time
}
