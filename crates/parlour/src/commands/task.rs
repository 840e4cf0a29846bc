//! `parlour task`: shows the timeline of a task.

use clap::Subcommand;

use super::timeline::TaskTimeline;
use crate::{failure::Failure, output::Output};

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    Timeline(TaskTimeline),
}

impl TaskCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Timeline(command) => command.run().await,
        }
    }
}
