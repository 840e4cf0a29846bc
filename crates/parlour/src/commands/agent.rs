//! `parlour agent`: adds and shows agents.

use clap::{Args, Subcommand};
use parlour_agent::{answers::CreatedAgent, wishes::NewAgent};
use parlour_core::{name::Name, scope::JoinRole};

use super::shown_once::show_token;
use crate::{
    choices,
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    session::{Connection, Session},
};

/// What can be done with agents.
#[derive(Debug, Subcommand)]
pub(crate) enum Agent {
    Create(Create),
    List(List),
    Token(Token),
}

impl Agent {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Create(command) => command.run().await,
            Self::List(command) => command.run().await,
            Self::Token(command) => command.run().await,
        }
    }
}

const CREATE_EXAMPLES: &str = "\
Examples:
  parlour agent create Coder
  parlour agent create Reviewer --capability rust --capability review --instructions 'Be brief.'";

/// Add an agent to the project and show its token, once
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct Create {
    /// The name it is mentioned by, unique in the project
    name: Name,
    /// What it can do; may be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// Where it can be called
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// What it is told to be
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// What its token may be used for
    #[arg(long, value_name = "ROLE", value_parser = choices::role(), default_value = "full")]
    role: JoinRole,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let wish = NewAgent {
            project_id: project.id,
            name: self.name,
            capabilities: self.capability,
            endpoint_url: self.endpoint,
            instructions: self.instructions,
            engine: None,
            role: Some(self.role),
        };
        let created = session.client.create_agent(&wish).await?;
        session.answer(&created, |created| show_created(&session, &project.name, created))
    }
}

/// The token first: it is the one thing that cannot be asked for again.
fn show_created(session: &Session, project: &Name, created: &CreatedAgent) -> String {
    let agent = &created.agent;
    let next = session.next(&format!("parlour post general {}", quoted(&format!("Hello @{}", agent.name))));
    let token = show_token(session, &created.token);
    format!("Agent {} was added to {project} ({}).\n{token}{next}", agent.name, agent.id)
}

/// List the agents of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent list")]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
}

impl List {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let page = session.client.agents(&project.id).await?;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                let next = session.next("parlour agent create NAME");
                return format!("{} has no agents yet.\n{next}", project.name);
            }
            let mut table = Table::new(&["id", "name", "added", "capabilities"]);
            for agent in &page.items {
                let added = session.moments.show(agent.created_at);
                table.row(&[agent.id.as_str(), agent.name.as_str(), &added, &agent.capabilities.join(", ")]);
            }
            table.render(session.style)
        })
    }
}

/// Give an agent a new token in place of the old one
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent token Coder")]
pub(crate) struct Token {
    /// The agent, by name or id
    agent: String,
    #[command(flatten)]
    connection: Connection,
}

impl Token {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let renewed = session.client.renew_agent_token(&id).await?;
        session.answer(&renewed, |renewed| {
            format!("{id} has a new token; the old one no longer works.\n{}", show_token(&session, &renewed.token))
        })
    }
}
