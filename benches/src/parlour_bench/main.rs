//! `parlour-bench`: measures the cost of the hub as ratios to reference programs in the same run.
//!
//! Machines are shared and noisy, so a bare time says little. Every benchmark starts the hub in a process of its own, as
//! users do, alternates it with a reference program, and reports their ratio. `docs/bench.md` explains each benchmark.

use std::{io::Write as _, process::ExitCode};

use clap::{Args, Parser, Subcommand};

mod agents;
mod blocking;
mod commits;
mod context;
mod convert;
mod cpu;
mod disk;
mod environment;
mod fanout;
mod figures;
mod fixture;
mod foreign_lines;
mod history;
mod history_rounds;
mod idle;
mod inbox;
mod live;
mod load;
mod post;
mod progress;
mod raw;
mod reconnect;
mod report;
mod request;
mod sample_texts;
mod search;
mod server;
mod stall;
mod start;
mod stream;
mod wire;

use environment::Environment;
use report::Report;

/// Measures the hub against yardsticks of the same run.
///
/// Needs the programs `parlour` and `ceiling`; both are looked for beside this one.
#[derive(Debug, Parser)]
#[command(name = "parlour-bench", version, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    bench: Bench,
}

fn main() -> ExitCode {
    match CommandLine::parse().bench.run() {
        Ok(text) => {
            // The reader may have closed the pipe, as `head` does.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The benchmarks.
#[derive(Clone, Debug, Subcommand)]
enum Bench {
    /// Durable posts, compared with the smallest server that could take them
    Post(post::Posts),
    /// Pages of a long history, compared with those of a short one
    History(history::Pages),
    /// An inbox with many unread messages, compared with one with few
    Inbox(inbox::Inboxes),
    /// Search for common words, compared with rare ones
    Search(search::Searches),
    /// Time from the start of the program until it is ready
    Start(start::Starts),
    /// Bytes on disk per message, compared with a plain row
    Disk(disk::Disk),
    /// Messages to many readers at once, compared with the smallest server that could send them
    Fanout(fanout::Fanouts),
    /// Answers streamed token by token, compared with relaying every token
    Stream(stream::Streams),
    /// Many agents that answer at once, compared with one that answers alone
    Agents(agents::Agents),
    /// Delivery of a blocking message to the next checkpoint of a run
    Blocking(blocking::Blocking),
    /// Memory per idle reader
    Idle(idle::Idles),
    /// Readers that never read, and their effect on the others
    Stall(stall::Stalls),
    /// Many readers that reconnect at once and have missed events
    Reconnect(reconnect::Reconnects),
    /// Context packs over a long history, compared with those over a short one
    Context(context::Contexts),
    /// Conversion between dialects, compared with parsing and printing the same lines
    Convert(convert::Converts),
}

/// Options of every benchmark.
#[derive(Clone, Debug, Args)]
struct Setup {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How often hub and yardstick alternate
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// One round, and small numbers where none are given: shows that it works, and little else
    #[arg(long)]
    quick: bool,
    /// Folder on the disk to measure; the data go into a new folder inside and are removed at the end
    #[arg(long, value_name = "FOLDER")]
    folder: Option<std::path::PathBuf>,
    /// Keep filled stores in this folder and use them again: filling millions of messages takes a while
    #[arg(long, value_name = "FOLDER")]
    keep: Option<std::path::PathBuf>,
    /// The program `parlour`, if it is not beside this one
    #[arg(long, value_name = "PROGRAM")]
    hub: Option<std::path::PathBuf>,
    /// The program `ceiling`, if it is not beside this one
    #[arg(long, value_name = "PROGRAM")]
    ceiling: Option<std::path::PathBuf>,
}

impl Setup {
    fn rounds(&self) -> usize {
        if self.quick { 1 } else { usize::from(self.rounds) }
    }

    /// The given number, or the default; a quick run has a smaller default.
    fn number(&self, given: Option<u32>, usual: u32, quick: u32) -> usize {
        given.unwrap_or(if self.quick { quick } else { usual }) as usize
    }
}

impl Bench {
    /// Measures and returns the report as text or JSON. Ctrl-C ends it early and removes all files.
    fn run(self) -> anyhow::Result<String> {
        let is_json = self.setup().json;
        // A separate thread: the load must not share its event loop.
        let worker = std::thread::spawn(move || self.run_alone());
        let report = worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the benchmark panicked")))?;
        if is_json { Ok(serde_json::to_string_pretty(&report.to_json())? + "\n") } else { Ok(report.to_string()) }
    }

    fn run_alone(&self) -> anyhow::Result<Report> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::select! {
                report = self.measure() => report,
                _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("stopped")),
            }
        })
    }

    async fn measure(&self) -> anyhow::Result<Report> {
        let environment = Environment::prepare(self.setup())?;
        let mut report = match self {
            Self::Convert(converts) => converts.measure(&environment),
            Self::Context(contexts) => contexts.measure(&environment).await,
            Self::Post(posts) => posts.measure(&environment).await,
            Self::History(pages) => pages.measure(&environment).await,
            Self::Inbox(inboxes) => inboxes.measure(&environment).await,
            Self::Search(searches) => searches.measure(&environment).await,
            Self::Start(starts) => starts.measure(&environment).await,
            Self::Disk(disk) => disk.measure(&environment).await,
            Self::Fanout(fanouts) => fanouts.measure(&environment).await,
            Self::Stream(streams) => streams.measure(&environment).await,
            Self::Agents(agents) => agents.measure(&environment).await,
            Self::Blocking(blocking) => blocking.measure(&environment).await,
            Self::Idle(idles) => idles.measure(&environment).await,
            Self::Stall(stalls) => stalls.measure(&environment).await,
            Self::Reconnect(reconnects) => reconnects.measure(&environment).await,
        }?;
        if cfg!(debug_assertions) {
            report.notes.push("This is a debug build, so its figures say nothing: use `cargo run --release`.".into());
        }
        Ok(report)
    }

    fn setup(&self) -> &Setup {
        match self {
            Self::Post(posts) => &posts.setup,
            Self::History(pages) => &pages.setup,
            Self::Inbox(inboxes) => &inboxes.setup,
            Self::Search(searches) => &searches.setup,
            Self::Start(starts) => &starts.setup,
            Self::Disk(disk) => &disk.setup,
            Self::Fanout(fanouts) => &fanouts.setup,
            Self::Stream(streams) => &streams.setup,
            Self::Agents(agents) => &agents.setup,
            Self::Blocking(blocking) => &blocking.setup,
            Self::Idle(idles) => &idles.setup,
            Self::Stall(stalls) => &stalls.setup,
            Self::Reconnect(reconnects) => &reconnects.setup,
            Self::Context(contexts) => &contexts.setup,
            Self::Convert(converts) => &converts.setup,
        }
    }
}
