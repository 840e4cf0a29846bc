//! `parlour inbox`: what waits, in full, counted or in short, and marking it as read.

mod counts;
mod digest;
mod list;
mod read;

use clap::{Args, Subcommand};
use parlour_core::id::AgentId;

use crate::{failure::Failure, output::Output, session::Session};

/// Show what is unread
///
/// With the token of an agent: its unread messages, oldest first. With the token of a person: how many messages are
/// unread in each conversation of the project; with --mentions the messages that the person should not miss.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = list::EXAMPLES)]
pub(crate) struct Inbox {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: list::List,
}

#[derive(Debug, Subcommand)]
enum Command {
    Counts(counts::Counts),
    Digest(digest::Digests),
    Read(read::Read),
}

impl Inbox {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.list.run().await,
            Some(Command::Counts(command)) => command.run().await,
            Some(Command::Digest(command)) => command.run().await,
            Some(Command::Read(command)) => command.run().await,
        }
    }
}

/// The agent whose inbox is wanted; none for a person's own.
async fn owner(session: &Session, wanted: Option<&str>) -> Result<Option<AgentId>, Failure> {
    match wanted {
        Some(wanted) => Ok(Some(session.agent(wanted).await?)),
        None => Ok(session.client.me().await?.member_id.agent().cloned()),
    }
}

/// The same where only agents have what is wanted.
async fn agent_owner(session: &Session, wanted: Option<&str>) -> Result<AgentId, Failure> {
    owner(session, wanted).await?.ok_or_else(|| {
        Failure::usage("people have no inbox of their own, only a place in each conversation")
            .hint("`parlour inbox` for what you have not read, or --agent NAME for that of an agent")
    })
}
