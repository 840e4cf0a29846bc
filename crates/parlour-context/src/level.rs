//! One text at several levels of detail. Each level consists of the text's own words and marks every omission.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use parlour_core::context::Level;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{prepared::Prepared, rank::RankQuery, terms::Terms};

/// All levels, the longest first.
pub const LEVELS: [Level; 5] = [Level::Full, Level::HeadTail, Level::Extract, Level::OneLine, Level::Handle];

/// Marks an omission.
pub(crate) const GAP: &str = "…";
/// Shorter texts have no shorter level.
const CHARS_LEAST: usize = 60;

/// The level at which a text is reported: a full text that its view has cut counts as `HeadTail`.
pub fn shown_as(prepared: &Prepared, level: Level) -> Level {
    if level == Level::Full && prepared.is_cut { Level::HeadTail } else { level }
}

/// The text at this level; `None` if it would not be shorter than at the level before, or empty.
///
/// `Handle` has no text: the frame writes the call that fetches it. Redaction marks and grapheme clusters are never cut
/// in two.
pub fn at_level(prepared: &Prepared, level: Level, query: &RankQuery) -> Option<String> {
    match level {
        Level::Full => full(prepared),
        Level::Handle => Some(String::new()),
        _ => texts(prepared, query, level).pop().and_then(|(last, text)| (last == level).then_some(text)),
    }
}

/// Head and tail in about `chars_max` characters, for mandatory texts; `None` if that is not shorter.
pub fn head_and_tail(prepared: &Prepared, chars_max: usize) -> Option<String> {
    head_tail_within(&Cuts::of(prepared), chars_max)
}

/// All levels of a text, the longest first; each is shorter than the one before. Costs no more than the shortest alone.
pub fn levels(prepared: &Prepared, query: &RankQuery) -> Vec<(Level, String)> {
    texts(prepared, query, Level::Handle)
}

/// The levels up to `shortest`.
fn texts(prepared: &Prepared, query: &RankQuery, shortest: Level) -> Vec<(Level, String)> {
    let mut texts: Vec<(Level, String)> = full(prepared).into_iter().map(|text| (Level::Full, text)).collect();
    let chars = prepared.text.chars().count();
    if !texts.is_empty() && chars > CHARS_LEAST && shortest > Level::Full {
        shorten(&mut texts, prepared, query, chars, shortest);
    }
    if shortest == Level::Handle {
        texts.push((Level::Handle, String::new()));
    }
    texts
}

fn full(prepared: &Prepared) -> Option<String> {
    (!prepared.text.trim().is_empty()).then(|| prepared.text.clone())
}

fn shorten(
    texts: &mut Vec<(Level, String)>,
    prepared: &Prepared,
    query: &RankQuery,
    mut chars_before: usize,
    shortest: Level,
) {
    let cuts = Cuts::of(prepared);
    let mut push = |level: Level, make: &dyn Fn(usize) -> Option<String>| {
        if level > shortest {
            return;
        }
        let Some(text) = make(chars_before - 1) else { return };
        let chars = text.chars().count();
        if chars < chars_before {
            chars_before = chars;
            texts.push((level, text));
        }
    };
    push(Level::HeadTail, &|chars_max| head_tail(&cuts, chars_max));
    if shortest == Level::HeadTail {
        return;
    }
    let sentences = sentences(&cuts);
    push(Level::Extract, &|chars_max| extract(&cuts, &sentences, query, chars_max));
    push(Level::OneLine, &|chars_max| one_line(&cuts, &sentences, chars_max));
}

/// Shorter texts have no head and tail.
const HEAD_TAIL_CHARS_LEAST: usize = 240;
/// At most; two fifths of a shorter text.
const HEAD_CHARS_MAX: usize = 480;
/// At most; one fifth of a shorter text.
const TAIL_CHARS_MAX: usize = 240;

/// Head and tail; a text with several lines states the number of omitted characters.
fn head_tail(cuts: &Cuts<'_>, chars_max: usize) -> Option<String> {
    let chars = cuts.chars(0, cuts.end());
    if chars < HEAD_TAIL_CHARS_LEAST {
        return None;
    }
    let text = join_head_tail(cuts, (chars * 2 / 5).min(HEAD_CHARS_MAX), (chars / 5).min(TAIL_CHARS_MAX))?;
    (text.chars().count() <= chars_max).then_some(text)
}

/// The same in about `chars_max` characters, two thirds of them for the head.
fn head_tail_within(cuts: &Cuts<'_>, chars_max: usize) -> Option<String> {
    let tail = chars_max / 3;
    join_head_tail(cuts, chars_max - tail, tail).filter(|text| text.chars().count() < cuts.chars(0, cuts.end()))
}

fn join_head_tail(cuts: &Cuts<'_>, head_chars: usize, tail_chars: usize) -> Option<String> {
    let (begin, head) = cuts.trimmed(0, cuts.ahead(0, head_chars));
    let (tail, end) = cuts.trimmed(cuts.back_from_end(tail_chars), cuts.end());
    if begin == head || tail == end || tail <= head {
        return None;
    }
    let missing = cuts.slice(head, tail);
    let gap = if missing.contains('\n') {
        format!("\n{GAP} {} characters {GAP}\n", missing.trim().chars().count())
    } else {
        format!(" {GAP} ")
    };
    Some([cuts.slice(begin, head), &gap, cuts.slice(tail, end)].concat())
}

