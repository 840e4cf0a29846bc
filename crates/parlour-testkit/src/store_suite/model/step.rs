use proptest::{collection::vec, prelude::any, prop_oneof, strategy::Strategy};

pub(super) const PEOPLE: usize = 3;
pub(super) const AGENTS: usize = 2;
pub(super) const CHANNELS: usize = 2;

/// How many steps a sequence has at the most.
const STEPS_MAX: usize = 40;

/// One step of a random sequence. Posts and rows are picked by a number, modulo what there is.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A person posts into a channel, or begins a stream there, and calls the people and agents with these bits.
    Post { author: usize, channel: usize, called: u8, is_stream: bool },
    /// The stream of a message ends with a text that calls these.
    Finish { post: usize, called: u8 },
    /// The author of an earlier post sends it again.
    Retry { post: usize },
    /// Somebody else sends the same under its id.
    Steal { post: usize },
    /// A person reads a message.
    PersonReads { person: usize, post: usize },
    /// An agent reads something in its inbox.
    AgentReads { agent: usize, row: usize },
    /// An agent answers a message, whether that has called it or not.
    Answer { agent: usize, post: usize, is_stream: bool },
    /// An agent says that it does not answer a message.
    Pass { agent: usize, post: usize },
    /// A message is removed.
    Remove { post: usize },
}

/// Sequences in which posts are the most frequent, so that the rest has something to work on.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pick = || 0..STEPS_MAX;
    let step = prop_oneof![
        4 => (0..PEOPLE, 0..CHANNELS, any::<u8>(), any::<bool>())
            .prop_map(|(author, channel, called, is_stream)| Step::Post { author, channel, called, is_stream }),
        2 => (pick(), any::<u8>()).prop_map(|(post, called)| Step::Finish { post, called }),
        1 => pick().prop_map(|post| Step::Retry { post }),
        1 => pick().prop_map(|post| Step::Steal { post }),
        2 => (0..PEOPLE, pick()).prop_map(|(person, post)| Step::PersonReads { person, post }),
        2 => (0..AGENTS, pick()).prop_map(|(agent, row)| Step::AgentReads { agent, row }),
        3 => (0..AGENTS, pick(), any::<bool>())
            .prop_map(|(agent, post, is_stream)| Step::Answer { agent, post, is_stream }),
        2 => (0..AGENTS, pick()).prop_map(|(agent, post)| Step::Pass { agent, post }),
        1 => pick().prop_map(|post| Step::Remove { post }),
    ];
    vec(step, 1..STEPS_MAX)
}
