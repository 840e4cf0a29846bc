//! What the events of all providers come down to.

/// One thing that an event of a provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A further part of the answer.
    Text(String),
    /// A part of the model's own words why it does not answer.
    Refusal(String),
    /// The model wants a tool of this name.
    Tool(String),
    /// The model, as the provider names it.
    Model(String),
    /// What was counted so far.
    Count(Count),
    /// The answer has ended, and how. Numbers may follow.
    Finish(Finish),
    /// The stream has ended.
    End,
    /// The provider gives up.
    Error(Refused),
}

/// Tokens as far as a provider has counted them; later numbers replace earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Tokens that the model was given.
    pub(super) input: Option<u64>,
    /// Those of them that the provider had kept from before.
    pub(super) cached: Option<u64>,
    /// Tokens that it wrote.
    pub(super) output: Option<u64>,
}

impl Count {
    /// These numbers where they are known, the earlier ones elsewhere.
    pub(super) fn or(self, earlier: Self) -> Self {
        Self {
            input: self.input.or(earlier.input),
            cached: self.cached.or(earlier.cached),
            output: self.output.or(earlier.output),
        }
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// How a model's answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// It is whole.
    Whole,
    /// It was as long as an answer may be.
    Length,
    /// The conversation and the answer together were too long for the model.
    Full,
    /// A filter of the provider stopped it, for this reason.
    Filtered(String),
    /// The model refused to go on.
    Refused,
    /// In another way, in the provider's word.
    Other(String),
}

/// A provider's no, as far as it told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refused {
    /// The status, or the number that stands for it inside of a stream.
    pub(super) status: Option<u16>,
    /// The provider's word for the sort of error.
    pub(super) sort: String,
    /// The provider's sentence.
    pub(super) message: String,
    /// How many milliseconds to wait, if the provider says so.
    pub(super) wait_ms: Option<u64>,
}
