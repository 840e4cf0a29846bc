//! What reported usage says about a bound: by how much it is too high.

use serde::{Deserialize, Serialize};

/// What was learned about a model, as plain numbers that can be kept. The default is that nothing is known.
///
/// A report is about a request that held at least the text that was counted, and mostly more. So it can only be too high:
/// it never says that a bound is too low, and one that is no lower than the bound says that nothing is to be tightened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learned {
    /// The most that was ever reported for a bound, in thousandths of the bound; never more than the whole of it.
    pub worst_per_mille: u64,
    /// Tokens that were reported so far; what is beyond [`Learned::TOKENS_ENOUGH`] is not counted any more.
    pub tokens: u64,
}

/// A bound as it is before anything is known.
const WHOLE: u64 = 1_000;
/// What is added to the worst that was reported: the next text may be of another sort.
const MARGIN_PER_MILLE: u64 = 1_100;
/// A report about less than this says more about the provider's own words than about the text.
const COUNTED_LEAST: u64 = 200;

impl Learned {
    /// Tokens after which what was reported counts fully. Until then a bound comes down in proportion.
    pub const TOKENS_ENOUGH: u64 = 20_000;

    /// With one more report: where the plain bound of the model, with nothing learned, said `counted`, the provider
    /// reported `reported`.
    #[must_use]
    pub fn with(self, counted: u64, reported: u64) -> Self {
        if counted < COUNTED_LEAST || reported == 0 {
            return self;
        }
        let seen = share(WHOLE, reported, counted).min(WHOLE);
        let tokens = self.tokens.saturating_add(reported).min(Self::TOKENS_ENOUGH);
        Self { worst_per_mille: self.worst_per_mille.max(seen), tokens }
    }

    /// A bound with all this applied: never more than before.
    pub(super) fn applied_to(self, bound: u64) -> u64 {
        share(bound, self.scale(), WHOLE)
    }

    /// What a bound is multiplied with, in thousandths.
    fn scale(self) -> u64 {
        let target = share(self.worst_per_mille.min(WHOLE), MARGIN_PER_MILLE, 1_000).min(WHOLE);
        let evidence = self.tokens.min(Self::TOKENS_ENOUGH);
        WHOLE - (WHOLE - target) * evidence / Self::TOKENS_ENOUGH
    }
}

/// `value × part ÷ whole`, rounded up, without overflow.
fn share(value: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(value) * u128::from(part);
    u64::try_from(product.div_ceil(u128::from(whole.max(1)))).unwrap_or(u64::MAX)
}
