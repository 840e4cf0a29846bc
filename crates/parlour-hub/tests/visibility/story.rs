//! Random stories of steps in open and hidden conversations.

use proptest::{arbitrary::any, collection::vec, sample::select, strategy::Strategy};

/// The maximum number of steps of a story.
const STEPS_MAX: usize = 36;

/// The conversations in which a step happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum StepVisibility {
    /// Open to all members of the project.
    Open,
    /// A private channel, its threads, or a DM.
    Hidden,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum StoryAction {
    MakeChannel,
    OpenThread,
    OpenDm,
    Post,
    /// An agent answers a message.
    Answer,
    /// An agent passes on a call.
    Pass,
    /// A person resets the loop guard.
    Lift,
    /// A member asks a blocking question.
    Ask,
    /// A member answers a blocking question.
    Settle,
    /// An agent begins a run.
    Begin,
    /// It calls a checkpoint, resumes or finishes the run.
    Check,
    /// It gets a pack for its run.
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
    AddMember,
    RemoveMember,
    Type,
    GiveTask,
    MoveTask,
    Announce,
    Withdraw,
    Rest,
    /// A private channel becomes open to all: only in stories whose readers lose access.
    Disclose,
    /// It becomes private again.
    Close,
}

impl StoryAction {
    /// Actions of stories whose readers never have access; frequent ones several times.
    pub(crate) const WITHOUT_ACCESS: &[Self] = &[
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
        Self::AddMember,
        Self::AddMember,
        Self::RemoveMember,
        Self::Type,
        Self::GiveTask,
        Self::GiveTask,
        Self::MoveTask,
        Self::Announce,
        Self::Withdraw,
        Self::Rest,
    ];

    /// Actions of stories whose readers have access for a while.
    pub(crate) fn with_lost_access() -> Vec<Self> {
        let access_changes = [
            Self::AddMember,
            Self::AddMember,
            Self::AddMember,
            Self::RemoveMember,
            Self::Disclose,
            Self::Close,
            Self::Close,
        ];
        [Self::WITHOUT_ACCESS, &access_changes].concat()
    }

    /// Whether all members see it: tasks and presence are shared, and a task only hides its thread.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::GiveTask | Self::MoveTask | Self::Announce | Self::Withdraw | Self::Rest)
    }
}

/// One step. Numbers pick members and objects, modulo the length of their list.
#[derive(Clone, Debug)]
pub(crate) struct StoryStep {
    pub(crate) act: StoryAction,
    pub(crate) side: StepVisibility,
    /// The member that does it.
    pub(crate) by: u8,
    /// The object.
    pub(crate) what: u8,
    /// Other members, or a variant.
    pub(crate) bits: u8,
}

impl StoryStep {
    const fn new(act: StoryAction, side: StepVisibility) -> Self {
        Self { act, side, by: 0, what: 0, bits: 0 }
    }
}

/// The first steps of every story, so that both sides have objects of each kind.
pub(crate) const BEGINNING: &[StoryStep] = &[
    StoryStep::new(StoryAction::MakeChannel, StepVisibility::Open),
    StoryStep::new(StoryAction::MakeChannel, StepVisibility::Hidden),
    StoryStep { bits: 3, ..StoryStep::new(StoryAction::AddMember, StepVisibility::Hidden) },
    StoryStep::new(StoryAction::Post, StepVisibility::Open),
    StoryStep::new(StoryAction::Post, StepVisibility::Hidden),
    StoryStep::new(StoryAction::OpenThread, StepVisibility::Open),
    StoryStep::new(StoryAction::OpenThread, StepVisibility::Hidden),
    StoryStep::new(StoryAction::OpenDm, StepVisibility::Hidden),
    // Coder is called in a DM, and then posts in an open channel.
    StoryStep { bits: 1, ..StoryStep::new(StoryAction::OpenDm, StepVisibility::Hidden) },
    StoryStep::new(StoryAction::Answer, StepVisibility::Open),
    StoryStep::new(StoryAction::Begin, StepVisibility::Open),
    StoryStep::new(StoryAction::Begin, StepVisibility::Hidden),
    StoryStep::new(StoryAction::Give, StepVisibility::Open),
    StoryStep::new(StoryAction::Give, StepVisibility::Hidden),
    StoryStep::new(StoryAction::Ask, StepVisibility::Open),
    StoryStep::new(StoryAction::Ask, StepVisibility::Hidden),
    StoryStep::new(StoryAction::Check, StepVisibility::Open),
    StoryStep::new(StoryAction::Check, StepVisibility::Hidden),
];

/// Stories of these actions; three of five steps are hidden.
pub(crate) fn stories(acts: Vec<StoryAction>) -> impl Strategy<Value = Vec<StoryStep>> {
    let step = (select(acts), 0..5u8, any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(act, side, by, what, bits)| {
        let side = if side < 2 { StepVisibility::Open } else { StepVisibility::Hidden };
        StoryStep { act, side, by, what, bits }
    });
    vec(step, 1..STEPS_MAX)
}
