//! What tells at a glance that two texts do not say the same. In chats of bots most texts are alike, and each of them is
//! held against many others: their words are compared only where this tells nothing.

use super::{COURTESY, is_little};
use crate::{candidate::Candidate, terms::Terms};

/// Bits that words are spread over.
const BITS: u32 = u64::BITS;

/// The signs of candidates, each made when it is first looked at.
pub(super) struct Signs<'a> {
    candidates: &'a [Candidate],
    known: Vec<Sign>,
    /// The bits of words that may be missing.
    courtesy: u64,
}

#[derive(Clone, Copy, Default)]
struct Sign {
    is_known: bool,
    /// How many different words there are.
    terms: u32,
    /// A hash of the digits in their order.
    digits: u64,
    /// A bit for each word; several words may share one.
    words: u64,
}

impl<'a> Signs<'a> {
    pub(super) fn new(candidates: &'a [Candidate]) -> Self {
        Self { candidates, known: vec![Sign::default(); candidates.len()], courtesy: bits(&COURTESY) }
    }

    /// Whether the first, which would be left out, may say nothing that the other does not.
    pub(super) fn may_be_same(&mut self, left_out: usize, shown: usize) -> bool {
        let (one, other) = (self.of(left_out), self.of(shown));
        if one.digits != other.digits {
            return false;
        }
        // A bit that only one of them has is a word that the other lacks, so at least so many words are missing.
        let lost = (one.words & !other.words & !self.courtesy).count_ones();
        let more = (other.words & !one.words & !self.courtesy).count_ones();
        is_little(lost as usize, more as usize, other.terms as usize)
    }

    fn of(&mut self, place: usize) -> Sign {
        let known = self.known[place];
        if known.is_known {
            return known;
        }
        let prepared = &self.candidates[place].prepared;
        let digits = prepared.text.bytes().filter(u8::is_ascii_digit);
        let sign = Sign {
            is_known: true,
            terms: u32::try_from(prepared.terms.counts.len()).unwrap_or(u32::MAX),
            digits: digits.fold(1, |hash, digit| super::spread(hash ^ u64::from(digit))),
            words: bits(&prepared.terms),
        };
        self.known[place] = sign;
        sign
    }
}

fn bits(terms: &Terms) -> u64 {
    terms.counts.iter().fold(0, |bits, (term, _)| bits | 1 << (term % BITS))
}
