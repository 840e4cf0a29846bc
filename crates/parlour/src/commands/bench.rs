//! `parlour bench`: what the hub costs, as ratios against yardsticks that are measured in the same run.
//!
//! Machines are shared and noisy, so a bare time says little. Every benchmark starts the hub as its users do, in a
//! process of its own, lets it take turns with something to compare it with, and reports how they relate.
//! What each one measures and how to read it stands in `docs/bench.md`.

use clap::{Args, Subcommand};

use crate::{failure::Failure, output::Output};

mod agents;
mod blocking;
mod commits;
mod context;
mod convert;
mod cpu;
mod disk;
mod fanout;
mod figures;
mod foreign_lines;
mod ground;
mod history;
mod idle;
mod inbox;
mod live;
mod load;
mod post;
mod progress;
mod raw;
mod reading;
mod reconnect;
mod report;
mod request;
mod search;
mod server;
mod stage;
mod stall;
mod start;
mod stream;
mod wire;
mod words;

use ground::Ground;
use report::Report;

/// Measure the hub against yardsticks of the same run
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Bench {
    /// Durable posts, beside the smallest server that could take them
    Post(post::Posts),
    /// Pages of a long history, beside those of a short one
    History(history::Pages),
    /// An inbox with many unread messages, beside one with few
    Inbox(inbox::Inboxes),
    /// Search for usual words, beside rare ones
    Search(search::Searches),
    /// From the start of the program until it is ready
    Start(start::Starts),
    /// Bytes on disk for each message, beside a plain row
    Disk(disk::Disk),
    /// Messages to many readers at once, beside the smallest server that could tell them
    Fanout(fanout::Fanouts),
    /// Answers that are written token by token, beside passing on every token
    Stream(stream::Streams),
    /// Many agents that answer at once, beside one that answers alone
    Agents(agents::Agents),
    /// A blocking message on its way to the next checkpoint of a run
    Blocking(blocking::Blocking),
    /// Memory for each reader to whom nothing is told
    Idle(idle::Idles),
    /// Readers that never read, and what the others notice of them
    Stall(stall::Stalls),
    /// Many readers that come back at once and have missed something
    Reconnect(reconnect::Reconnects),
    /// Packs over a long history, beside those over a short one
    Context(context::Contexts),
    /// Messages of other systems turned into ours and back, beside parsing and printing the same lines
    Convert(convert::Converts),
}

/// What every benchmark can be told.
#[derive(Clone, Debug, Args)]
struct Setup {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How often the sides take turns
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
    /// The program `ceiling`, if it is not beside this one
    #[arg(long, value_name = "PROGRAM")]
    ceiling: Option<std::path::PathBuf>,
}

impl Setup {
    fn rounds(&self) -> usize {
        if self.quick { 1 } else { usize::from(self.rounds) }
    }

    /// What was asked for, or else the usual number; a quick run has a smaller one.
    fn number(&self, given: Option<u32>, usual: u32, quick: u32) -> usize {
        given.unwrap_or(if self.quick { quick } else { usual }) as usize
    }
}

impl Bench {
    /// Measures and reports. Ctrl-C ends it early and leaves nothing behind.
    pub(crate) fn run(self) -> Result<Output, Failure> {
        let is_json = self.setup().json;
        // A thread of its own: the load must not share its event loop with anything else.
        let worker = std::thread::spawn(move || self.run_alone());
        let report = worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the benchmark broke down")));
        let report = report.map_err(|error| Failure::new(format!("{error:#}")))?;
        if is_json { Output::json(&report.to_json()) } else { Ok(Output::text(report.to_string())) }
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
        let ground = Ground::prepare(self.setup())?;
        let mut report = match self {
            Self::Convert(converts) => converts.measure(),
            Self::Context(contexts) => contexts.measure(&ground).await,
            Self::Post(posts) => posts.measure(&ground).await,
            Self::History(pages) => pages.measure(&ground).await,
            Self::Inbox(inboxes) => inboxes.measure(&ground).await,
            Self::Search(searches) => searches.measure(&ground).await,
            Self::Start(starts) => starts.measure(&ground).await,
            Self::Disk(disk) => disk.measure(&ground).await,
            Self::Fanout(fanouts) => fanouts.measure(&ground).await,
            Self::Stream(streams) => streams.measure(&ground).await,
            Self::Agents(agents) => agents.measure(&ground).await,
            Self::Blocking(blocking) => blocking.measure(&ground).await,
            Self::Idle(idles) => idles.measure(&ground).await,
            Self::Stall(stalls) => stalls.measure(&ground).await,
            Self::Reconnect(reconnects) => reconnects.measure(&ground).await,
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
