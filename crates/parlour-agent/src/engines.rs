//! Engines: one file for each sort of agent.

mod asked;
mod echo;
mod exec;
mod guide;
mod known;
pub mod models;
mod transcript;

pub use asked::question_note;
pub use echo::EchoEngine;
pub use exec::{COMMAND_VARIABLES, ExecEngine, PromptBy};
pub use guide::GuideEngine;
pub use transcript::{TranscriptForm, transcript};
