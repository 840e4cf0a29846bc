//! `parlour invite`: lets agents on other machines join.

mod create;
mod list;
mod revoke;

use clap::{Args, Subcommand};

use crate::{failure::Failure, output::Output};

/// Invite an agent from another machine into the project
///
/// Shows one line to type there. It works for one agent and one day, unless told otherwise.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = create::EXAMPLES)]
pub(crate) struct Invite {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    create: create::Create,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Revoke(revoke::Revoke),
}

impl Invite {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.create.run().await,
            Some(Command::List(command)) => command.run().await,
            Some(Command::Revoke(command)) => command.run().await,
        }
    }
}
