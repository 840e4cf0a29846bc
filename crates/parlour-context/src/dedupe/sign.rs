//! What tells at a glance that two texts do not say the same. In chats of bots most texts are alike, and each of them is
//! held against many others: their words are compared only where this tells nothing.

use std::sync::LazyLock;

use super::{COURTESY, LONG_TERMS_LEAST, is_little};
use crate::terms::Terms;

/// Words are spread over so many numbers of 64 bits.
const PARTS: usize = 2;

/// The bits of words that may be missing.
static COURTESY_WORDS: LazyLock<[u64; PARTS]> = LazyLock::new(|| bits(&COURTESY));

/// What is known of a text before its words are compared; it is found out once for each text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSketch {
    /// A hash of the digits in their order.
    digits: u32,
    /// How many different words there are.
    terms: u32,
    /// A bit for each word; several words may share one.
    words: [u64; PARTS],
    /// Whether it means what it answers, and is the same as the very same text only.
    is_short: bool,
}

impl TextSketch {
    /// The sign of a text with these words.
    pub(crate) fn of(text: &str, terms: &Terms) -> Self {
        let digits = text.bytes().filter(u8::is_ascii_digit);
        let digits = digits.fold(1, |hash, digit| super::spread(hash ^ u64::from(digit)));
        #[allow(clippy::cast_possible_truncation, reason = "all bits are alike: half of them are enough")]
        let digits = digits as u32;
        Self {
            digits,
            terms: u32::try_from(terms.counts.len()).unwrap_or(u32::MAX),
            words: bits(terms),
            is_short: terms.len < LONG_TERMS_LEAST,
        }
    }

    /// Whether a text with this sign, which would be left out, may say nothing that one with the other sign does not.
    pub(super) fn may_be_same(&self, shown: &Self) -> bool {
        if self.digits != shown.digits {
            return false;
        }
        if self.is_short || shown.is_short {
            return self == shown;
        }
        // A bit that only one of them has is a word that the other lacks, so at least so many words are missing.
        let only = |one: &[u64; PARTS], other: &[u64; PARTS]| -> [u64; PARTS] {
            std::array::from_fn(|part| one[part] & !other[part] & !COURTESY_WORDS[part])
        };
        let (lost, all) = (only(&self.words, &shown.words), shown.terms as usize);
        // One word tells of most, and bits are counted slowly.
        if lost != [0; PARTS] && !is_little(1, 0, all) {
            return false;
        }
        is_little(count(&lost), count(&only(&shown.words, &self.words)), all)
    }
}

fn count(bits: &[u64; PARTS]) -> usize {
    bits.iter().map(|bits| bits.count_ones() as usize).sum()
}

fn bits(terms: &Terms) -> [u64; PARTS] {
    let mut bits = [0; PARTS];
    for (term, _) in &terms.counts {
        bits[(term / u64::BITS) as usize % PARTS] |= 1 << (term % u64::BITS);
    }
    bits
}
