//! `parlour bench convert`: lines of each dialect turned into another, beside parsing and printing the same lines.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use clap::Args;
use parlour_core::Timestamp;
use parlour_dialects::{DecodeContext, Dialect, decode_line, encode_line};
use serde_json::Value;

use super::{
    Setup,
    cpu::CpuUse,
    figures::{median, quotient},
    foreign_lines::foreign_lines,
    report::{Column, Goal, Ratio, Report, Row},
};
use crate::commands::convert;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour bench convert --lines 100000")]
pub(crate) struct Converts {
    /// Lines of each dialect
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    lines: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// One way, and what it took in each round.
struct Way {
    from: Dialect,
    to: Dialect,
    rounds: Vec<Round>,
}

/// What the same lines took, one side right after the other.
#[derive(Clone, Copy, Default)]
struct Round {
    /// Parsing and printing each line, by the clock and on the processor.
    plain: Spent,
    /// Reading and writing each line on one core.
    alone: Spent,
    /// What the command does, on all cores.
    command: Spent,
}

/// Time on the clock, and on the processor where that can be known.
#[derive(Clone, Copy, Default)]
struct Spent {
    clock: f64,
    cpu: Option<f64>,
}

impl Converts {
    /// Goes each way once in every round. Everything is in memory: neither side reads or writes a file.
    pub(super) fn measure(&self) -> Result<Report> {
        let count = self.setup.number(self.lines, 20_000, 100);
        let mut ways = ways();
        for way in &mut ways {
            let lines = foreign_lines(way.from, count);
            let file = lines.join(&b'\n');
            way.go(&lines, &file)?;
            way.rounds.clear();
            for _ in 0..self.setup.rounds() {
                way.go(&lines, &file)?;
            }
        }
        Ok(report(count, &ways))
    }
}

/// To native, from native, and from each to the next.
fn ways() -> Vec<Way> {
    let foreign: Vec<Dialect> = Dialect::ALL.iter().copied().filter(|dialect| *dialect != Dialect::Native).collect();
    let to_native = foreign.iter().map(|from| (*from, Dialect::Native));
    let from_native = foreign.iter().map(|to| (Dialect::Native, *to));
    let around = foreign.iter().zip(foreign.iter().cycle().skip(1)).map(|(from, to)| (*from, *to));
    to_native.chain(from_native).chain(around).map(|(from, to)| Way { from, to, rounds: Vec::new() }).collect()
}

impl Way {
    fn go(&mut self, lines: &[Vec<u8>], file: &[u8]) -> Result<()> {
        let plain = spent(|| {
            each(lines, |line, out| {
                let value: Value = serde_json::from_slice(line)?;
                Ok(serde_json::to_writer(out, &value)?)
            })
        })?;
        let scene = DecodeContext::history(Timestamp::from_millis(0));
        let alone = spent(|| {
            each(lines, |line, out| {
                let item = decode_line(self.from, line, &scene).map_err(|refusal| anyhow!("{refusal:?}"))?;
                encode_line(self.to, &item, out);
                Ok(())
            })
        })?;
        let command = spent(|| {
            let mut out = Vec::with_capacity(file.len() * 2);
            convert::through(self.from, self.to, file, &mut out).map_err(|failure| anyhow!("{failure:?}"))?;
            black_box(&out);
            Ok(())
        })?;
        self.rounds.push(Round { plain, alone, command });
        Ok(())
    }

    fn name(&self) -> String {
        format!("{} → {}", self.from, self.to)
    }

    fn middle(&self, pick: impl Fn(&Round) -> Option<f64>) -> Option<f64> {
        median(&self.rounds.iter().filter_map(pick).collect::<Vec<_>>())
    }
}

fn each(lines: &[Vec<u8>], convert: impl Fn(&[u8], &mut Vec<u8>) -> Result<()>) -> Result<()> {
    let mut out = Vec::new();
    for line in lines {
        out.clear();
        convert(line, &mut out)?;
        black_box(&out);
    }
    Ok(())
}

fn spent(work: impl FnOnce() -> Result<()>) -> Result<Spent> {
    let look = || CpuUse::of(std::process::id());
    let (before, started) = (look(), Instant::now());
    work()?;
    let clock = started.elapsed().max(Duration::from_nanos(1)).as_secs_f64();
    let cpu = look().zip(before).map(|(after, before)| after.since(&before).as_secs_f64());
    Ok(Spent { clock, cpu })
}

fn report(count: usize, ways: &[Way]) -> Report {
    let mut report = Report { title: format!("{count} lines of each dialect"), ..Report::default() };
    report.columns = vec![
        Column { key: "lines_per_second", title: "lines/s", decimals: 0 },
        Column { key: "cpu_us", title: "CPU µs each", decimals: 2 },
        Column { key: "plain_cpu_us", title: "plain CPU µs", decimals: 2 },
    ];
    let lines = count as f64;
    for way in ways {
        let micros = |cpu: Option<f64>| cpu.map(|seconds| seconds * 1e6 / lines);
        let values = vec![
            way.middle(|round| Some(lines / round.command.clock)),
            way.middle(|round| micros(round.alone.cpu)),
            way.middle(|round| micros(round.plain.cpu)),
        ];
        report.rows.push(Row { name: way.name(), values });
        let command = way.rounds.iter().map(|round| round.plain.clock / round.command.clock).collect();
        let goal = Some(Goal::AtLeast(0.5));
        report.ratios.push(Ratio::times(format!("speed, {} ÷ plain", way.name()), command, goal));
        let alone = way.rounds.iter().filter_map(|round| quotient(round.plain.cpu, round.alone.cpu)).collect();
        report.ratios.push(Ratio::times(format!("  on one core, {}", way.name()), alone, None));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_read_and_written() {
        let ways = ways();
        for &dialect in Dialect::ALL {
            assert!(
                ways.iter().any(|way| way.from == dialect) && ways.iter().any(|way| way.to == dialect),
                "{dialect}"
            );
        }
    }

    #[test]
    fn the_converter_is_held_against_the_parser_of_the_same_round() {
        let spent = |clock, cpu| Spent { clock, cpu: Some(cpu) };
        let round = Round { plain: spent(1.0, 1.0), alone: spent(4.0, 4.0), command: spent(2.0, 4.0) };
        let report = report(1, &[Way { from: Dialect::Tkr, to: Dialect::Native, rounds: vec![round] }]);
        assert_eq!(
            (report.ratios[0].rounds.as_slice(), report.ratios[1].rounds.as_slice()),
            ([0.5].as_slice(), [0.25].as_slice())
        );
    }
}
