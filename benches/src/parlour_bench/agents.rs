//! `parlour-bench agents`: many agents that answer at once, compared with one that answers alone.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use parlour_agent::Client;
use serde_json::json;

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    figures,
    fixture::Api,
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

mod connected_agents;
mod paced;
mod viewers;

use connected_agents::ConnectedAgents;
use paced::Pace;
use viewers::{Seen, Viewers};

const EXAMPLES: &str = "\
Examples:
  parlour-bench agents
  parlour-bench agents --agents 20 --viewers 50";

/// Time limit until every viewer has seen the last answer.
const GRACE: Duration = Duration::from_secs(60);
/// The default window of the hub for chunks.
const WINDOW: Duration = Duration::from_millis(200);

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Agents {
    /// Agents that answer at the same time [default: 50]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=50))]
    agents: Option<u32>,
    /// People who watch all of it [default: 20]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=500))]
    viewers: Option<u32>,
    /// Tokens of each answer, 50 a second [default: 150]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=5_000))]
    tokens: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The combined results of all rounds of one kind.
#[derive(Debug, Default)]
struct Outcome {
    /// From the first token of an answer to its first chunk at a viewer, sorted.
    first_chunks: Vec<Duration>,
    cpu_per_token_us: Vec<f64>,
}

impl Agents {
    /// Alternates rounds with one answering agent and with all of them.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let agents = self.setup.number(self.agents, 50, 3);
        let viewers = self.setup.number(self.viewers, 20, 2);
        let tokens = self.setup.number(self.tokens, 150, 10);
        let hub = environment.prepared_hub("hub").await?;
        let epoch = Instant::now();
        let mut viewers = Viewers::connect(&hub, viewers, epoch).await?;
        let connected = ConnectedAgents::connect(&hub, agents, Arc::new(Pace { tokens, epoch })).await?;
        let (mut alone, mut together) = (Outcome::default(), Outcome::default());
        for round in 1..=self.setup.rounds() {
            progress::say(&format!("one agent, round {round}"));
            round_of(&hub, &mut viewers, &connected.names()[..1], tokens, &mut alone).await?;
            progress::say(&format!("{agents} agents, round {round}"));
            round_of(&hub, &mut viewers, connected.names(), tokens, &mut together).await?;
        }
        let cut_off = viewers.cut_off();
        connected.stop().await;
        Ok(report(agents, viewers.len(), alone, together, cut_off))
    }
}

/// Calls these agents with one message and waits until every viewer has seen every answer completely.
async fn round_of(
    hub: &PreparedHub,
    viewers: &mut Viewers,
    names: &[String],
    tokens: usize,
    outcome: &mut Outcome,
) -> Result<()> {
    let work = async {
        let mut api = Api::connect(hub.server.address(), &hub.fixture.admin_token).await?;
        let body: String = names.iter().map(|name| format!("@{name} ")).collect();
        let posted = api.post("/messages", &json!({ "channel_id": hub.fixture.channel_id, "body": body })).await?;
        let called = posted["calls"].as_array().map_or(0, Vec::len);
        ensure!(called == names.len(), "of {} agents {called} were called: {posted}", names.len());
        viewers.until_answered(names.len(), GRACE).await.context("wait for the answers")
    };
    let (seen, cpu) = hub.server.while_doing(work).await;
    let Seen { first_chunks } = seen?;
    outcome.first_chunks.extend(first_chunks);
    let cpu = cpu.and_then(|cpu| figures::micros_each(cpu, names.len() * tokens));
    outcome.cpu_per_token_us.extend(cpu);
    Ok(())
}

fn report(agents: usize, viewers: usize, mut alone: Outcome, mut together: Outcome, cut_off: u64) -> Report {
    alone.first_chunks.sort_unstable();
    together.first_chunks.sort_unstable();
    let at = |outcome: &Outcome, share| figures::percentile(&outcome.first_chunks, share).map(figures::millis);
    let row = |name: String, outcome: &Outcome| Row {
        name,
        values: vec![at(outcome, 0.5), at(outcome, 0.99), figures::median(&outcome.cpu_per_token_us)],
    };
    let windows = |outcome: &Outcome, share| {
        figures::quotient(at(outcome, share), Some(figures::millis(WINDOW))).into_iter().collect::<Vec<_>>()
    };
    Report {
        title: format!("{agents} agents that answer at once, before {viewers} viewers"),
        columns: vec![
            Column { key: "first_chunk_p50_ms", title: "first chunk p50 ms", decimals: 0 },
            Column { key: "first_chunk_p99_ms", title: "p99 ms", decimals: 0 },
            Column { key: "cpu_us", title: "hub CPU µs a token", decimals: 1 },
        ],
        rows: vec![row("one agent".into(), &alone), row(format!("{agents} agents"), &together)],
        ratios: vec![
            Ratio::times(
                "first token to first chunk p50, one agent ÷ window",
                windows(&alone, 0.5),
                Some(Goal::AtMost(1.5)),
            ),
            Ratio::times(
                "first token to first chunk p50, all ÷ window",
                windows(&together, 0.5),
                Some(Goal::AtMost(1.5)),
            ),
            Ratio::times("first token to first chunk p99, all ÷ window", windows(&together, 0.99), None),
            Ratio::none("viewers that fell behind", cut_off),
        ],
        notes: vec!["Agents and viewers share the machine with the hub, and run in the process that measures.".into()],
    }
}

/// A client of the hub.
fn client(hub: &PreparedHub, token: &str) -> Result<Client> {
    Ok(Client::new(&format!("http://{}", hub.server.address()), Some(token))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(millis: u64) -> Outcome {
        Outcome { first_chunks: vec![Duration::from_millis(millis)], cpu_per_token_us: vec![10.0] }
    }

    #[test]
    fn a_first_chunk_may_take_one_and_a_half_windows() {
        let met = |millis| report(50, 20, outcome(200), outcome(millis), 0).to_json()["ratios"][1]["met"].as_bool();
        assert_eq!((met(300), met(301)), (Some(true), Some(false)));
    }

    #[test]
    fn a_viewer_that_fell_behind_misses_the_goal() {
        let met = |cut_off| report(50, 20, outcome(1), outcome(1), cut_off).to_json()["ratios"][3]["met"].as_bool();
        assert_eq!((met(0), met(1)), (Some(true), Some(false)));
    }
}
