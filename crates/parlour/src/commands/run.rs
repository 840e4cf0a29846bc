//! `parlour run`: turns of agents, for those who watch them and for scripts that are one.

mod checkpoint;
mod end;
mod handles;
mod injections;
mod list;
mod show;
mod start;

use clap::Subcommand;

use crate::{commands::timeline::RunTimeline, failure::Failure, output::Output};

/// What can be done with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Run {
    List(list::List),
    Show(show::Show),
    Timeline(RunTimeline),
    Injections(injections::Injections),
    Start(start::Start),
    Checkpoint(checkpoint::AtCheckpoint),
    Beat(checkpoint::Beat),
    Resume(checkpoint::Resume),
    Finish(end::Finish),
    Cancel(end::Cancel),
}

impl Run {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Show(command) => command.run().await,
            Self::Timeline(command) => command.run().await,
            Self::Injections(command) => command.run().await,
            Self::Start(command) => command.run().await,
            Self::Checkpoint(command) => command.run().await,
            Self::Beat(command) => command.run().await,
            Self::Resume(command) => command.run().await,
            Self::Finish(command) => command.run().await,
            Self::Cancel(command) => command.run().await,
        }
    }
}
