//! Verbatim lines that say most of what was said.
//!
//! Each message is cut into pieces, each piece gets a score from signs that can be seen without understanding it, and
//! the best are taken one after the other: what repeats a taken one counts less, what another person said counts more.
//! All figures are whole numbers, so the same messages give the same lines everywhere.

use std::collections::{BTreeSet, HashMap};

use super::{ExtractedLine, SourceText, TextSentences, known::Piece, pieces::cut};

/// TextSentences from which lines are chosen: the best by their own score.
const POOL_MAX: usize = 400;
/// Lines of one summary, whatever is wished for.
const LINES_MAX: usize = 100;
/// Once so many percent of the room are filled, no more lines are looked for.
const FULL_PERCENT: usize = 90;

/// How much each sort of sign counts, in percent of its usual weight; 0 switches it off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractWeights {
    /// It was said at the beginning or at the end.
    pub place: u16,
    /// It is neither a short nor an endless sentence.
    pub length: u16,
    /// It speaks of what others speak of too.
    pub shared: u16,
    /// It leans on what was said before: this counts against it.
    pub leaning: u16,
    /// It names somebody, a time, or what is wanted.
    pub names: u16,
    /// Nobody is quoted yet who said it.
    pub speakers: u16,
    /// It repeats what is quoted already: this counts against it.
    pub repeats: u16,
    /// Whether words that only open a sentence are left out of its quote.
    pub trims: bool,
}

impl Default for ExtractWeights {
    fn default() -> Self {
        let (place, length, shared, leaning, names, speakers, repeats) = (100, 100, 100, 100, 100, 100, 100);
        Self { place, length, shared, leaning, names, speakers, repeats, trims: true }
    }
}

/// The lines that say most of what was said, oldest first: at most `lines_max`, at most `chars_max` characters together.
///
/// Every line is a piece of one message, word by word. The cost grows with the length of what was said and no faster.
pub fn extract(said: &[SourceText<'_>], lines_max: usize, chars_max: usize) -> Vec<ExtractedLine> {
    extract_by(said, lines_max, chars_max, &ExtractWeights::default())
}

/// The same with other weights, for measuring what each sort of sign is good for.
pub fn extract_by(
    said: &[SourceText<'_>],
    lines_max: usize,
    chars_max: usize,
    signs: &ExtractWeights,
) -> Vec<ExtractedLine> {
    let pieces: Vec<TextSentences> = said.iter().map(|one| TextSentences::of(one.text, signs.trims)).collect();
    extract_known(said, &pieces.iter().collect::<Vec<_>>(), (lines_max, chars_max), signs)
}

/// The same where the pieces of each message are known: taking texts apart costs most of it.
pub fn extract_known(
    said: &[SourceText<'_>],
    pieces: &[&TextSentences],
    (lines_max, chars_max): (usize, usize),
    signs: &ExtractWeights,
) -> Vec<ExtractedLine> {
    let talk = Talk::of(said, pieces);
    let mut pool: Vec<(i64, usize)> = (0..talk.parts.len()).map(|place| (-talk.score(place, signs), place)).collect();
    pool.sort_unstable();
    pool.truncate(POOL_MAX);
    let mut taken = choose(&talk, &pool, lines_max.min(LINES_MAX), chars_max, signs);
    taken.sort_unstable();
    let line =
        |&place: &usize| ExtractedLine { index: talk.parts[place].index, text: talk.parts[place].text.to_owned() };
    if let (true, Some((_, best))) = (taken.is_empty() && lines_max > 0, pool.first()) {
        let text = cut(talk.parts[*best].text, chars_max).to_owned();
        let says_something = text.chars().any(char::is_alphanumeric);
        return says_something.then(|| ExtractedLine { index: talk.parts[*best].index, text }).into_iter().collect();
    }
    taken.iter().map(line).collect()
}

/// Takes the best that fits, again and again.
fn choose(
    talk: &Talk<'_>,
    pool: &[(i64, usize)],
    lines_max: usize,
    chars_max: usize,
    signs: &ExtractWeights,
) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let (mut chars, mut told, mut names) = (0, vec![false; talk.topics.len()], BTreeSet::new());
    while taken.len() < lines_max && chars * 100 < chars_max * FULL_PERCENT {
        let fits = |place: usize| chars + talk.parts[place].piece.chars <= chars_max && !taken.contains(&place);
        let worth = |&(score, place): &(i64, usize)| {
            let part = &talk.parts[place];
            let repeats = share(part.topics.iter().filter(|topic| told[**topic]).count(), part.topics.len());
            let is_new = i64::from(!names.contains(part.name));
            let moved = -repeats * 100 / 1_000 * i64::from(signs.repeats) + is_new * 150 * i64::from(signs.speakers);
            (-score * 100 + moved, usize::MAX - place)
        };
        let best = pool.iter().filter(|(_, place)| fits(*place)).max_by_key(|row| worth(row));
        let Some(&(_, place)) = best else { break };
        let part = &talk.parts[place];
        taken.push(place);
        chars += part.piece.chars;
        part.topics.iter().for_each(|topic| told[*topic] = true);
        names.insert(part.name);
    }
    taken
}

/// All pieces of what was said, and what is known of their words.
struct Talk<'a> {
    parts: Vec<Part<'a>>,
    /// How many pieces each topic occurs in, and whether several people speak of it.
    topics: Vec<Topic<'a>>,
    messages: usize,
    longest: usize,
}

struct Part<'a> {
    index: usize,
    name: &'a str,
    text: &'a str,
    piece: &'a Piece,
    /// Numbers of topics, each once.
    topics: Vec<usize>,
}

