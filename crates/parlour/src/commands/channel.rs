//! `parlour channel`: makes, shows and changes channels.

use clap::{Args, Subcommand};
use parlour_agent::requests::NewChannel;
use parlour_core::{conversation::Visibility, name::Name};

use crate::{
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    session::Connection,
};

mod archive;
mod members;
mod subscribe;

use archive::{Archive, Unarchive};
use members::Members;
use subscribe::{Subscribe, Subscribers, Unsubscribe};

/// What can be done with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum Channel {
    Create(Create),
    List(List),
    Archive(Archive),
    Unarchive(Unarchive),
    Members(Members),
    Subscribers(Subscribers),
    Subscribe(Subscribe),
    Unsubscribe(Unsubscribe),
}

impl Channel {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Archive(command) => command.run().await,
            Self::Unarchive(command) => command.run().await,
            Self::Members(command) => command.run().await,
            Self::Subscribers(command) => command.run().await,
            Self::Subscribe(command) => command.run().await,
            Self::Unsubscribe(command) => command.run().await,
        }
    }
}

const CREATE_EXAMPLES: &str = "\
Examples:
  parlour channel create design --topic 'Mock-ups'
  parlour channel create board --private";

/// Make a channel
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct Create {
    /// The name, unique in the project
    name: Name,
    /// What is talked about
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// Only members of the channel see it, you first
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let visibility = if self.private { Visibility::Private } else { Visibility::Project };
        let request = NewChannel { project_id: project.id, name: self.name, topic: self.topic, visibility };
        let channel = session.client.create_channel(&request).await?;
        session.answer(&channel, |channel| {
            let next = session.next(&format!("parlour post {} 'Hello'", quoted(channel.name.as_str())));
            format!("Channel #{} was made in {} ({}).\n{next}", channel.name, project.name, channel.id)
        })
    }
}

/// List the channels of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel list --project Tour")]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
}

impl List {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let page = session.client.channels(&project.id).await?;
        session.answer(&page, |page| {
            let mut table = Table::new(&["id", "name", "state", "topic"]);
            for channel in &page.items {
                let state = match (channel.archived_at, channel.visibility) {
                    (Some(_), _) => "archived",
                    (None, Visibility::Private) => "private",
                    (None, Visibility::Project) => "open",
                };
                let name = format!("#{}", channel.name);
                table.row(&[channel.id.as_str(), &name, state, channel.topic.as_deref().unwrap_or_default()]);
            }
            table.render(session.style)
        })
    }
}