const SENTENCES_MAX: usize = 4;
const EXTRACT_CHARS_MAX: usize = 320;
/// Characters reserved for gaps before, between and after sentences.
const GAPS_CHARS_MAX: usize = 2 + 3 * (SENTENCES_MAX - 1) + 2;
/// Weight of a query word relative to a word of the task.
const ASKED: u64 = 2;

/// The best sentences for the query, in text order; `None` if no sentence contains a query word.
fn extract(cuts: &Cuts<'_>, sentences: &[Range<usize>], query: &RankQuery, chars_max: usize) -> Option<String> {
    let mut chars_left = chars_max.min(EXTRACT_CHARS_MAX).checked_sub(GAPS_CHARS_MAX)?;
    if sentences.len() < 2 || query.terms.counts.is_empty() && query.task.counts.is_empty() {
        return None;
    }
    let scores = sentence_scores(cuts, sentences, query);
    let mut order: Vec<usize> = (0..sentences.len()).filter(|index| scores[*index] > 0).collect();
    order.sort_by_key(|index| (u64::MAX - scores[*index], *index));
    let mut chosen = Vec::new();
    for index in order {
        let chars = cuts.chars(sentences[index].start, sentences[index].end);
        if chosen.len() < SENTENCES_MAX && chars <= chars_left {
            chars_left -= chars;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    (!chosen.is_empty()).then(|| join_sentences(cuts, chosen.iter().map(|index| sentences[*index].clone())))
}

/// A word in few sentences counts more.
fn sentence_scores(cuts: &Cuts<'_>, sentences: &[Range<usize>], query: &RankQuery) -> Vec<u64> {
    let terms: Vec<Terms> = sentences.iter().map(|piece| Terms::of(cuts.slice(piece.start, piece.end))).collect();
    let mut sentences_with: BTreeMap<u32, u64> = BTreeMap::new();
    for (word, _) in terms.iter().flat_map(|terms| &terms.counts) {
        *sentences_with.entry(*word).or_default() += 1;
    }
    let all = sentences.len() as u64;
    let has = |terms: &Terms, word: u32| terms.counts.binary_search_by_key(&word, |count| count.0).is_ok();
    let score = |terms: &Terms| {
        let worth = |(word, _): &(u32, u16)| {
            let weight = ASKED * u64::from(has(&query.terms, *word)) + u64::from(has(&query.task, *word));
            weight * (all + 1 - sentences_with.get(word).copied().unwrap_or(all))
        };
        terms.counts.iter().map(worth).sum()
    };
    terms.iter().map(score).collect()
}

/// Inserts a gap wherever more than white space is missing.
fn join_sentences(cuts: &Cuts<'_>, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut text = String::new();
    let mut last = 0;
    for part in parts {
        match (last, cuts.is_blank(last, part.start)) {
            (0, true) => {}
            (0, false) => text.extend([GAP, " "]),
            (_, true) if cuts.chars(last, part.start) <= 3 => text.push_str(cuts.slice(last, part.start)),
            (_, true) => text.push('\n'),
            (_, false) => text.extend([" ", GAP, " "]),
        }
        text.push_str(cuts.slice(part.start, part.end));
        last = part.end;
    }
    if !cuts.is_blank(last, cuts.end()) {
        text.extend([" ", GAP]);
    }
    text
}

/// Including the gaps around it.
const LINE_CHARS_MAX: usize = 120;
/// A shorter line says nothing.
const LINE_CHARS_LEAST: usize = 24;
/// A shorter sentence is a mere greeting.
const WORDS_LEAST: usize = 4;
/// First characters of quotes, fences, rules and tables.
const ASIDE: &[char] = &['>', '`', '|', '-', '=', '#', '~'];

/// The first meaningful sentence; `None` if there is too little room.
fn one_line(cuts: &Cuts<'_>, sentences: &[Range<usize>], chars_max: usize) -> Option<String> {
    let chars_max = chars_max.min(LINE_CHARS_MAX);
    if chars_max < LINE_CHARS_LEAST {
        return None;
    }
    let says_something = |sentence: &&Range<usize>| {
        let text = cuts.slice(sentence.start, sentence.end);
        !text.starts_with(ASIDE) && text.split_whitespace().nth(WORDS_LEAST - 1).is_some()
    };
    let sentence = sentences.iter().find(says_something).or(sentences.first())?;
    let before = if cuts.is_blank(0, sentence.start) { String::new() } else { format!("{GAP} ") };
    let behind = format!(" {GAP}");
    let is_last = cuts.is_blank(sentence.end, cuts.end());
    let room = chars_max - before.chars().count();
    if is_last && cuts.chars(sentence.start, sentence.end) <= room {
        return Some(before + cuts.slice(sentence.start, sentence.end));
    }
    let farthest = cuts.ahead(sentence.start, room - behind.chars().count()).min(sentence.end);
    let (from, to) = cuts.trimmed(sentence.start, farthest);
    (from < to).then(|| [&before, cuts.slice(from, to), &behind].concat())
}

const SENTENCES_SCANNED_MAX: usize = 400;
/// A longer sentence ends at the next white space.
const SENTENCE_CHARS_MOST: usize = 160;
/// A longer sentence ends anywhere.
const SENTENCE_CHARS_MAX: usize = 240;

/// Sentences with letters or digits, as trimmed ranges of cuts.
fn sentences(cuts: &Cuts<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for cut in 1..=cuts.end() {
        if cut < cuts.end() && !ends_sentence(cuts, from, cut) {
            continue;
        }
        let (begin, end) = cuts.trimmed(from, cut);
        from = cut;
        if cuts.slice(begin, end).chars().any(char::is_alphanumeric) {
            found.push(begin..end);
        }
        if found.len() == SENTENCES_SCANNED_MAX {
            break;
        }
    }
    found
}

/// Whether the sentence that began at `from` ends here.
fn ends_sentence(cuts: &Cuts<'_>, from: usize, cut: usize) -> bool {
    let last = cuts.slice(cut - 1, cut);
    let is_before_blank = || cuts.is_blank(cut, cut + 1);
    let chars = cuts.chars(from, cut);
    match last {
        _ if last.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) => true,
        "。" | "！" | "？" => true,
        "!" | "?" | "…" => is_before_blank(),
        "." => is_before_blank() && !goes_on_small(cuts, cut),
        _ => chars >= SENTENCE_CHARS_MAX || chars >= SENTENCE_CHARS_MOST && is_before_blank(),
    }
}

/// A dot before a lower-case letter belongs to an abbreviation such as `e.g.`
fn goes_on_small(cuts: &Cuts<'_>, cut: usize) -> bool {
    let next = (cut + 1 < cuts.end()).then(|| cuts.slice(cut + 1, cut + 2));
    next.and_then(|sign| sign.chars().next()).is_some_and(char::is_lowercase)
}

/// The positions at which a text may be cut: between grapheme clusters, never inside a redaction mark. Cuts are
/// numbered from 0 to `end`.
struct Cuts<'a> {
    text: &'a str,
    cuts: Vec<(usize, usize)>,
}

