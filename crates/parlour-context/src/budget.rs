//! The token budget.

/// A token budget that cannot be overdrawn. Tokens cannot be given back, and the limit cannot be raised.
#[derive(Debug, PartialEq, Eq)]
pub struct Budget {
    tokens_max: u64,
    used: u64,
}

/// A budget outside the allowed range.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a budget has {TOKENS_LEAST} to {TOKENS_MOST} tokens, not {0}")]
pub struct InvalidBudget(u64);

/// Less does not fit the frame of a pack.
const TOKENS_LEAST: u64 = 64;
/// More exceeds the context of any model.
const TOKENS_MOST: u64 = 1_000_000;

impl Budget {
    /// A budget of this many tokens.
    pub fn new(tokens_max: u64) -> Result<Self, InvalidBudget> {
        if (TOKENS_LEAST..=TOKENS_MOST).contains(&tokens_max) {
            Ok(Self { tokens_max, used: 0 })
        } else {
            Err(InvalidBudget(tokens_max))
        }
    }

    /// Takes the tokens and returns true, or takes none if there are not enough.
    #[must_use]
    pub fn take(&mut self, tokens: u64) -> bool {
        let fits = tokens <= self.left();
        if fits {
            self.used += tokens;
        }
        fits
    }

    /// Splits off a percentage of the whole as a separate budget; never more than what is left.
    pub fn set_aside(&mut self, percent: u8) -> Self {
        let wanted = self.tokens_max * u64::from(percent.min(100)) / 100;
        let tokens_max = wanted.min(self.left());
        self.used += tokens_max;
        Self { tokens_max, used: 0 }
    }

    /// Tokens taken.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Tokens left.
    pub fn left(&self) -> u64 {
        self.tokens_max - self.used
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn budgets_out_of_bounds_are_refused() {
        assert_eq!(Budget::new(0), Err(InvalidBudget(0)));
        assert_eq!(Budget::new(TOKENS_MOST + 1), Err(InvalidBudget(TOKENS_MOST + 1)));
        assert!(InvalidBudget(3).to_string().contains("not 3"));
    }

    #[test]
    fn a_refused_request_takes_no_tokens() {
        let mut budget = Budget::new(100).expect("budget");
        assert!(budget.take(60));
        assert!(!budget.take(41));
        assert_eq!((budget.used(), budget.left()), (60, 40));
        assert!(budget.take(40));
    }

    #[test]
    fn a_share_is_limited_by_the_remaining_tokens() {
        let mut budget = Budget::new(100).expect("budget");
        assert_eq!(budget.set_aside(30).left(), 30);
        assert!(budget.take(50));
        assert_eq!(budget.set_aside(50).left(), 20);
        assert_eq!(budget.left(), 0);
    }

    proptest! {
        #[test]
        fn a_budget_is_never_overdrawn(
            tokens_max in TOKENS_LEAST..=TOKENS_MOST,
            requests in proptest::collection::vec((0u64..=2_000_000, 0u8..=255), 0..40),
        ) {
            let mut budget = Budget::new(tokens_max).expect("in bounds");
            let mut spent = 0;
            for (tokens, percent) in requests {
                if budget.take(tokens) {
                    spent += tokens;
                }
                spent += budget.set_aside(percent).left();
                prop_assert!(spent <= tokens_max);
                prop_assert_eq!(budget.used(), spent);
            }
        }
    }
}
