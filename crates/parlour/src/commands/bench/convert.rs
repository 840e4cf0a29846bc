//! `parlour bench convert`: lines of each dialect turned into another, beside parsing and printing the same lines.

use std::{hint::black_box, time::Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use parlour_core::Timestamp;
use parlour_dialects::{Dialect, Scene, decode_line, encode_line};
use serde_json::Value;

use super::{
    Setup,
    foreign_lines::foreign_lines,
    report::{Column, Goal, Ratio, Report, Row},
};

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour bench convert --lines 100000")]
pub(crate) struct Converts {
    /// Lines of each dialect
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    lines: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// One way, and how fast it was in each round.
struct Way {
    from: Dialect,
    to: Dialect,
    rounds: Vec<Speed>,
}

/// Lines each second, of the plain parser and of the converter, one right after the other.
#[derive(Clone, Copy)]
struct Speed {
    plain: f64,
    converted: f64,
}

impl Converts {
    /// Goes each way once in every round. Everything is in memory: neither side reads or writes a file.
    pub(super) fn measure(&self) -> Result<Report> {
        let count = self.setup.number(self.lines, 20_000, 100);
        let mut ways = ways();
        for way in &mut ways {
            let lines = foreign_lines(way.from, count);
            way.go(&lines)?;
            way.rounds.clear();
            for _ in 0..self.setup.rounds() {
                way.go(&lines)?;
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
    fn go(&mut self, lines: &[Vec<u8>]) -> Result<()> {
        let plain = speed(lines, |line, out| {
            let value: Value = serde_json::from_slice(line)?;
            Ok(serde_json::to_writer(out, &value)?)
        })?;
        let scene = Scene::history(Timestamp::from_millis(0));
        let converted = speed(lines, |line, out| {
            let item = decode_line(self.from, line, &scene).map_err(|refusal| anyhow!("{refusal:?}"))?;
            encode_line(self.to, &item, out);
            Ok(())
        })?;
        self.rounds.push(Speed { plain, converted });
        Ok(())
    }

    fn name(&self) -> String {
        format!("{} → {}", self.from, self.to)
    }
}

/// Lines each second.
fn speed(lines: &[Vec<u8>], convert: impl Fn(&[u8], &mut Vec<u8>) -> Result<()>) -> Result<f64> {
    let (mut out, started) = (Vec::new(), Instant::now());
    for line in lines {
        out.clear();
        convert(line, &mut out)?;
        black_box(&out);
    }
    Ok(lines.len() as f64 / started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE))
}

fn report(count: usize, ways: &[Way]) -> Report {
    let mut report = Report { title: format!("{count} lines of each dialect, one core"), ..Report::default() };
    report.columns = vec![
        Column { key: "lines_per_second", title: "lines/s", decimals: 0 },
        Column { key: "plain_per_second", title: "plain lines/s", decimals: 0 },
    ];
    for way in ways {
        let middle = |pick: fn(&Speed) -> f64| super::figures::median(&way.rounds.iter().map(pick).collect::<Vec<_>>());
        let values = vec![middle(|speed| speed.converted), middle(|speed| speed.plain)];
        report.rows.push(Row { name: way.name(), values });
        let rounds = way.rounds.iter().map(|speed| speed.converted / speed.plain).collect();
        report.ratios.push(Ratio::times(format!("{} ÷ parse and print", way.name()), rounds, Some(Goal::AtLeast(0.5))));
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
        let rounds = vec![Speed { plain: 200.0, converted: 100.0 }];
        let report = report(1, &[Way { from: Dialect::Tkr, to: Dialect::Native, rounds }]);
        assert_eq!(report.ratios[0].rounds, [0.5]);
    }
}
