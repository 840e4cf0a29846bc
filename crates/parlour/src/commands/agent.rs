//! `parlour agent`: runs an agent; adds and shows agents.

use clap::{Args, Subcommand};
use parlour_agent::{answers::CreatedAgent, requests::NewAgent};
use parlour_core::{context::AgentContext, engine::Engine, name::Name, scope::JoinRole};

use super::shown_once::show_token;
use crate::{
    choices,
    failure::Failure,
    output::{Output, shell::quoted, table::Table},
    session::{Connection, Session},
};

mod calls;
mod engine;
mod engine_choice;
mod identity;
mod machine;
mod reports;
mod run;

pub(crate) use machine::machine_name;

const RUN_EXAMPLES: &str = "\
Examples:
  parlour agent --name Coder --exec 'claude -p'
  parlour agent --name Poet --openai http://127.0.0.1:11434/v1 --model llama3.2
  parlour agent --name Reviewer --anthropic --model claude-sonnet-4-5 --instructions @reviewer.md
  parlour agent --name Parrot --echo

With a person's token the agent is added to the project if it is not there yet; with an agent's own token (`parlour \
join --save`) it needs no name. It answers when it is mentioned, also what it missed while it was away. docs/agents.md \
says what each sort can do.";

/// Run an agent, or add and show agents
///
/// Keeps the agent in its project until Ctrl+C: it waits to be called, answers piece by piece, and goes on over lost
/// connections and restarts of the hub.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Agent {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Run,
}

/// What can be done with agents.
#[derive(Debug, Subcommand)]
enum Command {
    Create(Box<Create>),
    List(List),
    Calls(calls::Calls),
    Engine(engine::SetEngine),
    Engines(engine::Engines),
    Token(Token),
}

impl Agent {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.run.run().await,
            Some(Command::Create(command)) => command.run().await,
            Some(Command::List(command)) => command.run().await,
            Some(Command::Calls(command)) => command.run().await,
            Some(Command::Engine(command)) => command.run().await,
            Some(Command::Engines(command)) => command.run().await,
            Some(Command::Token(command)) => command.run().await,
        }
    }
}

const CREATE_EXAMPLES: &str = "\
Examples:
  parlour agent create Coder
  parlour agent create Reviewer --capability rust --capability review --instructions 'Be brief.'
  parlour agent create Helper --provider anthropic --model claude-sonnet-4-5
  parlour agent create Reader --context '{\"pack_tokens_max\": 2000}'

With --provider the hub runs the agent itself; `parlour agent engines` lists the providers.";

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
    /// Let the hub run it, with this provider
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The model; without it, the one that the provider is set up with
    #[arg(long, value_name = "MODEL", requires = "provider")]
    model: Option<String>,
    /// What it says differently from its project about what models see, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_context)]
    context: Option<AgentContext>,
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
        let request = NewAgent {
            project_id: project.id,
            name: self.name,
            capabilities: self.capability,
            endpoint_url: self.endpoint,
            instructions: self.instructions,
            engine: self.provider.map(|provider| Engine { provider, model: self.model }),
            context: self.context,
            role: Some(self.role),
        };
        let created = session.client.create_agent(&request).await?;
        session.answer(&created, |created| show_created(&session, &project.name, created))
    }
}

/// Reads what an agent says differently, as JSON.
pub(super) fn agent_context(text: &str) -> Result<AgentContext, String> {
    serde_json::from_str(text).map_err(|error| format!("these are no rules of an agent: {error}"))
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
            let mut table = Table::new(&["id", "name", "added", "run by", "capabilities"]);
            for agent in &page.items {
                let added = session.moments.show(agent.created_at);
                let run_by = agent.engine.as_ref().map_or("", |engine| engine.provider.as_str());
                table.row(&[agent.id.as_str(), agent.name.as_str(), &added, run_by, &agent.capabilities.join(", ")]);
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