impl<'a> Cuts<'a> {
    fn of(prepared: &'a Prepared) -> Self {
        let text = prepared.text.as_str();
        let mut marks = prepared.marks.iter().map(|mark| &mark.range).peekable();
        let mut cuts = Vec::with_capacity(text.len() + 1);
        let mut chars = 0;
        for (byte, sign) in text.grapheme_indices(true) {
            while marks.peek().is_some_and(|mark| mark.end <= byte) {
                marks.next();
            }
            if marks.peek().is_none_or(|mark| byte <= mark.start) {
                cuts.push((byte, chars));
            }
            chars += sign.chars().count();
        }
        cuts.push((text.len(), chars));
        Self { text, cuts }
    }

    fn end(&self) -> usize {
        self.cuts.len() - 1
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[self.cuts[from].0..self.cuts[to].0]
    }

    fn chars(&self, from: usize, to: usize) -> usize {
        self.cuts[to].1 - self.cuts[from].1
    }

    fn is_blank(&self, from: usize, to: usize) -> bool {
        self.slice(from, to).chars().all(char::is_whitespace)
    }

    /// Without white space at its ends.
    fn trimmed(&self, mut from: usize, mut to: usize) -> (usize, usize) {
        while from < to && self.is_blank(from, from + 1) {
            from += 1;
        }
        while from < to && self.is_blank(to - 1, to) {
            to -= 1;
        }
        (from, to)
    }

    /// The farthest cut after `from` within `chars_max` characters, at a word end if there is one in the second half.
    fn ahead(&self, from: usize, chars_max: usize) -> usize {
        let most = self.cuts[from].1.saturating_add(chars_max);
        let farthest = self.cuts.partition_point(|cut| cut.1 <= most) - 1;
        let ends_word = |cut: &usize| self.chars(from, *cut) * 2 > chars_max && self.is_border(*cut);
        (from..=farthest).rev().find(ends_word).unwrap_or(farthest)
    }

    /// The farthest cut before the end within `chars_max` characters, at a word start if there is one in the first
    /// half.
    fn back_from_end(&self, chars_max: usize) -> usize {
        let end = self.end();
        let least = self.cuts[end].1.saturating_sub(chars_max);
        let farthest = self.cuts.partition_point(|cut| cut.1 < least);
        let begins_word = |cut: &usize| self.chars(*cut, end) * 2 > chars_max && self.is_border(*cut);
        (farthest..=end).find(begins_word).unwrap_or(farthest)
    }

    fn is_border(&self, cut: usize) -> bool {
        let end = self.end();
        cut == 0 || cut == end || self.is_blank(cut - 1, cut) || self.is_blank(cut, cut + 1)
    }

    #[cfg(test)]
    fn bytes(&self) -> Vec<usize> {
        self.cuts.iter().map(|cut| cut.0).collect()
    }
}
