//! `parlour export`: writes channels as another system keeps its messages.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use parlour_core::conversation::Channel;
use serde::Serialize;

use super::import::system::{System, system};
use crate::{
    failure::Failure,
    output::Output,
    session::{Connection, Session},
};

mod caco_sink;
mod channel_export;
mod pynchy_sink;
mod sink;

use channel_export::export_channel;
use sink::ExportSink;

const EXAMPLES: &str = "\
Examples:
  parlour export pynchy messages.db --project Tour
  parlour export jaibber history.json --channel general --channel design
  parlour export caco ./caco-copy
  parlour export native - | gzip > backup.jsonl.gz

Imported messages are written as they were. Messages that were posted here are written in the format of that system, \
with a field `parlour` for what it cannot express. A file name that ends in .json writes one list, any other JSON lines.";

/// Export channels and their threads in the format of another system
///
/// Exports only what you can read, without DMs.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportCommand {
    /// Target system
    #[arg(value_parser = system())]
    system: System,
    /// Database, file or folder to write; `-` writes JSON lines to stdout
    path: PathBuf,
    /// Only this channel, by name or id; can be repeated
    #[arg(long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Serialize)]
struct ExportReport {
    system: &'static str,
    path: String,
    channels: usize,
    messages: u64,
    /// Messages that were not written because another one has the same id.
    unwritten: u64,
}

impl ExportCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channels = self.channels(&session).await?;
        let mut sink = self.sink()?;
        for channel in &channels {
            match export_channel(&session, self.system, channel, sink.as_mut()).await {
                // The reader closed the pipe.
                Err(ExportStop::Unread) => return Ok(Output::default()),
                Err(ExportStop::Failed(failure)) => return Err(failure),
                Ok(()) => {}
            }
        }
        match sink.finish() {
            Err(ExportStop::Failed(failure)) => return Err(failure),
            Err(ExportStop::Unread) | Ok(()) => {}
        }
        let report = ExportReport {
            system: self.system.as_str(),
            path: self.path.display().to_string(),
            channels: channels.len(),
            messages: sink.written(),
            unwritten: sink.unwritten(),
        };
        self.report(&session, &report)
    }

    async fn channels(&self, session: &Session) -> Result<Vec<Channel>, Failure> {
        if self.channels.is_empty() {
            let project = session.project().await?;
            return Ok(session.client.channels(&project.id).await?.items);
        }
        let mut channels = Vec::new();
        for wanted in &self.channels {
            channels.push(session.channel(wanted).await?);
        }
        Ok(channels)
    }

    fn is_stdout(&self) -> bool {
        self.path == Path::new("-")
    }

    fn sink(&self) -> Result<Box<dyn ExportSink>, Failure> {
        let is_list = self.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        Ok(match self.system {
            System::Pynchy | System::Caco if self.is_stdout() => {
                let message = format!("{} has no line format, so it cannot be written to stdout", self.system.as_str());
                return Err(
                    Failure::usage(message).hint("parlour export native - | parlour convert --from native --to …")
                );
            }
            System::Pynchy => Box::new(pynchy_sink::PynchySink::create(&self.path, self.force)?),
            System::Caco => Box::new(caco_sink::CacoSink::create(&self.path, self.force)?),
            _ if self.is_stdout() => Box::new(sink::JsonLinesSink::stdout()),
            _ if is_list => Box::new(sink::JsonListSink::create(&self.path, self.force)?),
            _ => Box::new(sink::JsonLinesSink::create(&self.path, self.force)?),
        })
    }

    /// The summary goes to stderr if the messages are on stdout.
    fn report(&self, session: &Session, report: &ExportReport) -> Result<Output, Failure> {
        if self.is_stdout() {
            let _ = io::stderr().write_all(show(report).as_bytes());
            return Ok(Output::default());
        }
        session.answer(report, show)
    }
}

fn show(report: &ExportReport) -> String {
    let noun = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (messages, channels) = (noun(report.messages, "message"), noun(report.channels as u64, "channel"));
    let mut text = format!("Exported {messages} of {channels} to {}.\n", report.path);
    if report.unwritten > 0 {
        text += &format!("{} not exported: another message has the same id.\n", noun(report.unwritten, "message"));
    }
    text
}

#[derive(Debug)]
pub(super) enum ExportStop {
    /// The reader of stdout closed the pipe.
    Unread,
    Failed(Failure),
}

impl From<Failure> for ExportStop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A write error fails the export, except for a closed pipe.
fn cannot_write(what: &str, error: &io::Error) -> ExportStop {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ExportStop::Unread,
        _ => ExportStop::Failed(Failure::broken(what, error)),
    }
}
