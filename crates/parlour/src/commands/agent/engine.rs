//! `parlour agent engine`: lets the hub run an agent itself, or no longer.

use clap::Args;
use parlour_core::{
    engine::Engine,
    member::{Agent, AgentPatch},
};

use crate::{failure::Failure, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour agent engine Coder --provider anthropic --model claude-sonnet-4-5
  parlour agent engine Coder --none

`parlour agent engines` lists the providers of this hub. Its operator sets them up.";

/// Let the hub run an agent itself, with one of its providers
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SetEngine {
    /// The agent, by name or id
    agent: String,
    /// The provider that answers for it
    #[arg(long, value_name = "NAME", required_unless_present = "none")]
    provider: Option<String>,
    /// The model; without it, the one that the provider is set up with
    #[arg(long, value_name = "MODEL", requires = "provider")]
    model: Option<String>,
    /// Let it join from outside again
    #[arg(long, conflicts_with = "provider")]
    none: bool,
    #[command(flatten)]
    connection: Connection,
}

impl SetEngine {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let id = session.agent(&self.agent).await?;
        let engine = Engine { provider: self.provider.unwrap_or_default(), model: self.model };
        let patch = AgentPatch { engine: Some(engine), ..AgentPatch::default() };
        let agent = session.client.update_agent(&id, &patch).await?;
        session.answer(&agent, told)
    }
}

fn told(agent: &Agent) -> String {
    match &agent.engine {
        Some(engine) => {
            let model = engine.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
            format!("The hub runs {} now, with {}{model}.\n", agent.name, engine.provider)
        }
        None => format!("The hub no longer runs {}; it can join from outside.\n", agent.name),
    }
}

/// List the providers that can answer for agents of this hub
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour agent engines")]
pub(crate) struct Engines {
    #[command(flatten)]
    connection: Connection,
}

impl Engines {
    pub(super) async fn run(self) -> Result<Output, Failure> {
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
