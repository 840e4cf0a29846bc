//! Extractive summaries: selects the most informative verbatim lines of a conversation.

use std::collections::{BTreeSet, HashMap};

use crate::summary::{
    ExtractedLine, SourceText, TextSentences,
    sentences::{Sentence, cut},
};

/// Sentences from which lines are selected: those with the best score of their own.
const POOL_MAX: usize = 400;
/// The most lines of one summary.
const LINES_MAX: usize = 100;
/// The share of the room, in percent, at which the selection stops.
const FULL_PERCENT: usize = 90;

/// The weights of the signals, in percent of their default; 0 disables a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractWeights {
    /// Position: at the beginning or at the end.
    pub place: u16,
    /// It is neither a short nor an endless sentence.
    pub length: u16,
    /// Topics that other sentences share.
    pub shared: u16,
    /// Dependence on the text before; counts against it.
    pub leaning: u16,
    /// Names, times and requests.
    pub names: u16,
    /// Its author is not quoted yet.
    pub speakers: u16,
    /// Repetition of quoted sentences; counts against it.
    pub repeats: u16,
    /// Whether filler words at the start of a sentence are omitted from its quote.
    pub trims: bool,
}

impl Default for ExtractWeights {
    fn default() -> Self {
        let (place, length, shared, leaning, names, speakers, repeats) = (100, 100, 100, 100, 100, 100, 100);
        Self { place, length, shared, leaning, names, speakers, repeats, trims: true }
    }
}

