//! `parlour-bench history`: the cost of a page in a long history relative to a short one.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::Environment,
    fixture::HubFixture,
    history_rounds::{MeasuredHistory, add_rows, empty_report},
    load::{Extent, Script},
    report::{Goal, Report},
    request,
    sample_texts::SampleTexts,
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench history
  parlour-bench history --messages 10000,1000000 --keep stores";

/// Messages on a page.
const PAGE: usize = 50;
/// Concurrent readers.
const READERS: usize = 2;
/// Pages that are read before the first round.
const WARM_UP: usize = 200;

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pages {
    /// Lengths of the histories, shortest first
    #[arg(long, value_name = "COUNT,COUNT", value_delimiter = ',', default_value = "10000,100000",
          value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    messages: Vec<u32>,
    /// Time for each sort of page of each history, all rounds together
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// Where in a history a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Newest,
    Random,
}

impl Pages {
    /// Reads from every history in turn: the newest page, and pages at random depth.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let rounds = self.setup.rounds();
        let extent = Extent::time(Duration::from_secs(self.seconds)).split(rounds);
        let mut histories = Vec::new();
        for messages in self.messages.iter().map(|count| *count as usize) {
            let mut history = MeasuredHistory::new(messages, environment.filled_hub(messages).await?);
            history.warm_up(Depth::Random.scripts(&history, 0), WARM_UP).await?;
            histories.push(history);
        }
        for seed in 0..rounds {
            for depth in [Depth::Newest, Depth::Random] {
                for history in &mut histories {
                    history.read(depth, depth.scripts(history, seed as u64), extent).await?;
                }
            }
        }
        Ok(report(&histories))
    }
}

impl Depth {
    /// The readers of one round.
    fn scripts(self, history: &MeasuredHistory<Self>, seed: u64) -> Vec<Script> {
        let script = |reader| self.script(&history.hub.fixture, history.messages, seed * READERS as u64 + reader);
        (0..READERS as u64).map(script).collect()
    }

    /// A reader of pages at this depth.
    fn script(self, fixture: &HubFixture, messages: usize, seed: u64) -> Script {
        let newest = format!("/channels/{}/messages?limit={PAGE}", fixture.channel_id);
        let token = fixture.called.token.clone();
        let mut words = SampleTexts::seeded(seed);
        Box::new(move |out| match self {
            Self::Newest => request::write_get(out, &newest, Some(&token)),
            Self::Random => {
                // A page that starts further down than a page's length is always full.
                let before = PAGE + 1 + words.below(messages.saturating_sub(PAGE));
                request::write_get(out, &format!("{newest}&before={before}"), Some(&token));
            }
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest page",
            Self::Random => "random page",
        }
    }

    fn goal(self) -> Goal {
        match self {
            Self::Newest => Goal::AtMost(1.2),
            Self::Random => Goal::AtMost(1.6),
        }
    }
}

fn report(histories: &[MeasuredHistory<Depth>]) -> Report {
    let mut report = empty_report(format!("Pages of {PAGE} messages, {READERS} readers"));
    for depth in [Depth::Newest, Depth::Random] {
        let row_name = |messages| format!("{} of {messages} messages", depth.name());
        add_rows(&mut report, histories, depth, row_name, (depth.name(), depth.goal()));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FixtureAgent;

    fn fixture() -> HubFixture {
        let agent = FixtureAgent { id: "agent_1".into(), token: "secret".into() };
        HubFixture {
            admin_token: "admin".into(),
            project_id: "prj_1".into(),
            channel_id: "chn_1".into(),
            senders: Vec::new(),
            called: agent,
        }
    }

    fn paths(depth: Depth, messages: usize, count: usize) -> Vec<String> {
        let mut script = depth.script(&fixture(), messages, 7);
        let path = |_| {
            let mut out = Vec::new();
            script(&mut out);
            String::from_utf8(out).expect("text").split(' ').nth(1).expect("a path").to_owned()
        };
        (0..count).map(path).collect()
    }

    #[test]
    fn the_newest_page_is_requested_without_before() {
        assert_eq!(paths(Depth::Newest, 1_000, 2), ["/channels/chn_1/messages?limit=50"; 2]);
    }

    #[test]
    fn random_pages_are_full_and_at_any_depth() {
        let before = |path: &String| path.rsplit_once('=').expect("a mark").1.parse::<u64>().expect("a number");
        let marks: Vec<u64> = paths(Depth::Random, 1_000, 2_000).iter().map(before).collect();
        assert!(marks.iter().all(|mark| (51..=1_001).contains(mark)));
        assert!(marks.iter().any(|mark| *mark < 100) && marks.iter().any(|mark| *mark > 950));
    }

    #[test]
    fn each_depth_has_its_own_goal() {
        assert_eq!([Depth::Newest, Depth::Random].map(|depth| depth.goal().to_string()), ["≤ 1.2", "≤ 1.6"]);
    }
}
