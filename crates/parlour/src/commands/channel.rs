//! `parlour channel`: creates, lists and manages channels.

use clap::{Args, Subcommand};
use parlour_agent::requests::NewChannel;
use parlour_core::{
    conversation::{Channel, Visibility},
    id::{AgentId, MemberId},
    name::Name,
    paging::Page,
};

use crate::{
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    resolve::label,
    session::{Connection, Session},
};

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelCommand {
    Create(ChannelCreate),
    List(ChannelList),
    Archive(ChannelArchive),
    Unarchive(ChannelUnarchive),
    Members(ChannelMembers),
    Subscribers(ChannelSubscribers),
    Subscribe(ChannelSubscribe),
    Unsubscribe(ChannelUnsubscribe),
}

impl ChannelCommand {
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

/// Create a channel
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct ChannelCreate {
    /// Name, unique in the project
    name: Name,
    /// Topic of the channel
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// Make the channel private; you are its first member
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelCreate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let visibility = if self.private { Visibility::Private } else { Visibility::Project };
        let request = NewChannel { project_id: project.id, name: self.name, topic: self.topic, visibility };
        let channel = session.client.create_channel(&request).await?;
        session.answer(&channel, |channel| {
            let next = session.next(&format!("parlour post {} 'Hello'", quoted(channel.name.as_str())));
            format!("Channel #{} was created in {} ({}).\n{next}", channel.name, project.name, channel.id)
        })
    }
}

/// List the channels of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel list --project Tour")]
pub(crate) struct ChannelList {
    #[command(flatten)]
    connection: Connection,
}

impl ChannelList {
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

/// Archive a channel: it becomes read-only
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel archive design")]
pub(crate) struct ChannelArchive {
    /// Channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelArchive {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.channel(&self.channel).await?.id;
        let channel = session.client.archive_channel(&id).await?;
        session.answer(&channel, |channel| format!("#{} is archived (read-only).\n", channel.name))
    }
}

/// Unarchive a channel: members can post again
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel unarchive design")]
pub(crate) struct ChannelUnarchive {
    /// Channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelUnarchive {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.channel(&self.channel).await?.id;
        let channel = session.client.unarchive_channel(&id).await?;
        session.answer(&channel, |channel| format!("#{} is no longer archived.\n", channel.name))
    }
}

const MEMBERS_EXAMPLES: &str = "\
Examples:
  parlour channel members board
  parlour channel members board --add Mara --add Coder
  parlour channel members board --remove Coder";

/// List or change the members of a private channel
///
/// An open channel has no member list: every member of the project can read it.
#[derive(Args, Debug)]
#[command(after_help = MEMBERS_EXAMPLES)]
pub(crate) struct ChannelMembers {
    /// Channel, by name or id
    channel: String,
    /// Add a member, by name or id; can be repeated
    #[arg(long, value_name = "MEMBER")]
    add: Vec<String>,
    /// Remove a member, by name or id; can be repeated
    #[arg(long, value_name = "MEMBER")]
    remove: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelMembers {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let (id, project) = (&channel.id, &channel.project_id);
        for member in &self.add {
            session.client.add_channel_member(id, &session.member_in(project, member).await?).await?;
        }
        for member in &self.remove {
            session.client.remove_channel_member(id, &session.member_in(project, member).await?).await?;
        }
        let members = session.client.channel_members(id).await?;
        let names = session.members_of(project).await?;
        session.answer(&members, |members| show_members(&session, &names, members))
    }
}

/// Members that left the project have no name.
fn show_members(session: &Session, names: &[(MemberId, Name)], members: &Page<MemberId>) -> String {
    if members.items.is_empty() {
        return "This channel is open to all members of the project.\n".to_owned();
    }
    let mut table = Table::new(&["id", "name"]);
    for id in &members.items {
        let name = names.iter().find(|(member, _)| member == id).map_or("–", |(_, name)| name.as_str());
        table.row(&[id.as_str(), name]);
    }
    table.render(session.style)
}

/// List the agents that subscribe to a channel
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel subscribers general")]
pub(crate) struct ChannelSubscribers {
    /// Channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelSubscribers {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let page = session.client.subscribers(&channel.id).await?;
        let agents = session.client.agents(&channel.project_id).await?.items;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                return "No agent subscribes to this channel.\n".to_owned();
            }
            let mut table = Table::new(&["id", "name"]);
            for id in &page.items {
                let name = agents.iter().find(|agent| agent.id == *id).map_or("–", |agent| agent.name.as_str());
                table.row(&[id.as_str(), name]);
            }
            table.render(session.style)
        })
    }
}

/// Subscribe an agent to a channel: its inbox receives every message
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel subscribe general Coder")]
pub(crate) struct ChannelSubscribe {
    /// Channel, by name or id
    channel: String,
    /// Agent, by name or id; default: the owner of the token
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelSubscribe {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let agent = subscribing_agent(&session, &channel, self.agent.as_deref()).await?;
        let subscription = session.client.subscribe(&channel.id, &agent).await?;
        let name = self.agent.as_deref().unwrap_or(agent.as_str());
        session.answer(&subscription, |_| format!("{name} subscribed to {}.\n", label(&channel)))
    }
}

/// Unsubscribe an agent from a channel
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel unsubscribe general Coder")]
pub(crate) struct ChannelUnsubscribe {
    /// Channel, by name or id
    channel: String,
    /// Agent, by name or id; default: the owner of the token
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ChannelUnsubscribe {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let agent = subscribing_agent(&session, &channel, self.agent.as_deref()).await?;
        session.client.unsubscribe(&channel.id, &agent).await?;
        let done = serde_json::json!({ "channel_id": channel.id, "agent_id": agent });
        let name = self.agent.as_deref().unwrap_or(agent.as_str());
        session.answer(&done, |_| format!("{name} unsubscribed from {}.\n", label(&channel)))
    }
}

/// The given agent, or the agent of the token.
async fn subscribing_agent(session: &Session, channel: &Channel, wanted: Option<&str>) -> Result<AgentId, Failure> {
    if let Some(wanted) = wanted {
        return session.agent_in(&channel.project_id, wanted).await;
    }
    let me = session.client.me().await?;
    me.member_id.agent().cloned().ok_or_else(|| {
        Failure::usage("the token belongs to a person and only agents subscribe; pass the name of an agent")
    })
}
