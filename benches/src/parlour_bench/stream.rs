//! `parlour-bench stream`: answers that are streamed token by token, compared with a server that forwards every token.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::{
    Setup, commits,
    environment::{Environment, PreparedHub},
    figures,
    fixture::Api,
    live::{LiveTarget, Producer, Readers, make_room},
    progress,
    report::{Column, Goal, Ratio, Report, Row},
    sample_texts::SampleTexts,
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench stream
  parlour-bench stream --streams 20 --readers 50 --tokens 100";

/// Time limit of the last frames.
const GRACE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Streams {
    /// Answers that are written at the same time [default: 4]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100))]
    streams: Option<u32>,
    /// Readers of all of them [default: 200]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=5_000))]
    readers: Option<u32>,
    /// Tokens a second of each answer [default: 50]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tokens: Option<u32>,
    /// Time for each side, all rounds together [default: 25]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The extent of one round.
#[derive(Clone, Copy)]
struct Plan {
    streams: usize,
    tokens_each: usize,
    pause: Duration,
}

/// One server with its readers.
struct Side<'a> {
    target: LiveTarget<'a>,
    hub: Option<(&'a PreparedHub, PathBuf)>,
    readers: Readers,
    rounds: Vec<StreamRound>,
}

/// The result of a round.
#[derive(Debug, Default)]
struct StreamRound {
    tokens: usize,
    elapsed: Duration,
    cpu: Option<Duration>,
    /// Frames per reader and answer.
    frames_each: f64,
    commits: Option<u32>,
    /// Missing bytes of text.
    missing: u64,
}

impl Streams {
    /// Alternates hub and ceiling with the same tokens at the same rate.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let readers = self.setup.number(self.readers, 200, 5);
        ensure!(make_room(readers * 2) == readers * 2, "the system has no file handles for {readers} readers");
        let plan = self.plan();
        let mut report = Report {
            title: format!("{} answers, token by token, to {readers} readers", plan.streams),
            ..Report::default()
        };
        let hub = environment.prepared_hub("hub").await?;
        let ceiling = environment.start_ceiling(&mut report)?;
        let data = environment.folder("hub")?.join("data");
        let mut sides = vec![Side::open(LiveTarget::hub(&hub), Some((&hub, data)), readers).await?];
        if let Some(ceiling) = &ceiling {
            sides.push(Side::open(LiveTarget::ceiling(ceiling), None, readers).await?);
        }
        for round in 1..=self.setup.rounds() {
            for side in &mut sides {
                progress::say(&format!("{}, round {round}", side.target.name));
                let round = side.round(plan).await?;
                side.rounds.push(round);
            }
        }
        let rounds: Vec<_> = sides.iter().map(|side| (side.target.name, &side.rounds[..])).collect();
        add_results(&mut report, plan, &rounds);
        Ok(report)
    }

    fn plan(&self) -> Plan {
        let tokens = self.setup.number(self.tokens, 50, 50);
        let seconds = self.setup.number(self.seconds, 25, 1) as f64 / self.setup.rounds() as f64;
        Plan {
            streams: self.setup.number(self.streams, 4, 2),
            tokens_each: ((seconds * tokens as f64) as usize).max(1),
            pause: Duration::from_secs(1) / tokens as u32,
        }
    }
}

impl<'a> Side<'a> {
    async fn open(target: LiveTarget<'a>, hub: Option<(&'a PreparedHub, PathBuf)>, readers: usize) -> Result<Self> {
        let readers = Readers::connect_all(target.readers(readers), Instant::now()).await?;
        Ok(Self { target, hub, readers, rounds: Vec::new() })
    }

    /// Starts new answers, streams all of them at an even rate, and ends them.
    async fn round(&mut self, plan: Plan) -> Result<StreamRound> {
        let mut producers = Vec::new();
        for number in 0..plan.streams {
            let answer = self.begin(number).await?;
            producers.push(Producer::connect(&self.target.producer(number), answer).await?);
        }
        let (chunks, bytes, finished) = self.seen();
        let commits = self.commits();
        let work = async {
            let (started, sent) = (Instant::now(), write_all(&mut producers, plan).await?);
            let elapsed = started.elapsed();
            // Ends are written to the database and must not count as writes of chunks.
            let commits = commits::between(commits, self.commits());
            self.end(&producers).await?;
            let due = sent * self.readers.size();
            let ends = finished + self.hub.as_ref().map_or(0, |_| plan.streams as u64 * self.readers.size());
            let is_there = |bytes_now: u64, finished_now: u64| bytes_now - bytes >= due && finished_now >= ends;
            self.readers.until(GRACE, |counts, _| is_there(counts.chunk_bytes, counts.finished)).await;
            anyhow::Ok((elapsed, commits, due))
        };
        let (result, cpu) = self.target.server.while_doing(work).await;
        let (elapsed, commits, due) = result?;
        let (chunks_now, bytes_now, _) = self.seen();
        let receivers = plan.streams as u64 * self.readers.size();
        Ok(StreamRound {
            tokens: plan.streams * plan.tokens_each,
            elapsed,
            cpu,
            frames_each: (chunks_now - chunks) as f64 / receivers as f64,
            commits,
            missing: due.saturating_sub(bytes_now - bytes),
        })
    }

    fn seen(&self) -> (u64, u64, u64) {
        let counts = self.readers.counts();
        (counts.chunks, counts.chunk_bytes, counts.finished)
    }

    fn commits(&self) -> Option<u32> {
        self.hub.as_ref().and_then(|(_, data)| commits::count(data))
    }

    /// Starts an answer and returns its id; the ceiling has no answers.
    async fn begin(&self, number: usize) -> Result<Option<String>> {
        let Some((hub, _)) = &self.hub else { return Ok(None) };
        let mut api = Api::connect(hub.server.address(), &hub.fixture.sender(number).token).await?;
        let request = json!({ "channel_id": hub.fixture.channel_id, "body": "", "stream": true });
        let answer = api.post("/messages", &request).await?;
        let id = answer["message"]["id"].as_str().or(answer["id"].as_str());
        Ok(Some(id.context("a message has an id")?.to_owned()))
    }

    async fn end(&self, producers: &[Producer]) -> Result<()> {
        let Some((hub, _)) = &self.hub else { return Ok(()) };
        for (number, producer) in producers.iter().enumerate() {
            let mut api = Api::connect(hub.server.address(), &hub.fixture.sender(number).token).await?;
            let id = producer.answer().context("an answer of the hub has an id")?;
            api.post(&format!("/messages/{id}/complete"), &json!({})).await?;
        }
        Ok(())
    }
}

