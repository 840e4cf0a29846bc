//! One file for each thing a caller can do, or for a few that belong together.

mod agents;
mod artifacts;
mod batches;
mod channel_members;
mod channels;
mod dms;
mod edit_message;
mod first_start;
mod history;
mod inbox;
mod people;
mod post_message;
mod project_people;
mod projects;
mod reactions;
mod ready;
mod search;
mod see;
mod sign_in;
mod tasks;
mod threads;

pub use agents::NewAgent;
pub use artifacts::{ArtifactDownload, NewArtifact};
pub use batches::NewBatch;
pub use channels::NewChannel;
pub use dms::{OpenDm, OpenedDm};
pub use edit_message::EditMessage;
pub use first_start::FirstStart;
pub use history::{HistoryMark, HistoryQuery};
pub use people::NewPerson;
pub use post_message::Posted;
pub use projects::NewProject;
pub use search::SearchHit;
pub use tasks::NewTask;
pub use threads::OpenThread;
