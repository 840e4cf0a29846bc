//! `parlour channel archive` and `unarchive`: whether a channel can be written to.

use clap::Args;

use crate::{failure::Failure, output::Output, session::Connection};

/// Make a channel read-only
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel archive design")]
pub(crate) struct Archive {
    /// The channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl Archive {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.channel(&self.channel).await?.id;
        let channel = session.client.archive_channel(&id).await?;
        session.answer(&channel, |channel| format!("#{} is archived: it can only be read.\n", channel.name))
    }
}

/// Make a channel writable again
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel unarchive design")]
pub(crate) struct Unarchive {
    /// The channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl Unarchive {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.channel(&self.channel).await?.id;
        let channel = session.client.unarchive_channel(&id).await?;
        session.answer(&channel, |channel| format!("#{} can be written to again.\n", channel.name))
    }
}
