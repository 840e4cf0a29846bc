//! `parlour agent`: runs an agent; adds, lists and configures agents.

use clap::{Args, Subcommand};
use parlour_agent::{answers::CreatedAgent, requests::NewAgent};
use parlour_core::{
    call::CallReason,
    context::AgentContext,
    engine::Engine,
    member::{Agent, AgentPatch},
    name::Name,
    scope::JoinRole,
};

use super::token::show_token;
use crate::{
    choices,
    failure::Failure,
    output::{Output, plain::one_line, shell::quoted, table::Table},
    session::{Connection, Session},
};

mod coding_cli;
mod event_printer;
mod identity;
mod run;

pub(crate) use identity::machine_name;

const RUN_EXAMPLES: &str = "\
Examples:
  parlour agent --name Coder --claude-code
  parlour agent --name Coder --claude-code --model opus -- --allowedTools 'Bash(git *)'
  parlour agent --name Local --exec 'ollama run llama3.2'
  parlour agent --name Poet --openai http://127.0.0.1:11434/v1 --model llama3.2
  parlour agent --name Reviewer --anthropic --model claude-sonnet-4-5 --instructions @reviewer.md
  parlour agent --name Parrot --echo

With a person's token the agent is added to the project if it does not exist. With an agent's own token (`parlour \
join --save`) --name is not needed. The agent answers when it is mentioned, including mentions from while it was \
offline. docs/agents.md describes each engine.";

/// Run an agent, or add and list agents
///
/// Keeps the agent connected until Ctrl+C: it waits for calls, streams its answers, and reconnects after lost connections
/// and restarts of the hub.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct AgentCommand {
    #[command(subcommand)]
    command: Option<AgentSubcommand>,
    #[command(flatten)]
    run: run::AgentRun,
}

#[derive(Debug, Subcommand)]
enum AgentSubcommand {
    Create(Box<AgentCreate>),
    List(AgentList),
    Calls(AgentCalls),
    Engine(SetEngine),
    Engines(AgentEngines),
    Token(AgentToken),
}

impl AgentCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            None => self.run.run().await,
            Some(AgentSubcommand::Create(command)) => command.run().await,
            Some(AgentSubcommand::List(command)) => command.run().await,
            Some(AgentSubcommand::Calls(command)) => command.run().await,
            Some(AgentSubcommand::Engine(command)) => command.run().await,
            Some(AgentSubcommand::Engines(command)) => command.run().await,
            Some(AgentSubcommand::Token(command)) => command.run().await,
        }
    }
}

const CREATE_EXAMPLES: &str = "\
Examples:
  parlour agent create Coder
  parlour agent create Reviewer --capability rust --capability review --instructions 'Be brief.'
  parlour agent create Helper --provider anthropic --model claude-sonnet-4-5
  parlour agent create Reader --context '{\"pack_tokens_max\": 2000}'

With --provider the hub hosts the agent; `parlour agent engines` lists the providers.";

/// Add an agent to the project and print its token once
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct AgentCreate {
    /// Name for mentions, unique in the project
    name: Name,
    /// Capability of the agent; can be repeated
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
    /// URL of the agent's own endpoint
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Instructions for the model
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// Provider with which the hub hosts the agent
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Model; default: the model that is configured for the provider
    #[arg(long, value_name = "MODEL", requires = "provider")]
    model: Option<String>,
    /// Context settings that override those of the project, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_context)]
    context: Option<AgentContext>,
    /// Role of its token
    #[arg(long, value_name = "ROLE", value_parser = choices::role(), default_value = "full")]
    role: JoinRole,
    #[command(flatten)]
    connection: Connection,
}

impl AgentCreate {
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

/// Parses the context settings of an agent.
pub(super) fn agent_context(text: &str) -> Result<AgentContext, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid context settings of an agent: {error}"))
}

fn show_created(session: &Session, project: &Name, created: &CreatedAgent) -> String {
    let agent = &created.agent;
    let next = session.next(&format!("parlour post general {}", quoted(&format!("Hello @{}", agent.name))));
    let token = show_token(session, &created.token);
    format!("Agent {} was added to {project} ({}).\n{token}{next}", agent.name, agent.id)
}

