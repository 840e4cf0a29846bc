//! `parlour-bench disk`: bytes on disk per message, compared with a plain row of the same message.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Deserialize;

use super::{
    Setup,
    environment::Environment,
    report::{Column, Goal, Ratio, Report, Row},
};

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench disk --messages 100000")]
pub(crate) struct Disk {
    /// Messages in the store
    #[arg(long, value_name = "COUNT", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    messages: u32,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The output of the program `store-size`, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
struct StoreSize {
    messages: f64,
    bodies: f64,
    plain_rows: f64,
    search: f64,
    rest: f64,
}

impl Disk {
    /// Fills a store over HTTP, stops the hub gracefully, and measures the file.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let (folder, _) = environment.filled_store(self.messages as usize).await?;
        let program = environment.beside_ceiling("store-size");
        let program =
            program.context("there is no program `store-size`; build it: cargo build --release -p parlour-benches")?;
        let output = Command::new(program).arg(folder.join("data")).output().context("measure the store")?;
        ensure!(output.status.success(), "measure the store: {}", String::from_utf8_lossy(&output.stderr));
        Ok(report(serde_json::from_slice(&output.stdout).context("parse the size of the store")?))
    }
}

fn report(size: StoreSize) -> Report {
    let row = |name: &str, bytes: f64| Row { name: name.into(), values: vec![Some(bytes / size.messages)] };
    Report {
        title: format!("Disk of a store with {} messages", size.messages),
        columns: vec![Column { key: "bytes_per_message", title: "bytes/message", decimals: 1 }],
        rows: vec![
            row("bodies alone", size.bodies),
            row("plain rows", size.plain_rows),
            row("hub without search", size.rest),
            row("search", size.search),
        ],
        ratios: vec![
            Ratio::times("hub without search ÷ plain rows", vec![size.rest / size.plain_rows], Some(Goal::AtMost(1.3))),
            Ratio::times("search ÷ bodies", vec![size.search / size.bodies], Some(Goal::AtMost(0.6))),
        ],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_without_search_is_compared_with_plain_rows() {
        let size = StoreSize { messages: 10.0, bodies: 2_000.0, plain_rows: 2_400.0, search: 1_000.0, rest: 3_600.0 };
        let report = report(size).to_json();
        assert_eq!(report["rows"][2]["bytes_per_message"], 360.0);
        let met: Vec<_> = [0, 1].iter().map(|index| report["ratios"][*index]["met"].as_bool()).collect();
        assert_eq!(met, [Some(false), Some(true)]);
    }
}
