//! Conversion of lines between dialects, compared with parsing and printing the same lines.

use std::{
    fs,
    hint::black_box,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use parlour_core::Timestamp;
use parlour_dialects::{DecodeContext, Dialect, decode_line, encode_line};
use serde_json::Value;

use super::{
    Setup,
    cpu::CpuUse,
    environment::Environment,
    figures::{median, quotient},
    foreign_lines::foreign_lines,
    report::{Column, Goal, Ratio, Report, Row},
};

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench convert --lines 100000")]
pub(crate) struct Converts {
    /// Lines of each dialect
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    lines: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// A pair of dialects with the times of each round.
struct Conversion {
    from: Dialect,
    to: Dialect,
    rounds: Vec<Round>,
}

/// Times for the same lines, measured directly after each other.
#[derive(Clone, Copy, Default)]
struct Round {
    /// Parsing and printing each line: wall-clock and CPU time.
    plain: Spent,
    /// Reading and writing each line on one core.
    alone: Spent,
    /// The command `parlour convert` on all cores, from start to exit, in seconds.
    command_seconds: f64,
}

/// Wall-clock time, and CPU time if it is known.
#[derive(Clone, Copy, Default)]
struct Spent {
    clock: f64,
    cpu: Option<f64>,
}

impl Converts {
    /// Runs each conversion once per round. The command reads and writes files; the reference works in memory.
    pub(super) fn measure(&self, environment: &Environment) -> Result<Report> {
        let count = self.setup.number(self.lines, 20_000, 100);
        let folder = environment.folder("convert")?;
        let input = folder.join("lines.jsonl");
        let mut conversions = conversions();
        for conversion in &mut conversions {
            let lines = foreign_lines(conversion.from, count);
            fs::write(&input, lines.join(&b'\n')).with_context(|| format!("write {}", input.display()))?;
            conversion.go(&lines, environment.hub_program(), &input)?;
            conversion.rounds.clear();
            for _ in 0..self.setup.rounds() {
                conversion.go(&lines, environment.hub_program(), &input)?;
            }
        }
        Ok(report(count, &conversions))
    }
}

/// To native, from native, and from each dialect to the next.
fn conversions() -> Vec<Conversion> {
    let foreign: Vec<Dialect> = Dialect::ALL.iter().copied().filter(|dialect| *dialect != Dialect::Native).collect();
    let to_native = foreign.iter().map(|from| (*from, Dialect::Native));
    let from_native = foreign.iter().map(|to| (Dialect::Native, *to));
    let around = foreign.iter().zip(foreign.iter().cycle().skip(1)).map(|(from, to)| (*from, *to));
    to_native.chain(from_native).chain(around).map(|(from, to)| Conversion { from, to, rounds: Vec::new() }).collect()
}

impl Conversion {
    fn go(&mut self, lines: &[Vec<u8>], hub: &Path, input: &Path) -> Result<()> {
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
        let command_seconds = self.run_command(hub, input)?;
        self.rounds.push(Round { plain, alone, command_seconds });
        Ok(())
    }

    /// Runs `parlour convert` over the input file and returns its duration in seconds.
    fn run_command(&self, hub: &Path, input: &Path) -> Result<f64> {
        let mut command = Command::new(hub);
        command.args(["convert", "--from", &self.from.to_string(), "--to", &self.to.to_string()]);
        command.arg(input).arg("--output").arg(input.with_file_name("converted.jsonl"));
        let started = Instant::now();
        let output = command.output().context("run parlour convert")?;
        let seconds = started.elapsed().max(Duration::from_nanos(1)).as_secs_f64();
        ensure!(output.status.success(), "parlour convert failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(seconds)
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

fn report(count: usize, conversions: &[Conversion]) -> Report {
    let mut report = Report { title: format!("{count} lines of each dialect"), ..Report::default() };
    report.columns = vec![
        Column { key: "lines_per_second", title: "lines/s", decimals: 0 },
        Column { key: "cpu_us", title: "CPU µs each", decimals: 2 },
        Column { key: "plain_cpu_us", title: "plain CPU µs", decimals: 2 },
    ];
    let lines = count as f64;
    for conversion in conversions {
        let micros = |cpu: Option<f64>| cpu.map(|seconds| seconds * 1e6 / lines);
        let values = vec![
            conversion.middle(|round| Some(lines / round.command_seconds)),
            conversion.middle(|round| micros(round.alone.cpu)),
            conversion.middle(|round| micros(round.plain.cpu)),
        ];
        report.rows.push(Row { name: conversion.name(), values });
        let command = conversion.rounds.iter().map(|round| round.plain.clock / round.command_seconds).collect();
        let goal = Some(Goal::AtLeast(0.5));
        report.ratios.push(Ratio::times(format!("speed, {} ÷ plain", conversion.name()), command, goal));
        let alone = conversion.rounds.iter().filter_map(|round| quotient(round.plain.cpu, round.alone.cpu)).collect();
        report.ratios.push(Ratio::times(format!("  on one core, {}", conversion.name()), alone, None));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_a_source_and_a_target() {
        let conversions = conversions();
        for &dialect in Dialect::ALL {
            assert!(
                conversions.iter().any(|conversion| conversion.from == dialect)
                    && conversions.iter().any(|conversion| conversion.to == dialect),
                "{dialect}"
            );
        }
    }

    #[test]
    fn a_conversion_is_compared_with_the_parser_of_the_same_round() {
        let spent = |clock, cpu| Spent { clock, cpu: Some(cpu) };
        let round = Round { plain: spent(1.0, 1.0), alone: spent(4.0, 4.0), command_seconds: 2.0 };
        let report = report(1, &[Conversion { from: Dialect::Tkr, to: Dialect::Native, rounds: vec![round] }]);
        assert_eq!(
            (report.ratios[0].rounds.as_slice(), report.ratios[1].rounds.as_slice()),
            ([0.5].as_slice(), [0.25].as_slice())
        );
    }
}
