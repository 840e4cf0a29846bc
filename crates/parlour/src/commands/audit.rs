//! `parlour audit`: shows, exports and verifies the audit log.

mod export;
mod lines;
mod list;
mod verify;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be done with the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    List(list::List),
    Export(export::Export),
    Verify(verify::Verify),
}

impl Audit {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Export(command) => command.run().await,
            Self::Verify(command) => command.run().await,
        }
    }
}