/// Streams the same tokens in every round; returns the number of bytes of text.
async fn write_all(producers: &mut [Producer], plan: Plan) -> Result<u64> {
    let mut words = SampleTexts::seeded(7);
    let (mut token, mut bytes) = (String::new(), 0);
    let mut ticks = tokio::time::interval(plan.pause);
    for _ in 0..plan.tokens_each {
        ticks.tick().await;
        for producer in &mut *producers {
            token.clear();
            words.write_token(&mut token);
            producer.send(&token).await?;
            bytes += token.len() as u64;
        }
    }
    for producer in producers {
        producer.wait_for(plan.tokens_each).await?;
    }
    Ok(bytes)
}

fn add_results(report: &mut Report, plan: Plan, sides: &[(&str, &[StreamRound])]) {
    report.columns = vec![
        Column { key: "tokens_per_second", title: "tokens/s", decimals: 0 },
        Column { key: "frames_each", title: "frames/s each", decimals: 2 },
        Column { key: "cpu_us", title: "CPU µs a token", decimals: 1 },
        Column { key: "commits_per_second", title: "commits/s", decimals: 2 },
    ];
    for (name, rounds) in sides {
        let middle = |figure: fn(&StreamRound) -> Option<f64>| {
            figures::median(&rounds.iter().filter_map(figure).collect::<Vec<_>>())
        };
        let figures = [StreamRound::tokens_per_second, StreamRound::frames_per_second];
        let values = figures.into_iter().chain([StreamRound::cpu_micros, StreamRound::commits_per_second]);
        report.rows.push(Row { name: (*name).to_owned(), values: values.map(middle).collect() });
    }
    let all = |rounds: &[StreamRound], figure: fn(&StreamRound) -> Option<f64>| {
        rounds.iter().filter_map(figure).collect::<Vec<_>>()
    };
    if let [(_, hub), (_, ceiling)] = sides {
        let pairs = hub.iter().zip(*ceiling);
        let cpu = pairs.filter_map(|(hub, ceiling)| figures::quotient(hub.cpu_micros(), ceiling.cpu_micros()));
        let name = "CPU, hub ÷ passing on every token";
        report.ratios.push(Ratio::times(name, cpu.collect(), Some(Goal::AtMost(0.15))));
    }
    for (name, rounds) in sides {
        if *name == "hub" {
            let frames = Ratio {
                name: "frames/s for each answer and reader, after the first 2".into(),
                rounds: all(rounds, StreamRound::frames_per_second),
                unit: "/s",
                goal: Some(Goal::AtMost(5.0)),
            };
            let writes = Ratio {
                name: format!("commits/s while {}/s chunks come in", plan.chunks_per_second()),
                rounds: all(rounds, StreamRound::commits_per_second),
                unit: "/s",
                goal: Some(Goal::AtMost(1.0)),
            };
            report.ratios.extend([frames, writes]);
        }
        let missing = rounds.iter().map(|round| round.missing).sum();
        report.ratios.push(Ratio::none(format!("bytes of text that did not arrive, {name}"), missing));
    }
}

impl Plan {
    fn chunks_per_second(self) -> u64 {
        (self.streams as f64 / self.pause.as_secs_f64()).round() as u64
    }
}

impl StreamRound {
    fn tokens_per_second(&self) -> Option<f64> {
        figures::quotient(Some(self.tokens as f64), Some(self.elapsed.as_secs_f64()))
    }

    /// Without two frames: the first and the last.
    fn frames_per_second(&self) -> Option<f64> {
        figures::quotient(Some((self.frames_each - 2.0).max(0.0)), Some(self.elapsed.as_secs_f64()))
    }

    fn cpu_micros(&self) -> Option<f64> {
        figures::micros_each(self.cpu?, self.tokens)
    }

    fn commits_per_second(&self) -> Option<f64> {
        figures::quotient(self.commits.map(f64::from), Some(self.elapsed.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests;
