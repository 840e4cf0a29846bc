//! `parlour token`: issues, shows and ends tokens.

mod create;
mod list;
mod renew;
mod revoke;

use clap::Subcommand;

use crate::{failure::Failure, output::Output};

/// What can be done with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    Create(create::Create),
    List(list::List),
    Revoke(revoke::Revoke),
    Renew(renew::Renew),
}

impl Token {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Revoke(command) => command.run().await,
            Self::Renew(command) => command.run().await,
        }
    }
}
