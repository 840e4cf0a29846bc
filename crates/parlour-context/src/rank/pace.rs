//! How a talk goes: how long its messages are, and how unlike each other in length.
//!
//! Who writes in turn says one thing a message, and the messages are about as long as each other. Where people speak, a few
//! long ones stand among many that only say yes: one thought runs through all of them, and the passage is what counts.

use super::constants::Constants;

/// Tokens of the messages for which the decays are meant.
const USUAL_TOKENS: f32 = 30.0;
/// A text that is longer says no more of how a talk goes: one pasted log is not a speech.
const TOKENS_MAX: f32 = 200.0;
/// What one step loses at least and at most, however short or long messages are.
const LOSS: std::ops::RangeInclusive<f32> = 0.01..=0.5;

/// How a talk goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// Tokens of a message, as a share of those for which the decays are meant.
    length: f32,
    /// How unlike each other in length the messages are: 0 where people write in turn, 1 where they speak.
    pub(super) uneven: f32,
}

impl Pace {
    /// The pace of messages with so many tokens each.
    #[allow(clippy::cast_precision_loss, reason = "a text has few tokens, and there are few texts")]
    pub(super) fn of(tokens: impl Iterator<Item = u64>, constants: &Constants) -> Self {
        let (mut count, mut sum, mut squares) = (0.0_f32, 0.0_f32, 0.0_f32);
        for tokens in tokens {
            let tokens = (tokens as f32).min(TOKENS_MAX);
            count += 1.0;
            sum += tokens;
            squares += tokens * tokens;
        }
        let mean = (sum / count.max(1.0)).max(1.0);
        let deviation = (squares / count.max(1.0) - mean * mean).max(0.0).sqrt() / mean;
        let (even, uneven) = (constants.even, constants.uneven);
        Self { length: mean / USUAL_TOKENS, uneven: ((deviation - even) / (uneven - even)).clamp(0.0, 1.0) }
    }

    /// What is left of a sign after one step: the longer messages are, the fewer of them speak of the same.
    pub(super) fn decay(self, usual: f32) -> f32 {
        1.0 - ((1.0 - usual) * self.length).clamp(*LOSS.start(), *LOSS.end())
    }

    /// What lies between these two.
    pub(super) fn between(self, even: f32, uneven: f32) -> f32 {
        even + (uneven - even) * self.uneven
    }
}
