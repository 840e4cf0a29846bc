//! Random stories: what is done, in the open or where the readers are not.

use proptest::{arbitrary::any, collection::vec, sample::select, strategy::Strategy};

/// How many steps a story has at the most.
const STEPS_MAX: usize = 36;

/// Where a step happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Side {
    /// Where all members of the project read.
    Open,
    /// In a private channel, its threads, or a dm.
    Hidden,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Act {
    MakeChannel,
    OpenThread,
    OpenDm,
    Post,
    /// An agent answers a message.
    Answer,
    /// An agent says that it does not answer.
    Pass,
    /// A person lifts the loop guard.
    Lift,
    /// Somebody asks a blocking question.
    Ask,
    /// Somebody answers one.
    Settle,
    /// An agent begins a run.
    Begin,
    /// It asks whether it may go on, or ends it.
    Check,
    /// It is given a pack for its run.
    Give,
    Stream,
    Chunk,
    BeginStep,
    Finish,
    Edit,
    Remove,
    React,
    Unreact,
    MarkRead,
    Upload,
    Archive,
    Unarchive,
    Retopic,
    Subscribe,
    Unsubscribe,
    Seat,
    Unseat,
    Type,
    GiveTask,
    MoveTask,
    Announce,
    Withdraw,
    Rest,
    /// A private channel becomes open to all: only in stories whose readers lose something.
    Disclose,
    /// It becomes private again.
    Close,
}

impl Act {
    /// What can happen to readers who never see what is hidden; the more frequent ones several times.
    pub(crate) const UNSEEN: &[Self] = &[
        Self::MakeChannel,
        Self::OpenThread,
        Self::OpenThread,
        Self::OpenDm,
        Self::Post,
        Self::Post,
        Self::Post,
        Self::Post,
        Self::Answer,
        Self::Answer,
        Self::Answer,
        Self::Pass,
        Self::Lift,
        Self::Ask,
        Self::Ask,
        Self::Settle,
        Self::Begin,
        Self::Check,
        Self::Check,
        Self::Give,
        Self::Give,
        Self::Stream,
        Self::Stream,
        Self::Chunk,
        Self::Chunk,
        Self::BeginStep,
        Self::Finish,
        Self::Edit,
        Self::Remove,
        Self::React,
        Self::React,
        Self::Unreact,
        Self::MarkRead,
        Self::Upload,
        Self::Upload,
        Self::Archive,
        Self::Unarchive,
        Self::Retopic,
        Self::Subscribe,
        Self::Unsubscribe,
        Self::Seat,
        Self::Seat,
        Self::Unseat,
        Self::Type,
        Self::GiveTask,
        Self::GiveTask,
        Self::MoveTask,
        Self::Announce,
        Self::Withdraw,
        Self::Rest,
    ];

    /// What can happen to readers who see it for a while.
    pub(crate) fn lost() -> Vec<Self> {
        let comings = [Self::Seat, Self::Seat, Self::Seat, Self::Unseat, Self::Disclose, Self::Close, Self::Close];
        [Self::UNSEEN, &comings].concat()
    }

    /// Whether all see it, wherever it happens: work and presence are shared, and a task only hides its thread.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::GiveTask | Self::MoveTask | Self::Announce | Self::Withdraw | Self::Rest)
    }
}

/// One step. Members and things are picked by numbers, modulo what there is.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) act: Act,
    pub(crate) side: Side,
    /// Who does it.
    pub(crate) by: u8,
    /// On what.
    pub(crate) what: u8,
    /// With whom, or how.
    pub(crate) bits: u8,
}

impl Step {
    const fn new(act: Act, side: Side) -> Self {
        Self { act, side, by: 0, what: 0, bits: 0 }
    }
}

/// With what every story begins, so that there is something of each sort on both sides.
pub(crate) const BEGINNING: &[Step] = &[
    Step::new(Act::MakeChannel, Side::Open),
    Step::new(Act::MakeChannel, Side::Hidden),
    Step { bits: 3, ..Step::new(Act::Seat, Side::Hidden) },
    Step::new(Act::Post, Side::Open),
    Step::new(Act::Post, Side::Hidden),
    Step::new(Act::OpenThread, Side::Open),
    Step::new(Act::OpenThread, Side::Hidden),
    Step::new(Act::OpenDm, Side::Hidden),
    // Coder is called in private, and then speaks in the open.
    Step { bits: 1, ..Step::new(Act::OpenDm, Side::Hidden) },
    Step::new(Act::Answer, Side::Open),
    Step::new(Act::Begin, Side::Open),
    Step::new(Act::Begin, Side::Hidden),
    Step::new(Act::Give, Side::Open),
    Step::new(Act::Give, Side::Hidden),
    Step::new(Act::Ask, Side::Open),
    Step::new(Act::Ask, Side::Hidden),
    Step::new(Act::Check, Side::Open),
    Step::new(Act::Check, Side::Hidden),
];

/// Stories of any of these acts; more of it happens where the readers are not.
pub(crate) fn stories(acts: Vec<Act>) -> impl Strategy<Value = Vec<Step>> {
    let step = (select(acts), 0..5u8, any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(act, side, by, what, bits)| {
        let side = if side < 2 { Side::Open } else { Side::Hidden };
        Step { act, side, by, what, bits }
    });
    vec(step, 1..STEPS_MAX)
}