struct Topic<'a> {
    parts: usize,
    first: &'a str,
    is_shared: bool,
}

impl<'a> Talk<'a> {
    fn of(said: &[SourceText<'a>], pieces: &[&'a TextSentences]) -> Self {
        let mut talk = Self { parts: Vec::new(), topics: Vec::new(), messages: said.len(), longest: 0 };
        let mut numbers = HashMap::new();
        for (index, (one, pieces)) in said.iter().zip(pieces).enumerate() {
            for piece in pieces.iter() {
                // TextSentences of another text say nothing of this one.
                let Some(text) = one.text.get(piece.range.clone()) else { continue };
                let topics = piece.topics.iter().map(|topic| talk.count(&mut numbers, *topic, one.name)).collect();
                talk.longest = talk.longest.max(piece.words);
                talk.parts.push(Part { index, name: one.name, text, piece, topics });
            }
        }
        talk
    }

    /// The number of a topic that somebody speaks of once more.
    fn count(&mut self, numbers: &mut HashMap<u64, usize>, topic: u64, name: &'a str) -> usize {
        let number = *numbers.entry(topic).or_insert(self.topics.len());
        match self.topics.get_mut(number) {
            Some(topic) => {
                topic.parts += 1;
                topic.is_shared |= topic.first != name;
            }
            None => self.topics.push(Topic { parts: 1, first: name, is_shared: false }),
        }
        number
    }

    /// What a piece is worth by itself, in thousandths. The weights were fitted to summaries that people wrote.
    fn score(&self, place: usize, signs: &ExtractWeights) -> i64 {
        let part = &self.parts[place];
        let rows = [
            (signs.place, self.place(part)),
            (signs.length, self.length(part)),
            (signs.shared, self.shared(part)),
            (signs.leaning, -part.piece.leans),
            (signs.names, part.piece.names),
        ];
        rows.into_iter().map(|(percent, value)| i64::from(percent) * value / 100).sum()
    }

    fn place(&self, part: &Part<'_>) -> i64 {
        let from_start = [120, 45, 40].get(part.index).copied().unwrap_or(0);
        let from_end = [20, 25].get(self.messages - 1 - part.index).copied().unwrap_or(0);
        from_start + from_end
    }

    fn length(&self, part: &Part<'_>) -> i64 {
        let words = part.piece.words;
        let between = |least: usize, most: usize| share(words.clamp(least, most) - least, most - least);
        let longest = if words == self.longest { 80 } else { 0 };
        (70 * between(0, 4) + 130 * between(4, 10) - 50 * between(20, 40)) / 1_000 + longest
    }

    fn shared(&self, part: &Part<'_>) -> i64 {
        let topics = || part.topics.iter().map(|&topic| &self.topics[topic]);
        let shared = topics().filter(|topic| topic.is_shared).count();
        let most = topics().map(|topic| topic.parts).max().unwrap_or(0);
        (150 * share(shared.min(6), 6) + 510 * share(most, self.parts.len())) / 1_000
    }
}

/// A share in thousandths; none of nothing.
pub(super) fn share(some: usize, all: usize) -> i64 {
    i64::try_from(some * 1_000 / all.max(1)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
