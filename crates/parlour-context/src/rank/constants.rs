//! The constants of ranking, and how they adapt to the message lengths of a conversation.

/// The constants of ranking. [`RankConstants::default`] is used; other values are for evaluation.
///
/// Some come in pairs, for conversations with messages of even and of uneven length; ranking interpolates between them.
#[derive(Clone, Debug, PartialEq)]
pub struct RankConstants {
    /// BM25 term saturation.
    pub k1: f32,
    /// BM25 length normalisation.
    pub b: f32,
    /// Exponent of the inverse document frequency.
    pub rarity: f32,
    /// Messages of a passage: with uneven lengths, rarity is measured in passages.
    pub passage_len: u32,
    /// Contribution of adjacent messages.
    pub near: CarryRange,
    /// Contribution of the surrounding passage.
    pub wide: CarryRange,
    /// Weight of surrounding scores at uneven lengths; 0 at even lengths.
    pub passage_uneven: f32,
    /// What remains of a score at each step.
    pub passage_decay: f32,
    /// Weight of query expansion.
    pub more: f32,
    /// The same at uneven lengths.
    pub more_uneven: f32,
    /// Weight of a word of the task.
    pub task: f32,
    /// Weight of a word that is a sender's name.
    pub name: f32,
    /// Weight of a word about speaking, as in "summarise what they said".
    pub talk: f32,
    /// Bonus of messages whose sender is named.
    pub named: f32,
    /// The same at uneven lengths.
    pub named_uneven: f32,
    /// Bonus of messages with a time, if the query asks for one.
    pub timed: f32,
    /// Factor of questions.
    pub question: f32,
    /// Relative deviation of message lengths up to which they count as even.
    pub even: f32,
    /// Relative deviation from which they count as fully uneven, as in speech.
    pub uneven: f32,
}

/// How far word scores are carried along a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct CarryRange {
    /// Weight of the carried score.
    pub weight: f32,
    /// Factor for later messages: an answer follows its question.
    pub forward: f32,
    /// What remains at each step.
    pub decay: f32,
    /// Saturation.
    pub enough: f32,
}

impl Default for RankConstants {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            rarity: 1.5,
            passage_len: 10,
            near: CarryRange { weight: 0.42, forward: 1.5, decay: 0.6, enough: 6.0 },
            wide: CarryRange { weight: 0.27, forward: 1.0, decay: 0.945, enough: 1.3 },
            passage_uneven: 1.0,
            passage_decay: 0.8,
            more: 0.05,
            more_uneven: 0.25,
            task: 0.25,
            name: 0.3,
            talk: 0.4,
            named: 0.9,
            named_uneven: 0.35,
            timed: 0.5,
            question: 0.9,
            even: 0.5,
            uneven: 1.0,
        }
    }
}

/// Mean tokens of messages for which the decays are calibrated.
const USUAL_TOKENS: f32 = 30.0;
/// Longer texts count as this long: a pasted log is no speech.
const TOKENS_MAX: f32 = 200.0;
/// Bounds of the loss per step.
const LOSS: std::ops::RangeInclusive<f32> = 0.01..=0.5;

/// The lengths of the messages, which tell chat from speech.
///
/// In a chat each message has one thought and about the same length. In transcribed speech a few long messages stand
/// among many short ones, and the passage matters more than the message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LengthProfile {
    /// Mean tokens as a share of the calibrated ones.
    length: f32,
    /// From 0 for chat to 1 for speech.
    pub(super) uneven: f32,
}

impl LengthProfile {
    #[allow(clippy::cast_precision_loss, reason = "a text has few tokens, and there are few texts")]
    pub(super) fn of(tokens: impl Iterator<Item = u64>, constants: &RankConstants) -> Self {
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

    /// The decay per step: longer messages share a subject over fewer steps.
    pub(super) fn decay(self, usual: f32) -> f32 {
        1.0 - ((1.0 - usual) * self.length).clamp(*LOSS.start(), *LOSS.end())
    }

    /// Interpolates between the values for even and uneven lengths.
    pub(super) fn between(self, even: f32, uneven: f32) -> f32 {
        even + (uneven - even) * self.uneven
    }
}
