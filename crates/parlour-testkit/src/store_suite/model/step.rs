use proptest::{collection::vec, prelude::any, prop_oneof, strategy::Strategy};

pub(super) const PEOPLE: usize = 3;
pub(super) const AGENTS: usize = 2;
pub(super) const CHANNELS: usize = 2;

/// The maximum length of a sequence.
const STEPS_MAX: usize = 40;

/// One step of a random sequence. Posts and rows are selected by a number, modulo their count.
#[derive(Clone, Debug)]
pub(super) enum ModelStep {
    /// A person posts to a channel, or starts a stream there, and calls the people and agents with these bits.
    Post { author: usize, channel: usize, called: u8, is_stream: bool },
    /// A stream ends with a text that calls the people and agents with these bits.
    FinishOutcome { post: usize, called: u8 },
    /// The author of an earlier post sends it again.
    Retry { post: usize },
    /// Another author sends the same text with the same id.
    Steal { post: usize },
    /// A person reads a message.
    PersonReads { person: usize, post: usize },
    /// An agent reads a message of its inbox.
    AgentReads { agent: usize, row: usize },
    /// An agent answers a message, with or without a call.
    Answer { agent: usize, post: usize, is_stream: bool },
    /// An agent passes a call.
    Pass { agent: usize, post: usize },
    /// A message is removed.
    Remove { post: usize },
}

/// Sequences in which posts are most frequent, so that the other steps find messages.
pub(super) fn steps() -> impl Strategy<Value = Vec<ModelStep>> {
    let pick = || 0..STEPS_MAX;
    let step = prop_oneof![
        4 => (0..PEOPLE, 0..CHANNELS, any::<u8>(), any::<bool>())
            .prop_map(|(author, channel, called, is_stream)| ModelStep::Post { author, channel, called, is_stream }),
        2 => (pick(), any::<u8>()).prop_map(|(post, called)| ModelStep::FinishOutcome { post, called }),
        1 => pick().prop_map(|post| ModelStep::Retry { post }),
        1 => pick().prop_map(|post| ModelStep::Steal { post }),
        2 => (0..PEOPLE, pick()).prop_map(|(person, post)| ModelStep::PersonReads { person, post }),
        2 => (0..AGENTS, pick()).prop_map(|(agent, row)| ModelStep::AgentReads { agent, row }),
        3 => (0..AGENTS, pick(), any::<bool>())
            .prop_map(|(agent, post, is_stream)| ModelStep::Answer { agent, post, is_stream }),
        2 => (0..AGENTS, pick()).prop_map(|(agent, post)| ModelStep::Pass { agent, post }),
        1 => pick().prop_map(|post| ModelStep::Remove { post }),
    ];
    vec(step, 1..STEPS_MAX)
}
