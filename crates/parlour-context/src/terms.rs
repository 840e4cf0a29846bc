//! The words of a text as ranking sees them: folded, stemmed, and counted.
//!
//! A word is a number of 32 bits, a hash of its letters. Two words of a pack share one by chance about once in four
//! billion pairs; all that such a chance can do is to rank a text a little higher or lower.

mod fold;
mod forms;
mod split;
mod stop;

use std::sync::LazyLock;

use parlour_core::limits;

/// Words that say when something is, was or will be.
static TIMES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let words = "yesterday today tomorrow tonight week weekend month year day morning evening night ago last next recently \
                 january february march april june july august september october november december monday tuesday \
                 wednesday thursday friday saturday sunday summer winter spring autumn fall hour minute soon";
    let mut hashes: Vec<u32> = words.split(' ').map(|word| hash(&fold::stem(word))).collect();
    hashes.sort_unstable();
    hashes
});

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Each word as a number that stands for it, with how often it occurs, in ascending order of the numbers.
    pub counts: Vec<(u32, u16)>,
    /// How many words there are in all.
    pub len: u32,
    /// Whether one of them says when: `yesterday`, `Friday`, `ago`.
    pub says_when: bool,
    /// Whether the text ends in a question.
    pub is_question: bool,
}

impl Terms {
    /// The words of a text: folded (case, accents, widths), English endings off, those that change inside as
    /// their word, the commonest English words left out. Writing without blanks becomes signs and pairs of signs; a name
    /// such as `readConfig` or `log_path` counts as a whole and in its parts.
    ///
    /// It looks at no more than `CONTEXT_ITEM_CHARS_MAX` characters, and its cost grows with what it looks at.
    pub fn of(text: &str) -> Self {
        let folded = fold::fold(bounded(text));
        let mut hashes = Vec::new();
        split::words(&folded, |word| {
            if !stop::is_stop_word(word) {
                hashes.push(hash(&fold::stem(word)));
            }
        });
        let is_question = text.trim_end().ends_with(['?', '？']);
        Self { is_question, ..Self::counted(hashes) }
    }

    /// Whether the word with this number occurs.
    pub fn has(&self, term: u32) -> bool {
        self.counts.binary_search_by_key(&term, |(term, _)| *term).is_ok()
    }

    fn counted(mut hashes: Vec<u32>) -> Self {
        let len = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        hashes.sort_unstable();
        let mut counts: Vec<(u32, u16)> = Vec::new();
        for hash in hashes {
            match counts.last_mut() {
                Some((last, count)) if *last == hash => *count = count.saturating_add(1),
                _ => counts.push((hash, 1)),
            }
        }
        counts.shrink_to_fit();
        let says_when = counts.iter().any(|(term, _)| TIMES.binary_search(term).is_ok());
        Self { counts, len, says_when, is_question: false }
    }
}

/// The words of a text in their order, folded and nothing else: what [`crate::dedupe`] compares.
pub(crate) fn sequence(text: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    split::plain(&fold::fold(bounded(text)), |word| hashes.push(hash(word)));
    hashes
}

fn bounded(text: &str) -> &str {
    let end = text.char_indices().nth(limits::CONTEXT_ITEM_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// FNV-1a, with its upper bits folded in: small, the same on every machine, and good enough for words.
fn hash(word: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    #[allow(clippy::cast_possible_truncation, reason = "the upper half has been folded in")]
    let short = (hash ^ (hash >> 32)) as u32;
    short
}

#[cfg(test)]
mod tests;
