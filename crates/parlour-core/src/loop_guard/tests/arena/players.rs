//! How the agents of an arena behave. None of them ever means to stop.

use crate::cause::ClaimedCause;

/// Whom an agent mentions in what it writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mentioning {
    /// The next one, so that they form a ring.
    Next,
    /// All, itself included.
    Everyone,
    /// Itself.
    Itself,
    /// Whoever has called it.
    Caller,
}

/// What an agent says that it replies to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Replying {
    /// The message that has called it, as it should.
    Call,
    /// Nothing.
    Nothing,
    /// A person's first message, to look as if it was asked by that.
    First,
}

/// What an agent writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wording {
    /// Something else each time.
    Fresh,
    /// The same each time.
    Thanks,
}

/// An agent of an arena.
#[derive(Clone, Debug)]
pub(super) struct Player {
    pub(super) mentioning: Mentioning,
    pub(super) replying: Replying,
    pub(super) wording: Wording,
    /// How many messages it writes for each call.
    pub(super) messages: usize,
    /// How many conversations further it answers.
    pub(super) shift: usize,
    /// What it says of its own chain.
    pub(super) claim: Option<ClaimedCause>,
}

impl Player {
    /// One that answers properly and calls the next.
    pub(super) fn in_a_ring() -> Self {
        Self {
            mentioning: Mentioning::Next,
            replying: Replying::Call,
            wording: Wording::Fresh,
            messages: 1,
            shift: 0,
            claim: None,
        }
    }
}
