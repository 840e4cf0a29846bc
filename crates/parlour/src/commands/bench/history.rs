//! `parlour bench history`: what a page costs in a long history beside a short one.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::{
    Setup, figures,
    ground::{Ground, StagedHub},
    load::{Extent, Round, Script},
    report::{Column, Goal, Ratio, Report, Row},
    request,
    stage::Stage,
    words::Words,
};

const EXAMPLES: &str = "\
Examples:
  parlour bench history
  parlour bench history --messages 10000,1000000 --keep stores";

/// Messages on a page.
const PAGE: usize = 50;
/// Connections that read at once.
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

/// A history with the rounds of its pages.
struct Reading {
    messages: usize,
    hub: StagedHub,
    rounds: Vec<(Depth, Round)>,
}

impl Pages {
    /// Reads in turn from every history, the newest page and pages anywhere.
    pub(super) async fn measure(&self, ground: &Ground) -> Result<Report> {
        let rounds = self.setup.rounds();
        let extent = Extent::time(Duration::from_secs(self.seconds)).split(rounds);
        let mut readings = Vec::new();
        for messages in self.messages.iter().map(|count| *count as usize) {
            let mut reading = Reading { messages, hub: ground.filled_hub(messages).await?, rounds: Vec::new() };
            reading.read(Depth::Random, Extent::count(WARM_UP), 0).await?;
            reading.rounds.clear();
            readings.push(reading);
        }
        for seed in 0..rounds {
            for depth in [Depth::Newest, Depth::Random] {
                for reading in &mut readings {
                    reading.read(depth, extent, seed as u64).await?;
                }
            }
        }
        Ok(report(&readings))
    }
}

impl Reading {
    async fn read(&mut self, depth: Depth, extent: Extent, seed: u64) -> Result<()> {
        let script = |reader| depth.script(&self.hub.stage, self.messages, seed * READERS as u64 + reader);
        let mut scripts = (0..READERS as u64).map(script).collect();
        let round = self.hub.server.measure(&mut scripts, extent).await?;
        self.rounds.push((depth, round));
        Ok(())
    }

    fn of(&self, depth: Depth) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(move |(of, _)| *of == depth).map(|(_, round)| round)
    }

    fn row(&self, depth: Depth) -> Row {
        let all = Round::join(self.of(depth));
        let name = format!("{} of {} messages", depth.name(), self.messages);
        Row {
            name,
            values: vec![all.cpu_micros(), all.latency_millis(0.5), all.latency_millis(0.99), all.per_second()],
        }
    }
}

impl Depth {
    /// A reader of pages at this depth.
    fn script(self, stage: &Stage, messages: usize, seed: u64) -> Script {
        let newest = format!("/channels/{}/messages?limit={PAGE}", stage.channel_id);
        let token = stage.called.token.clone();
        let mut words = Words::seeded(seed);
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

fn report(readings: &[Reading]) -> Report {
    let mut report = Report { title: format!("Pages of {PAGE} messages, {READERS} readers"), ..Report::default() };
    report.columns = vec![
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
        Column { key: "per_second", title: "per s", decimals: 0 },
    ];
    for depth in [Depth::Newest, Depth::Random] {
        report.rows.extend(readings.iter().map(|reading| reading.row(depth)));
        if let [shortest, .., longest] = readings {
            let name = format!("CPU of a {}, {} ÷ {} messages", depth.name(), longest.messages, shortest.messages);
            let pairs = longest.of(depth).zip(shortest.of(depth));
            let rounds = pairs.filter_map(|(long, short)| figures::quotient(long.cpu_micros(), short.cpu_micros()));
            report.ratios.push(Ratio::times(name, rounds.collect(), Some(depth.goal())));
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::stage::StageAgent;

    fn stage() -> Stage {
        let agent = StageAgent { id: "agent_1".into(), token: "secret".into() };
        Stage {
            admin_token: "admin".into(),
            project_id: "prj_1".into(),
            channel_id: "chn_1".into(),
            senders: Vec::new(),
            called: agent,
        }
    }

    fn paths(depth: Depth, messages: usize, count: usize) -> Vec<String> {
        let mut script = depth.script(&stage(), messages, 7);
        let path = |_| {
            let mut out = Vec::new();
            script(&mut out);
            String::from_utf8(out).expect("text").split(' ').nth(1).expect("a path").to_owned()
        };
        (0..count).map(path).collect()
    }

    #[test]
    fn the_newest_page_is_asked_for_without_a_mark() {
        assert_eq!(paths(Depth::Newest, 1_000, 2), ["/channels/chn_1/messages?limit=50"; 2]);
    }

    #[test]
    fn random_pages_are_full_and_lie_anywhere() {
        let before = |path: &String| path.rsplit_once('=').expect("a mark").1.parse::<u64>().expect("a number");
        let marks: Vec<u64> = paths(Depth::Random, 1_000, 2_000).iter().map(before).collect();
        assert!(marks.iter().all(|mark| (51..=1_001).contains(mark)));
        assert!(marks.iter().any(|mark| *mark < 100) && marks.iter().any(|mark| *mark > 950));
    }

    #[test]
    fn depths_have_goals_of_their_own() {
        assert_eq!([Depth::Newest, Depth::Random].map(|depth| depth.goal().to_string()), ["≤ 1.2", "≤ 1.6"]);
    }
}
