//! `parlour task`: what became of a piece of work.

use clap::Subcommand;

use super::timeline::TaskTimeline;
use crate::{failure::Failure, output::Output};

/// What can be done with tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    Timeline(TaskTimeline),
}

impl Task {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Timeline(command) => command.run().await,
        }
    }
}
