//! `parlour-bench blocking`: how soon a blocking message pauses a run, compared with a checkpoint without a message.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    figures,
    fixture::Api,
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

/// Goal of the time from the acknowledgement of a blocking message to the pause.
const PAUSE_MS_MAX: f64 = 50.0;
/// Time limit until a run resumes after the answer.
const RESUME_SECONDS: u64 = 20;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench blocking --questions 200")]
pub(crate) struct Blocking {
    /// Blocking messages in each round [default: 100]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    questions: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The sorted times of one round.
#[derive(Debug, Default)]
struct Round {
    /// Checkpoints without a pending message.
    goes_on: Vec<Duration>,
    /// From the acknowledgement of a blocking message to the response of the checkpoint.
    pauses: Vec<Duration>,
    /// From the answer to the resumed run.
    resumes: Vec<Duration>,
    /// Checkpoints after an acknowledgement that did not pause.
    missed: u64,
}

/// A person who posts blocking messages, and an agent with a run.
struct Pair<'a> {
    person: Api<'a>,
    agent: Api<'a>,
    channel_id: &'a str,
    run_id: String,
}

impl Blocking {
    /// Posts blocking messages and answers each of them.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let questions = self.setup.number(self.questions, 100, 5);
        let hub = environment.prepared_hub("hub").await?;
        let mut pair = Pair::meet(&hub).await?;
        let mut rounds = Vec::new();
        for number in 0..=self.setup.rounds() {
            progress::say(&format!("blocking messages, round {number}"));
            rounds.push(pair.round(questions).await?);
        }
        // The first round is a warm-up, but its misses count.
        let warm_up = rounds.remove(0);
        Ok(report(&rounds, warm_up.missed))
    }
}

impl<'a> Pair<'a> {
    async fn meet(hub: &'a PreparedHub) -> Result<Self> {
        let (fixture, address) = (&hub.fixture, hub.server.address());
        let person = Api::connect(address, &fixture.admin_token).await?;
        let mut agent = Api::connect(address, &fixture.called.token).await?;
        let run = agent.post("/runs", &json!({ "label": "measured" })).await?;
        let run_id = run["id"].as_str().context("a run has an id")?.to_owned();
        Ok(Self { person, agent, channel_id: &fixture.channel_id, run_id })
    }

    async fn round(&mut self, questions: usize) -> Result<Round> {
        let mut round = Round::default();
        for _ in 0..questions {
            self.ask_once(&mut round).await?;
        }
        for samples in [&mut round.goes_on, &mut round.pauses, &mut round.resumes] {
            samples.sort_unstable();
        }
        Ok(round)
    }

    async fn ask_once(&mut self, round: &mut Round) -> Result<()> {
        let began = Instant::now();
        let answer = self.checkpoint().await?;
        round.goes_on.push(began.elapsed());
        ensure!(answer["verdict"] == "continue", "nothing waits, and yet: {answer}");

        let request = json!({ "channel_id": self.channel_id, "body": "@Coder which branch?", "blocking": true });
        let asked = self.person.post("/messages", &request).await?;
        let acknowledged = Instant::now();
        let answer = self.checkpoint().await?;
        match answer["verdict"] == "pause" {
            true => round.pauses.push(acknowledged.elapsed()),
            false => round.missed += 1,
        }

        let message = asked["id"].as_str().context("a message has an id")?;
        let answered = Instant::now();
        self.agent.post(&format!("/messages/{message}/answer"), &json!({ "text": "main" })).await?;
        let run = self.agent.get(&format!("/runs/{}?seconds={RESUME_SECONDS}", self.run_id)).await?;
        ensure!(run["state"] == "running", "the answer did not let the run go on: {run}");
        round.resumes.push(answered.elapsed());
        Ok(())
    }

    async fn checkpoint(&mut self) -> Result<Value> {
        self.agent.post(&format!("/runs/{}/checkpoint", self.run_id), &json!({})).await
    }
}

fn report(rounds: &[Round], missed_before: u64) -> Report {
    let all = |samples: fn(&Round) -> &Vec<Duration>| {
        let mut all: Vec<Duration> = rounds.iter().flat_map(samples).copied().collect();
        all.sort_unstable();
        all
    };
    let row = |name: &str, sorted: &[Duration]| {
        let at = |share| figures::percentile(sorted, share).map(figures::millis);
        Row { name: name.into(), values: vec![at(0.5), at(0.99), at(1.0)] }
    };
    let of_each = |figure: fn(&Round) -> Option<f64>| rounds.iter().filter_map(figure).collect::<Vec<_>>();
    let missed = missed_before + rounds.iter().map(|round| round.missed).sum::<u64>();
    Report {
        title: "Blocking messages: from the acknowledgement to the pause of a run".into(),
        columns: vec![
            Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
            Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
            Column { key: "max_ms", title: "longest ms", decimals: 2 },
        ],
        rows: vec![
            row("checkpoint at which nothing waits", &all(|round| &round.goes_on)),
            row("acknowledged to paused", &all(|round| &round.pauses)),
            row("answered to running again", &all(|round| &round.resumes)),
        ],
        ratios: vec![
            Ratio::times("paused ÷ nothing waits, p50", of_each(paused_beside_plain), None),
            Ratio {
                name: "acknowledged to paused, p99".into(),
                rounds: of_each(|round| figures::percentile(&round.pauses, 0.99).map(figures::millis)),
                unit: "ms",
                goal: Some(Goal::AtMost(PAUSE_MS_MAX)),
            },
            Ratio::none("checkpoints after an acknowledgement that went on", missed),
        ],
        notes: vec!["The agent asks as soon as the message is acknowledged; a real one asks between two steps.".into()],
    }
}

fn paused_beside_plain(round: &Round) -> Option<f64> {
    let at = |samples: &[Duration]| figures::percentile(samples, 0.5).map(figures::millis);
    figures::quotient(at(&round.pauses), at(&round.goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(pause_ms: u64, missed: u64) -> Round {
        let samples = |millis| vec![Duration::from_millis(millis)];
        Round { goes_on: samples(2), pauses: samples(pause_ms), resumes: samples(3), missed }
    }

    #[test]
    fn a_pause_is_compared_with_a_checkpoint_and_its_limit() {
        let report = report(&[round(50, 0)], 0).to_json();
        assert_eq!((&report["ratios"][0]["value"], &report["ratios"][1]["met"]), (&json!(25.0), &json!(true)));
        let late = super::report(&[round(51, 0)], 0).to_json();
        assert_eq!(late["ratios"][1]["met"], false);
    }

    #[test]
    fn one_checkpoint_that_does_not_pause_misses_the_goal() {
        for (in_rounds, before) in [(1, 0), (0, 1)] {
            assert_eq!(report(&[round(1, in_rounds)], before).to_json()["ratios"][2]["met"], false);
        }
    }
}
