use parlour_core::write::{Archival, Write};
use proptest::{arbitrary::any, collection::vec, sample::select, strategy::Strategy};

/// The maximum number of steps of a sequence.
const STEPS_MAX: usize = 40;

/// The action of a step: one for each write, and for each variant of a write with another event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum WriteAction {
    CreateProject,
    UpdateProject,
    AddPerson,
    RemovePerson,
    /// Not a write to one project: it makes an event in each project of the person.
    RenamePerson,
    CreateAgent,
    UpdateAgent,
    CreateChannel,
    UpdateChannel,
    ArchiveChannel,
    UnarchiveChannel,
    AddChannelMember,
    RemoveChannelMember,
    Subscribe,
    Unsubscribe,
    CreateThread,
    CreateDm,
    PostMessage,
    /// A post with an author of another system and its own time.
    ImportMessage,
    EditMessage,
    FinishMessage,
    PassCall,
    RemoveMessage,
    React,
    Unreact,
    MarkRead,
    ReportDeliveries,
    SettleQuestion,
    StartRun,
    PauseRun,
    ResumeRun,
    EndRun,
    CreateTask,
    UpdateTask,
    CreateBatch,
    CreateArtifact,
}

impl WriteAction {
    /// All actions; those that create objects for others several times.
    pub(crate) const ALL: &[Self] = &[
        Self::CreateProject,
        Self::UpdateProject,
        Self::AddPerson,
        Self::AddPerson,
        Self::RemovePerson,
        Self::RenamePerson,
        Self::RenamePerson,
        Self::CreateAgent,
        Self::UpdateAgent,
        Self::CreateChannel,
        Self::CreateChannel,
        Self::UpdateChannel,
        Self::UpdateChannel,
        Self::UpdateChannel,
        Self::ArchiveChannel,
        Self::UnarchiveChannel,
        Self::UnarchiveChannel,
        Self::AddChannelMember,
        Self::AddChannelMember,
        Self::RemoveChannelMember,
        Self::RemoveChannelMember,
        Self::Subscribe,
        Self::Subscribe,
        Self::Unsubscribe,
        Self::CreateThread,
        Self::CreateThread,
        Self::CreateDm,
        Self::CreateDm,
        Self::PostMessage,
        Self::PostMessage,
        Self::PostMessage,
        Self::PostMessage,
        Self::PostMessage,
        Self::PostMessage,
        Self::ImportMessage,
        Self::ImportMessage,
        Self::EditMessage,
        Self::EditMessage,
        Self::FinishMessage,
        Self::FinishMessage,
        Self::PassCall,
        Self::PassCall,
        Self::RemoveMessage,
        Self::RemoveMessage,
        Self::React,
        Self::React,
        Self::Unreact,
        Self::MarkRead,
        Self::MarkRead,
        Self::MarkRead,
        Self::ReportDeliveries,
        Self::ReportDeliveries,
        Self::SettleQuestion,
        Self::SettleQuestion,
        Self::StartRun,
        Self::StartRun,
        Self::StartRun,
        Self::PauseRun,
        Self::PauseRun,
        Self::ResumeRun,
        Self::ResumeRun,
        Self::EndRun,
        Self::CreateTask,
        Self::CreateTask,
        Self::UpdateTask,
        Self::UpdateTask,
        Self::CreateBatch,
        Self::CreateArtifact,
        Self::CreateArtifact,
        Self::CreateArtifact,
    ];

    /// The action that makes this write. A new write does not compile until it has an action here.
    pub(crate) fn of(write: &Write) -> Self {
        match write {
            Write::CreateProject(_) => Self::CreateProject,
            Write::UpdateProject(_) => Self::UpdateProject,
            Write::AddPerson(_) => Self::AddPerson,
            Write::RemovePerson(_) => Self::RemovePerson,
            Write::CreateAgent(..) => Self::CreateAgent,
            Write::UpdateAgent(..) => Self::UpdateAgent,
            Write::CreateChannel(..) => Self::CreateChannel,
            Write::UpdateChannel(..) => Self::UpdateChannel,
            Write::ArchiveChannel(_, Archival::Archived) => Self::ArchiveChannel,
            Write::ArchiveChannel(_, Archival::Active) => Self::UnarchiveChannel,
            Write::AddChannelMember(_) => Self::AddChannelMember,
            Write::RemoveChannelMember(_) => Self::RemoveChannelMember,
            Write::Subscribe(_) => Self::Subscribe,
            Write::Unsubscribe(_) => Self::Unsubscribe,
            Write::CreateThread(_) => Self::CreateThread,
            Write::CreateDm(_) => Self::CreateDm,
            Write::PostMessage(new) if new.message.from.foreign_system().is_some() => Self::ImportMessage,
            Write::PostMessage(_) => Self::PostMessage,
            Write::EditMessage(..) => Self::EditMessage,
            Write::FinishMessage(..) => Self::FinishMessage,
            Write::PassCall(_) => Self::PassCall,
            Write::RemoveMessage(_) => Self::RemoveMessage,
            Write::React(..) => Self::React,
            Write::Unreact(..) => Self::Unreact,
            Write::MarkRead(..) => Self::MarkRead,
            Write::ReportDeliveries(_) => Self::ReportDeliveries,
            Write::SettleQuestion(..) => Self::SettleQuestion,
            Write::StartRun(_) => Self::StartRun,
            Write::PauseRun(..) => Self::PauseRun,
            Write::ResumeRun(..) => Self::ResumeRun,
            Write::EndRun(..) => Self::EndRun,
            Write::CreateTask(_) => Self::CreateTask,
            Write::UpdateTask(..) => Self::UpdateTask,
            Write::CreateBatch(_) => Self::CreateBatch,
            Write::CreateArtifact(_) => Self::CreateArtifact,
        }
    }
}

/// One step of a random sequence. Numbers pick members and objects, modulo the length of their list.
#[derive(Clone, Debug)]
pub(crate) struct WriteStep {
    pub(crate) action: WriteAction,
    /// The member that does it.
    pub(crate) by: u8,
    /// The object.
    pub(crate) what: u8,
    /// Other members, or a variant.
    pub(crate) bits: u8,
    /// Whether the resuming readers catch up after it.
    pub(crate) is_rest: bool,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<WriteStep>> {
    let step = (select(WriteAction::ALL), any::<u8>(), any::<u8>(), any::<u8>(), 0..6u8)
        .prop_map(|(action, by, what, bits, rest)| WriteStep { action, by, what, bits, is_rest: rest == 0 });
    vec(step, 1..STEPS_MAX)
}
