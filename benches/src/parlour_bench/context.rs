//! `parlour-bench context`: the cost of a pack over a long history relative to a short one, and of selecting from many
//! candidates by the engine alone.

mod engine_only;

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use self::engine_only::time_packs;
use super::{
    Setup,
    environment::Environment,
    figures,
    fixture::HubFixture,
    history_rounds::{MeasuredHistory, add_rows, empty_report},
    load::{Extent, Script},
    report::{Goal, Ratio, Report},
    request,
    sample_texts::SampleTexts,
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench context
  parlour-bench context --messages 10000,1000000 --keep stores";

/// Tokens of a pack.
const BUDGET: u64 = 1_024;
/// Concurrent requests.
const READERS: usize = 1;
/// Packs before the first round; they fill the cache of prepared texts.
const WARM_UP: usize = 40;
/// Number of repeated queries.
const QUESTIONS: u64 = 8;
/// Goal of the ratio between a long and a short history.
const GROWTH_GOAL: Goal = Goal::AtMost(1.2);
/// Goal of the duration of a pack in milliseconds.
const P50_MILLIS_MAX: f64 = 5.0;

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Contexts {
    /// Lengths of the histories, shortest first
    #[arg(long, value_name = "COUNT,COUNT", value_delimiter = ',', default_value = "10000,100000",
          value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    messages: Vec<u32>,
    /// Candidates of the engine alone
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    candidates: u32,
    /// Time for each sort of question to each history, all rounds together
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A repeated query: its texts are prepared.
    Again,
    /// A new query: it finds texts that no pack has used.
    New,
}

impl Contexts {
    /// Requests packs over every history in turn, and measures the engine alone.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let rounds = self.setup.rounds();
        let extent = Extent::time(Duration::from_secs(self.seconds)).split(rounds);
        let mut histories = Vec::new();
        for messages in self.messages.iter().map(|count| *count as usize) {
            let mut history = MeasuredHistory::new(messages, environment.filled_hub(messages).await?);
            history.warm_up(Sort::Again.scripts(&history, 0), WARM_UP).await?;
            histories.push(history);
        }
        // Every history gets the same queries, and new queries never repeat.
        let sorts = [Sort::Again, Sort::New];
        for (sort, asked) in sorts.into_iter().cycle().zip(1..).take(rounds * sorts.len()) {
            for history in &mut histories {
                history.read(sort, sort.scripts(history, asked), extent).await?;
            }
        }
        let mut report = report(&histories);
        let candidates = self.candidates as usize;
        let chosen = tokio::task::spawn_blocking(move || time_packs(candidates, rounds, BUDGET)).await??;
        let millis = chosen.iter().filter_map(|round| figures::percentile(round, 0.5)).map(figures::millis).collect();
        report.ratios.push(Ratio {
            name: format!("a pack from {candidates} candidates, p50"),
            rounds: millis,
            unit: " ms",
            goal: Some(Goal::AtMost(P50_MILLIS_MAX)),
        });
        Ok(report)
    }
}

impl Sort {
    /// The agents of one round.
    fn scripts(self, history: &MeasuredHistory<Self>, asked: u64) -> Vec<Script> {
        let script = |reader| self.script(&history.hub.fixture, asked * READERS as u64 + reader);
        (0..READERS as u64).map(script).collect()
    }

    /// An agent that requests packs about its channel with a query text.
    fn script(self, fixture: &HubFixture, seed: u64) -> Script {
        let path = format!("/agents/{}/context", fixture.called.id);
        let start = format!("{{\"budget\":{BUDGET},\"conversation_id\":\"{}\",\"query\":\"", fixture.channel_id);
        let token = fixture.called.token.clone();
        let mut asked = 0;
        let mut news = SampleTexts::seeded(seed + 1_000_000);
        Box::new(move |out| {
            asked += 1;
            let mut again = SampleTexts::seeded(asked % QUESTIONS);
            let words = if self == Self::Again { &mut again } else { &mut news };
            let mut body = start.clone();
            words.write_body(&mut body);
            body.push_str("\"}");
            request::write_post(out, &path, Some(&token), body.as_bytes());
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Again => "asked before",
            Self::New => "asked for the first time",
        }
    }
}

fn report(histories: &[MeasuredHistory<Sort>]) -> Report {
    let mut report = empty_report(format!("Packs of {BUDGET} tokens, {READERS} agent"));
    for sort in [Sort::Again, Sort::New] {
        let row_name = |messages| format!("{}, {messages} messages", sort.name());
        add_rows(&mut report, histories, sort, row_name, (&format!("pack {}", sort.name()), GROWTH_GOAL));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FixtureAgent;

    fn fixture() -> HubFixture {
        let agent = FixtureAgent { id: "agt_1".into(), token: "secret".into() };
        HubFixture {
            admin_token: "admin".into(),
            project_id: "prj_1".into(),
            channel_id: "chn_1".into(),
            senders: Vec::new(),
            called: agent,
        }
    }

    fn queries(sort: Sort, seed: u64, count: usize) -> Vec<String> {
        let mut script = sort.script(&fixture(), seed);
        let query = |_| {
            let mut out = Vec::new();
            script(&mut out);
            let text = String::from_utf8(out).expect("text");
            let body: serde_json::Value =
                serde_json::from_str(text.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
            assert_eq!((body["budget"].as_u64(), body["conversation_id"].as_str()), (Some(BUDGET), Some("chn_1")));
            body["query"].as_str().expect("a query").to_owned()
        };
        (0..count).map(query).collect()
    }

    #[test]
    fn repeated_queries_are_the_same_in_every_round() {
        let (one, other) = (queries(Sort::Again, 1, 16), queries(Sort::Again, 2, 16));
        assert_eq!(one, other);
        assert_eq!(one[0], one[QUESTIONS as usize]);
    }

    #[test]
    fn new_queries_differ_in_every_round() {
        let (one, other) = (queries(Sort::New, 1, 16), queries(Sort::New, 2, 16));
        assert!(one.iter().all(|query| !other.contains(query)));
    }
}