/// List the agents of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent list")]
pub(crate) struct AgentList {
    #[command(flatten)]
    connection: Connection,
}

impl AgentList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let page = session.client.agents(&project.id).await?;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                let next = session.next("parlour agent create NAME");
                return format!("There are no agents in {} yet.\n{next}", project.name);
            }
            let mut table = Table::new(&["id", "name", "added", "provider", "capabilities"]);
            for agent in &page.items {
                let added = session.local_time.show(agent.created_at);
                let run_by = agent.engine.as_ref().map_or("", |engine| engine.provider.as_str());
                table.row(&[agent.id.as_str(), agent.name.as_str(), &added, run_by, &agent.capabilities.join(", ")]);
            }
            table.render(session.style)
        })
    }
}

/// Replace the token of an agent
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent token Coder")]
pub(crate) struct AgentToken {
    /// Agent, by name or id
    agent: String,
    #[command(flatten)]
    connection: Connection,
}

impl AgentToken {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let renewed = session.client.renew_agent_token(&id).await?;
        session.answer(&renewed, |renewed| {
            format!("New token for {id}; the old token is revoked.\n{}", show_token(&session, &renewed.token))
        })
    }
}

/// List the open calls of an agent
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent calls Coder")]
pub(crate) struct AgentCalls {
    /// Agent, by name or id
    agent: String,
    #[command(flatten)]
    connection: Connection,
}

impl AgentCalls {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let page = session.client.calls(&id).await?;
        session.answer(&page, |page| {
            if page.items.is_empty() {
                return format!("{} has no open calls.\n", self.agent);
            }
            let mut table = Table::new(&["message", "called", "by", "reason"]);
            for call in &page.items {
                let (asked, by) = (session.local_time.show(call.called_at), one_line(&call.from.name));
                table.row(&[call.message_id.as_str(), &asked, &by, call_reason(call.reason)]);
            }
            table.render(session.style)
        })
    }
}

fn call_reason(reason: CallReason) -> &'static str {
    match reason {
        CallReason::Mention => "mentioned",
        CallReason::Dm => "dm",
        CallReason::Follow => "follows thread",
    }
}

const ENGINE_EXAMPLES: &str = "\
Examples:
  parlour agent engine Coder --provider anthropic --model claude-sonnet-4-5
  parlour agent engine Coder --none

`parlour agent engines` lists the providers of this hub. The operator configures them (docs/agents.md).";

/// Set the provider with which the hub hosts an agent, or stop hosting it
#[derive(Args, Debug)]
#[command(after_help = ENGINE_EXAMPLES)]
pub(crate) struct SetEngine {
    /// Agent, by name or id
    agent: String,
    /// Provider that generates the answers
    #[arg(long, value_name = "NAME", required_unless_present = "none")]
    provider: Option<String>,
    /// Model; default: the model that is configured for the provider
    #[arg(long, value_name = "MODEL", requires = "provider")]
    model: Option<String>,
    /// Stop hosting the agent; it can connect from outside again
    #[arg(long, conflicts_with = "provider")]
    none: bool,
    #[command(flatten)]
    connection: Connection,
}

impl SetEngine {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let engine = Engine { provider: self.provider.unwrap_or_default(), model: self.model };
        let patch = AgentPatch { engine: Some(engine), ..AgentPatch::default() };
        let agent = session.client.update_agent(&id, &patch).await?;
        session.answer(&agent, show_engine)
    }
}

fn show_engine(agent: &Agent) -> String {
    match &agent.engine {
        Some(engine) => {
            let model = engine.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
            format!("The hub now hosts {} with provider {}{model}.\n", agent.name, engine.provider)
        }
        None => format!("The hub no longer hosts {}; the agent can connect from outside.\n", agent.name),
    }
}

/// List the providers that are configured on this hub
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent engines")]
pub(crate) struct AgentEngines {
    #[command(flatten)]
    connection: Connection,
}

impl AgentEngines {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let engines = session.client.engines().await?;
        session.answer(&engines, |engines| {
            let mut table = crate::output::table::Table::new(&["provider", "interface", "model"]);
            for offer in &engines.items {
                table.row(&[&offer.provider, &offer.interface, offer.model.as_deref().unwrap_or_default()]);
            }
            table.render(session.style)
        })
    }
}
