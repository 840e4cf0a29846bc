//! The requests of callers that have no module of their own; one file for each subject.

mod artifacts;
mod channels;
mod checkpoints;
mod conversations;
mod deliveries;
mod edit_message;
mod history;
mod imports;
mod inbox;
mod loop_guard;
mod post_message;
mod projects;
mod questions;
mod read_messages;
mod runs;
mod tasks;

pub use artifacts::{ArtifactDownload, NewArtifact};
pub use channels::NewChannel;
pub use checkpoints::BlockingNotice;
pub use conversations::{OpenDm, OpenThread, OpenedDm};
pub use deliveries::{DeliveryWait, ReportDeliveries};
pub use edit_message::EditMessage;
pub use history::{HistoryMark, HistoryQuery, SearchHit};
pub use loop_guard::GuardStop;
pub use post_message::Posted;
pub use projects::NewProject;
pub use questions::QuestionQuery;
pub use read_messages::{ReadMessages, ReadOutcome};
pub use tasks::{NewBatch, NewTask, TaskService};

pub(crate) use artifacts::ArtifactService;
pub(crate) use conversations::ConversationService;
pub(crate) use history::HistoryService;
pub(crate) use inbox::InboxService;
pub(crate) use post_message::MessageService;
pub(crate) use projects::ProjectService;
pub(crate) use questions::QuestionBoard;
pub(crate) use runs::RunService;

pub use crate::{
    accounts::{
        Credential, FirstStart, IssueToken, IssuedToken, Join, Joined, NewAgent, NewInvite, NewPerson, SignedIn,
        TokenFormat,
    },
    context::{BuiltContext, ContextWriter, WrittenPack},
    streams::{FinishedStream, StreamLease},
};
