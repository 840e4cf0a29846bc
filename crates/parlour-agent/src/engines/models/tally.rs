//! What an answer has cost so far.

use parlour_core::{limits, usage::Usage};
use tokio::time::Instant;

use super::{piece::Count, plain};

/// Counts while an answer is made.
#[derive(Debug)]
pub(super) struct Tally {
    started: Instant,
    model: String,
    tries: u32,
    count: Count,
}

impl Tally {
    pub(super) fn begin(model: &str) -> Self {
        Self { started: Instant::now(), model: model.to_owned(), tries: 0, count: Count::default() }
    }

    pub(super) fn begin_try(&mut self) {
        self.tries = self.tries.saturating_add(1);
    }

    pub(super) fn tries(&self) -> u32 {
        self.tries
    }

    /// Takes the provider's name of the model; one that nobody could show is left.
    pub(super) fn name_model(&mut self, name: &str) {
        let name: String = plain::line(name, None).chars().take(limits::MODEL_CHARS_MAX).collect();
        if !name.is_empty() {
            self.model = name;
        }
    }

    pub(super) fn add(&mut self, count: Count) {
        self.count = count.or(self.count);
    }

    /// What it has cost. A provider that does not count leaves the tokens at zero.
    pub(super) fn usage(&self) -> Usage {
        Usage {
            model: self.model.clone(),
            input_tokens: self.count.input.unwrap_or(0),
            cached_tokens: self.count.cached,
            output_tokens: self.count.output.unwrap_or(0),
            tries: Some(self.tries),
            duration_ms: u64::try_from(self.started.elapsed().as_millis()).ok(),
        }
    }

    /// What a failure has cost all the same, if anything was counted.
    pub(super) fn usage_if_counted(&self) -> Option<Usage> {
        (!self.count.is_empty()).then(|| self.usage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_numbers_replace_earlier_ones() {
        let mut tally = Tally::begin("small");
        tally.begin_try();
        tally.add(Count { input: Some(10), cached: Some(4), output: Some(1) });
        tally.add(Count { input: None, cached: None, output: Some(7) });
        let usage = tally.usage();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (10, Some(4), 7));
        assert_eq!((usage.tries, usage.check()), (Some(1), Ok(())));
    }

    #[test]
    fn a_failure_that_was_not_counted_costs_nothing() {
        let mut tally = Tally::begin("small");
        assert_eq!(tally.usage_if_counted(), None);
        tally.add(Count { input: Some(1), ..Count::default() });
        assert!(tally.usage_if_counted().is_some());
    }

    #[test]
    fn the_name_of_the_model_is_always_one_that_the_hub_takes() {
        for name in ["", " \n", "small-2026\nx", &"x".repeat(999)] {
            let mut tally = Tally::begin("small");
            tally.name_model(name);
            assert_eq!(tally.usage().check(), Ok(()), "{name}");
        }
    }
}
