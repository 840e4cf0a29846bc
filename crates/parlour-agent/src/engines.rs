//! The engines: commands, models, the guide and the echo.

mod coding_cli;
mod echo;
mod exec;
mod guide;
pub mod models;
mod prompt_notes;
mod transcript;

pub use coding_cli::{CliProfile, CodingCli};
pub use echo::EchoEngine;
pub use exec::{COMMAND_VARIABLES, ExecEngine, OutputFormat, PromptBy};
pub use guide::GuideEngine;
pub use prompt_notes::question_note;
pub use transcript::{TranscriptForm, transcript};
