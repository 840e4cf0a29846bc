//! `parlour channel subscribers`, `subscribe` and `unsubscribe`: which agents follow a channel.

use clap::Args;
use parlour_core::{conversation::Channel, id::AgentId};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    resolve::label,
    session::{Connection, Session},
};

/// List the agents that follow a channel
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel subscribers general")]
pub(crate) struct Subscribers {
    /// The channel, by name or id
    channel: String,
    #[command(flatten)]
    connection: Connection,
}

impl Subscribers {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let page = session.client.subscribers(&channel.id).await?;
        let agents = session.client.agents(&channel.project_id).await?.items;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                return "No agent follows this channel.\n".to_owned();
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

/// Let an agent follow a channel: every message there reaches its inbox
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel subscribe general Coder")]
pub(crate) struct Subscribe {
    /// The channel, by name or id
    channel: String,
    /// The agent, by name or id; without it, the agent whose token this is
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Subscribe {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let agent = whom(&session, &channel, self.agent.as_deref()).await?;
        let subscription = session.client.subscribe(&channel.id, &agent).await?;
        let name = self.agent.as_deref().unwrap_or(agent.as_str());
        session.answer(&subscription, |_| format!("{name} follows {}.\n", label(&channel)))
    }
}

/// Let an agent follow a channel no longer
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour channel unsubscribe general Coder")]
pub(crate) struct Unsubscribe {
    /// The channel, by name or id
    channel: String,
    /// The agent, by name or id; without it, the agent whose token this is
    agent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Unsubscribe {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channel = session.channel(&self.channel).await?;
        let agent = whom(&session, &channel, self.agent.as_deref()).await?;
        session.client.unsubscribe(&channel.id, &agent).await?;
        let done = serde_json::json!({ "channel_id": channel.id, "agent_id": agent });
        let name = self.agent.as_deref().unwrap_or(agent.as_str());
        session.answer(&done, |_| format!("{name} no longer follows {}.\n", label(&channel)))
    }
}

/// The agent that was named, or the one that asks.
async fn whom(session: &Session, channel: &Channel, wanted: Option<&str>) -> Result<AgentId, Failure> {
    if let Some(wanted) = wanted {
        return session.agent_in(&channel.project_id, wanted).await;
    }
    let me = session.client.me().await?;
    me.member_id
        .agent()
        .cloned()
        .ok_or_else(|| Failure::usage("name the agent: only agents follow channels, you are a person"))
}
