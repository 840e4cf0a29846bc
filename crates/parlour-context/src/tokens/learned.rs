//! What reported usage says about a bound: by how much it is too high, or too low.

use serde::{Deserialize, Serialize};

/// What was learned about a model, as plain numbers that can be kept. The default is that nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learned {
    /// The most that was ever reported for a bound, in thousandths of the bound.
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
/// What is believed at most, in thousandths: beyond it, something else was counted.
const WORST_MOST: u64 = 8_000;

impl Learned {
    /// Tokens after which what was reported counts fully. Until then a bound comes down in proportion.
    pub const TOKENS_ENOUGH: u64 = 20_000;

    /// With one more report: where a bound with all this said `counted`, the provider counted `reported`.
    #[must_use]
    pub fn with(self, counted: u64, reported: u64) -> Self {
        if counted < COUNTED_LEAST || reported == 0 {
            return self;
        }
        // A bound that was too low may have been held up by the table: then it is taken at its whole.
        let scale = if reported > counted { self.scale().max(WHOLE) } else { self.scale() };
        let seen = share(scale, reported, counted).min(WORST_MOST);
        let tokens = self.tokens.saturating_add(reported).min(Self::TOKENS_ENOUGH);
        Self { worst_per_mille: self.worst_per_mille.max(seen), tokens }
    }

    /// A bound with all this applied.
    pub(super) fn applied_to(self, bound: u64) -> u64 {
        share(bound, self.scale(), WHOLE)
    }

    /// Whether the bound has proved too low.
    pub(super) fn is_raised(self) -> bool {
        self.scale() > WHOLE
    }

    /// What a bound is multiplied with, in thousandths.
    fn scale(self) -> u64 {
        if self.tokens == 0 {
            return WHOLE;
        }
        let worst = self.worst_per_mille.min(WORST_MOST);
        let target = share(worst, MARGIN_PER_MILLE, 1_000);
        if worst > WHOLE {
            return target;
        }
        let evidence = self.tokens.min(Self::TOKENS_ENOUGH);
        WHOLE - WHOLE.saturating_sub(target) * evidence / Self::TOKENS_ENOUGH
    }
}

/// `value × part ÷ whole`, rounded up, without overflow.
fn share(value: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(value) * u128::from(part);
    u64::try_from(product.div_ceil(u128::from(whole.max(1)))).unwrap_or(u64::MAX)
}
