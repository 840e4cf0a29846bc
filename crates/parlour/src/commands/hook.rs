//! `parlour hook`: brings messages to coding agents between their steps.

use clap::{Args, Subcommand, ValueEnum};
use parlour_agent::hooks::tool::Tool;
use serde::{Deserialize, Serialize};

use crate::{failure::Failure, output::Output};

mod as_agent;
mod change;
mod confirm;
mod difference;
mod identity;
mod install;
mod journal;
mod lens;
mod places;
mod profile;
mod records;
mod run;
mod session_file;
mod settings_file;
mod status;
mod uninstall;

/// Bring messages to a coding agent between its steps
#[derive(Args, Debug)]
pub(crate) struct Hook {
    #[command(subcommand)]
    command: Command,
}

/// What can be done with hooks.
#[derive(Debug, Subcommand)]
enum Command {
    Install(install::Install),
    Status(status::Status),
    Uninstall(uninstall::Uninstall),
    Run(run::Run),
    As(as_agent::AsAgent),
}

/// For whom a hook is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// All sessions of this user.
    User,
    /// Sessions in this folder.
    Project,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Hook {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            Command::Install(command) => command.run().await,
            Command::Status(command) => command.run().await,
            Command::Uninstall(command) => command.run().await,
            Command::Run(command) => command.run().await,
            Command::As(command) => command.run(),
        }
    }
}

/// The tools, for the command line.
fn tool(text: &str) -> Result<Tool, String> {
    text.parse()
}
