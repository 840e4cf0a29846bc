//! `parlour-bench post`: durable posts of many senders compared with the ceiling, and of one compared with a raw sync.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    fixture,
    load::{Extent, Round, Script, compare},
    raw::Raw,
    report::{Column, Goal, Ratio, Report, Row},
    server::Server,
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench post
  parlour-bench post --senders 256 --seconds 20
  parlour-bench post --posts 10000 --json";

/// Requests before the first round, as a warm-up.
const WARM_UP: usize = 200;
/// Posts of the single sender in one round.
const SINGLE_POSTS: usize = 200;

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Posts {
    /// Senders at once; each waits for an answer before it posts again
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    senders: u16,
    /// Time for each side, all rounds together
    #[arg(long, default_value_t = 5, conflicts_with = "posts", value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Posts for each side, instead of a time
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    posts: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// One side of the comparison.
struct Side<'a> {
    name: &'static str,
    server: &'a Server,
    many: Vec<Script>,
    single: Vec<Script>,
    many_rounds: Vec<Round>,
    single_rounds: Vec<Round>,
}

impl Posts {
    /// Alternates hub and ceiling, first with many senders, then with one.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let (senders, rounds) = (usize::from(self.senders), self.setup.rounds());
        let mut report = Report { title: format!("Durable posts, {senders} senders and 1"), ..Report::default() };
        let hub = environment.prepared_hub("hub").await?;
        let ceiling = environment.start_ceiling(&mut report)?;
        let mut sides = vec![Side::hub(&hub, senders)];
        sides.extend(ceiling.as_ref().map(|server| Side::ceiling(server, senders)));
        for side in &mut sides {
            side.server.measure(&mut side.many, Extent::count(self.most(WARM_UP))).await?;
        }
        for _ in 0..rounds {
            for side in &mut sides {
                let round = side.server.measure(&mut side.many, self.extent().split(rounds)).await?;
                side.many_rounds.push(round);
            }
        }
        let raw = measure_single(environment, &mut sides, rounds, self.most(SINGLE_POSTS)).await?;
        add_results(&mut report, &sides, &raw);
        Ok(report)
    }
}

/// One sender at a time, alternating with operations of the raw reference.
async fn measure_single(
    environment: &Environment,
    sides: &mut [Side<'_>],
    rounds: usize,
    posts: usize,
) -> Result<Vec<Round>> {
    let mut raw = Raw::start(&environment.folder("raw")?)?;
    let mut raw_rounds = Vec::new();
    for _ in 0..rounds {
        let latencies = raw.round(posts)?;
        raw_rounds.push(Round { elapsed: latencies.iter().sum(), cpu: None, latencies });
        for side in &mut *sides {
            side.single_rounds.push(side.server.measure(&mut side.single, Extent::count(posts)).await?);
        }
    }
    Ok(raw_rounds)
}

impl Posts {
    fn extent(&self) -> Extent {
        match self.posts {
            Some(posts) => Extent::count(posts as usize),
            None => Extent::time(Duration::from_secs(self.seconds)),
        }
    }

    /// The default number of posts, limited by `--posts`.
    fn most(&self, usual: usize) -> usize {
        self.posts.map_or(usual, |posts| usual.min(posts as usize))
    }
}

impl<'a> Side<'a> {
    fn hub(hub: &'a PreparedHub, senders: usize) -> Self {
        let script = |seed| hub.fixture.post_script(&hub.fixture.channel_id, seed);
        Self::new("hub", &hub.server, senders, script)
    }

    fn ceiling(server: &'a Server, senders: usize) -> Self {
        Self::new("ceiling", server, senders, fixture::ceiling_post_script)
    }

    fn new(name: &'static str, server: &'a Server, senders: usize, script: impl Fn(usize) -> Script) -> Self {
        Self {
            name,
            server,
            many: (0..senders).map(&script).collect(),
            single: vec![script(senders)],
            many_rounds: Vec::new(),
            single_rounds: Vec::new(),
        }
    }
}

fn add_results(report: &mut Report, sides: &[Side<'_>], raw: &[Round]) {
    report.columns = vec![
        Column { key: "per_second", title: "per s", decimals: 0 },
        Column { key: "ack_p50_ms", title: "ack p50 ms", decimals: 2 },
        Column { key: "ack_p99_ms", title: "ack p99 ms", decimals: 2 },
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
    ];
    let many = |side: &Side<'_>| row(format!("{}, {} senders", side.name, side.many.len()), &side.many_rounds);
    let single = |side: &Side<'_>| row(format!("{}, 1 sender", side.name), &side.single_rounds);
    report.rows.extend(sides.iter().map(many).chain(sides.iter().map(single)));
    report.rows.push(row("raw sync + round trip".into(), raw));
    if let [hub, ceiling] = sides {
        let ratio = |name: &str, figure: fn(&Round) -> Option<f64>, goal| {
            Ratio::times(name, compare(&hub.many_rounds, &ceiling.many_rounds, figure), Some(goal))
        };
        report.ratios.push(ratio("posts/s, hub ÷ ceiling", Round::per_second, Goal::AtLeast(0.6)));
        report.ratios.push(ratio("CPU per post, hub ÷ ceiling", Round::cpu_micros, Goal::AtMost(2.0)));
    }
    for side in sides {
        // The goal applies to the hub; the ceiling shows the share of the database.
        let goal = (side.name == "hub").then_some(Goal::AtMost(1.5));
        let name = format!("ack p50 of one sender, {} ÷ raw", side.name);
        report.ratios.push(Ratio::times(name, compare(&side.single_rounds, raw, p50), goal));
    }
}

fn p50(round: &Round) -> Option<f64> {
    round.latency_millis(0.5)
}

fn row(name: String, rounds: &[Round]) -> Row {
    let all = Round::join(rounds);
    let values = vec![all.per_second(), all.latency_millis(0.5), all.latency_millis(0.99), all.cpu_micros()];
    Row { name, values }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Posts,
    }

    fn parse(line: &str) -> Result<Posts, clap::Error> {
        Line::try_parse_from(line.split(' ')).map(|line| line.arguments)
    }

    fn round(millis: u64, count: usize) -> Round {
        let latencies = vec![Duration::from_millis(millis); count];
        Round { elapsed: Duration::from_secs(1), cpu: Some(Duration::from_millis(millis)), latencies }
    }

    #[test]
    fn a_count_replaces_the_time_and_limits_the_other_posts() {
        let arguments = parse("post --posts 50").expect("arguments");
        assert_eq!((arguments.extent().count_max, arguments.most(200)), (50, 50));
        let arguments = parse("post --seconds 3").expect("arguments");
        assert_eq!((arguments.extent().time_max, arguments.most(200)), (Duration::from_secs(3), 200));
    }

    #[test]
    fn invalid_options_are_refused() {
        for line in ["post --senders 0", "post --senders 5000", "post --posts 0", "post --seconds 3 --posts 3"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_round_is_compared_with_the_adjacent_one() {
        let ratios = compare(&[round(3, 10), round(8, 10)], &[round(2, 10), round(4, 10)], p50);
        assert_eq!(ratios, [1.5, 2.0]);
    }

    #[test]
    fn a_row_combines_its_rounds() {
        let row = row("x".into(), &[round(1, 10), round(3, 30)]);
        assert_eq!(row.values, [Some(20.0), Some(3.0), Some(3.0), Some(100.0)]);
    }
}
