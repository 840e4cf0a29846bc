//! Corrections of upper bounds by the token usage that providers report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Tokenizer;

/// The correction of a model's upper bound. The default is no correction.
///
/// A report covers a request with at least the counted text and mostly more. So it can only be too high: it never shows
/// that a bound is too low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsageBias {
    /// The highest report in thousandths of the bound; at most 1000.
    pub worst_per_mille: u64,
    /// Reported tokens so far, up to [`UsageBias::TOKENS_ENOUGH`].
    pub tokens: u64,
}

const WHOLE: u64 = 1_000;
/// Safety margin on the highest report, because the next text may differ.
const MARGIN_PER_MILLE: u64 = 1_100;
/// Smaller requests are dominated by the provider's own text.
const COUNTED_LEAST: u64 = 200;

impl UsageBias {
    /// Tokens after which reports count fully; until then the correction grows in proportion.
    pub const TOKENS_ENOUGH: u64 = 20_000;

    /// Adds a report: the provider reported `reported` tokens where the uncorrected bound is `counted`.
    #[must_use]
    pub fn with(self, counted: u64, reported: u64) -> Self {
        if counted < COUNTED_LEAST || reported == 0 {
            return self;
        }
        let seen = share(WHOLE, reported, counted).min(WHOLE);
        let tokens = self.tokens.saturating_add(reported).min(Self::TOKENS_ENOUGH);
        Self { worst_per_mille: self.worst_per_mille.max(seen), tokens }
    }

    /// The corrected bound; never more than before.
    pub(super) fn applied_to(self, bound: u64) -> u64 {
        share(bound, self.scale(), WHOLE)
    }

    /// The factor in thousandths.
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

/// Corrections by model. At most [`UsageObservations::MODELS_MAX`] models are tracked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UsageObservations {
    by_model: BTreeMap<String, UsageBias>,
}

/// Longer names are not tracked.
const NAME_BYTES_MAX: usize = 512;

impl UsageObservations {
    /// The number of tracked models.
    pub const MODELS_MAX: usize = 256;

    /// Records that a provider reported `reported` tokens for a request with at least the texts for which
    /// [`Tokenizer::for_model`] counts `counted`. More content in the request only weakens the correction.
    ///
    /// The count is the uncorrected one, not that of [`UsageObservations::tokenizer`].
    pub fn observe(&mut self, model: &str, counted: u64, reported: u64) {
        let name = normalized_name(model);
        let has_room = self.by_model.len() < Self::MODELS_MAX && name.len() <= NAME_BYTES_MAX;
        if Tokenizer::for_model(model).counting().is_exact || !(has_room || self.by_model.contains_key(&name)) {
            return;
        }
        let known = self.by_model.get(&name).copied().unwrap_or_default();
        let bias = known.with(counted, reported);
        if bias != known {
            self.by_model.insert(name, bias);
        }
    }

    /// The tokenizer of a model with its correction.
    pub fn tokenizer(&self, model: &str) -> Tokenizer {
        let bias = self.by_model.get(&normalized_name(model)).copied().unwrap_or_default();
        Tokenizer::for_model(model).with_bias(bias)
    }
}

fn normalized_name(model: &str) -> String {
    model.trim().to_ascii_lowercase()
}
