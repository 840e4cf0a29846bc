//! The engines: commands, models, the guide and the echo.

mod echo;
mod exec;
mod guide;
pub mod models;
mod prompt_notes;
mod transcript;

pub use echo::EchoEngine;
pub use exec::{COMMAND_VARIABLES, ExecEngine, PromptBy};
pub use guide::GuideEngine;
pub use prompt_notes::question_note;
pub use transcript::{TranscriptForm, transcript};