/// The most informative lines, oldest first: at most `lines_max`, at most `chars_max` characters
/// together.
///
/// Every line is a verbatim part of one message. The cost is linear in the length of the source.
pub fn extract(said: &[SourceText<'_>], lines_max: usize, chars_max: usize) -> Vec<ExtractedLine> {
    extract_by(said, lines_max, chars_max, &ExtractWeights::default())
}

/// Like [`extract`], with other weights, for evaluations.
pub fn extract_by(
    said: &[SourceText<'_>],
    lines_max: usize,
    chars_max: usize,
    signs: &ExtractWeights,
) -> Vec<ExtractedLine> {
    let pieces: Vec<TextSentences> = said.iter().map(|one| TextSentences::of(one.text, signs.trims)).collect();
    extract_known(said, &pieces.iter().collect::<Vec<_>>(), (lines_max, chars_max), signs)
}

/// Like [`extract`], with analysed sentences: the analysis is most of the cost.
pub fn extract_known(
    said: &[SourceText<'_>],
    pieces: &[&TextSentences],
    (lines_max, chars_max): (usize, usize),
    signs: &ExtractWeights,
) -> Vec<ExtractedLine> {
    let talk = SentencePool::of(said, pieces);
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
    talk: &SentencePool<'_>,
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

/// All sentences of the source, with their topics.
struct SentencePool<'a> {
    parts: Vec<PoolSentence<'a>>,
    /// For each topic: the number of its sentences, and whether several authors mention it.
    topics: Vec<TopicCount<'a>>,
    messages: usize,
    longest: usize,
}

struct PoolSentence<'a> {
    index: usize,
    name: &'a str,
    text: &'a str,
    piece: &'a Sentence,
    /// Numbers of topics, each once.
    topics: Vec<usize>,
}

struct TopicCount<'a> {
    parts: usize,
    first: &'a str,
    is_shared: bool,
}

impl<'a> SentencePool<'a> {
    fn of(said: &[SourceText<'a>], pieces: &[&'a TextSentences]) -> Self {
        let mut talk = Self { parts: Vec::new(), topics: Vec::new(), messages: said.len(), longest: 0 };
        let mut numbers = HashMap::new();
        for (index, (one, pieces)) in said.iter().zip(pieces).enumerate() {
            for piece in pieces.iter() {
                // Ignore sentences that were analysed for another text.
                let Some(text) = one.text.get(piece.range.clone()) else { continue };
                let topics = piece.topics.iter().map(|topic| talk.count(&mut numbers, *topic, one.name)).collect();
                talk.longest = talk.longest.max(piece.words);
                talk.parts.push(PoolSentence { index, name: one.name, text, piece, topics });
            }
        }
        talk
    }

    /// Counts one more occurrence of a topic and returns its number.
    fn count(&mut self, numbers: &mut HashMap<u64, usize>, topic: u64, name: &'a str) -> usize {
        let number = *numbers.entry(topic).or_insert(self.topics.len());
        match self.topics.get_mut(number) {
            Some(topic) => {
                topic.parts += 1;
                topic.is_shared |= topic.first != name;
            }
            None => self.topics.push(TopicCount { parts: 1, first: name, is_shared: false }),
        }
        number
    }

    /// The score of a sentence by itself, in thousandths. The weights were fitted to summaries written by people.
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

    fn place(&self, part: &PoolSentence<'_>) -> i64 {
        let from_start = [120, 45, 40].get(part.index).copied().unwrap_or(0);
        let from_end = [20, 25].get(self.messages - 1 - part.index).copied().unwrap_or(0);
        from_start + from_end
    }

    fn length(&self, part: &PoolSentence<'_>) -> i64 {
        let words = part.piece.words;
        let between = |least: usize, most: usize| share(words.clamp(least, most) - least, most - least);
        let longest = if words == self.longest { 80 } else { 0 };
        (70 * between(0, 4) + 130 * between(4, 10) - 50 * between(20, 40)) / 1_000 + longest
    }

    fn shared(&self, part: &PoolSentence<'_>) -> i64 {
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said<'a>(rows: &[(&'a str, &'a str)]) -> Vec<SourceText<'a>> {
        rows.iter().map(|&(name, text)| SourceText { id: "msg", name, text }).collect()
    }

    const RELEASE: &[(&str, &str)] = &[
        ("Mara", "Hi everybody!"),
        (
            "Mara",
            "Well, the release of the billing service slips to Thursday because the migration fails on old invoices.",
        ),
        ("Ines", "Oh no."),
        ("Ines", "ok"),
        ("Coder", "The migration fails on invoices without a currency. I can patch it with a default of EUR."),
        ("Mara", "Sure, do that."),
        ("Ines", "Thanks!"),
    ];

    fn lines(rows: &[(&str, &str)], lines_max: usize, chars_max: usize) -> Vec<String> {
        extract(&said(rows), lines_max, chars_max).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn topics_are_quoted_and_small_talk_is_not() {
        assert_eq!(
            lines(RELEASE, 2, 250),
            [
                "the release of the billing service slips to Thursday because the migration fails on old invoices.",
                "The migration fails on invoices without a currency.",
            ]
        );
    }

    #[test]
    fn lines_are_in_message_order_and_name_their_message() {
        let lines = extract(&said(RELEASE), 4, 1_000);
        assert!(lines.is_sorted_by_key(|line| line.index));
        assert_eq!(lines.first().map(|line| line.index), Some(1));
        assert!(lines.iter().any(|line| line.index == 4));
    }

    #[test]
    fn every_author_is_quoted_before_one_is_quoted_twice() {
        let talk = [
            ("Mara", "The printer on the second floor prints every page twice."),
            ("Mara", "The printer on the second floor is also out of toner."),
            ("Ines", "A technician comes tomorrow with toner."),
        ];
        let quoted = extract(&said(&talk), 2, 1_000);
        assert_eq!(quoted.iter().map(|line| talk[line.index].0).collect::<Vec<_>>(), ["Mara", "Ines"]);
    }

    #[test]
    fn duplicates_are_quoted_once_while_other_text_exists() {
        let mut talk = vec![("Bot", "Deploy 4711 of the shop failed at step verify."); 500];
        talk.push(("Mara", "The shop needs the new certificate before the next deploy."));
        let quoted = lines(&talk, 2, 1_000);
        assert!(quoted.contains(&talk[500].1.to_owned()), "{quoted:?}");
    }

    #[test]
    fn text_without_spaces_or_english_has_a_summary_too() {
        let talk = [("王", "明天下午三点在会议室讨论发布计划。"), ("李", "好的。"), ("王", "请带上发布计划的草稿。")];
        assert_eq!(lines(&talk, 1, 100), ["明天下午三点在会议室讨论发布计划。"]);
        let talk =
            [("Jan", "Hallo!"), ("Jan", "Der Umzug der Datenbank ist am Freitag um neun Uhr."), ("Eva", "Ja, gut.")];
        assert_eq!(lines(&talk, 1, 100), ["Der Umzug der Datenbank ist am Freitag um neun Uhr."]);
    }

    #[test]
    fn an_empty_source_has_no_lines() {
        assert!(lines(&[], 3, 200).is_empty());
        assert!(lines(&[("Mara", ""), ("Ines", " … \n")], 3, 200).is_empty());
        assert!(lines(RELEASE, 0, 200).is_empty());
        assert!(lines(RELEASE, 3, 0).is_empty());
    }

    #[test]
    fn a_line_that_does_not_fit_is_cut_at_a_word_boundary() {
        assert_eq!(lines(&RELEASE[1..2], 3, 30), ["the release of the billing"]);
    }

    #[test]
    fn ten_thousand_messages_give_at_most_the_requested_lines() {
        let texts: Vec<String> =
            (0..10_000).map(|number| format!("Ticket {number} is about topic {}.", number % 97)).collect();
        let talk: Vec<(&str, &str)> = texts.iter().map(|text| ("Mara", text.as_str())).collect();
        assert_eq!(lines(&talk, 10, 4_000).len(), 10);
    }

    proptest! {
        #[test]
        fn every_line_is_a_quote_and_all_fit(
            talk in proptest::collection::vec(("[A-C]", "(\\PC|[ .,!?\\n\\[\\]]|well, |the key ){0,60}"), 0..12),
            lines_max in 0usize..6,
            chars_max in 0usize..200,
        ) {
            let rows: Vec<SourceText<'_>> = talk.iter().map(|(name, text)| SourceText { id: "", name, text }).collect();
            let lines = extract(&rows, lines_max, chars_max);
            prop_assert!(lines.len() <= lines_max);
            prop_assert!(lines.iter().map(|line| line.text.chars().count()).sum::<usize>() <= chars_max);
            prop_assert!(lines.is_sorted_by_key(|line| line.index));
            for line in &lines {
                prop_assert!(talk[line.index].1.contains(&line.text));
                prop_assert!(line.text.chars().any(char::is_alphanumeric));
            }
            prop_assert_eq!(extract(&rows, lines_max, chars_max), lines);
        }
    }
}
