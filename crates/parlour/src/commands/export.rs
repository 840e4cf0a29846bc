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

mod caco_folder;
mod lines;
mod list;
mod messages;
mod new_file;
mod pynchy_file;
mod sink;

use messages::export_channel;
use sink::Sink;

const EXAMPLES: &str = "\
Examples:
  parlour export pynchy messages.db --project Tour
  parlour export jaibber history.json --channel general --channel design
  parlour export caco ./caco-copy
  parlour export native - | gzip > backup.jsonl.gz

What was imported is written as it was; what was said here since is written in the words of that system, with a field \
`parlour` for what it cannot say. A file that ends in .json holds one list, any other one value a line.";

/// Write channels, with their threads, as another system keeps its messages
///
/// Only what you can see is written. Dms are left out.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// The system to write for
    #[arg(value_parser = system())]
    system: System,
    /// The database, file or folder to write; `-` writes lines to stdout
    path: PathBuf,
    /// Only this channel, by name or id; can be given several times
    #[arg(long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    /// Write over what is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
}

/// What is told in the end.
#[derive(Debug, Serialize)]
struct Report {
    system: &'static str,
    path: String,
    channels: usize,
    messages: u64,
    /// Messages that share an id with another one, and for which the system has no room.
    unwritten: u64,
}

impl Export {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let channels = self.channels(&session).await?;
        let mut sink = self.sink()?;
        for channel in &channels {
            match export_channel(&session, self.system, channel, sink.as_mut()).await {
                // Whoever reads the pipe has seen enough.
                Err(Stop::Unread) => return Ok(Output::default()),
                Err(Stop::Failed(failure)) => return Err(failure),
                Ok(()) => {}
            }
        }
        match sink.finish() {
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Unread) | Ok(()) => {}
        }
        let report = Report {
            system: self.system.as_str(),
            path: self.path.display().to_string(),
            channels: channels.len(),
            messages: sink.written(),
            unwritten: sink.unwritten(),
        };
        self.tell(&session, &report)
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

    fn sink(&self) -> Result<Box<dyn Sink>, Failure> {
        let is_list = self.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        Ok(match self.system {
            System::Pynchy | System::Caco if self.is_stdout() => {
                let message = format!("{} keeps no lines that stdout could take", self.system.as_str());
                return Err(
                    Failure::usage(message).hint("parlour export native - | parlour convert --from native --to …")
                );
            }
            System::Pynchy => Box::new(pynchy_file::PynchyFile::create(&self.path, self.force)?),
            System::Caco => Box::new(caco_folder::CacoFolder::create(&self.path, self.force)?),
            _ if self.is_stdout() => Box::new(lines::Lines::stdout()),
            _ if is_list => Box::new(list::List::create(&self.path, self.force)?),
            _ => Box::new(lines::Lines::create(&self.path, self.force)?),
        })
    }

    /// The lines themselves may be on stdout: then this goes beside them.
    fn tell(&self, session: &Session, report: &Report) -> Result<Output, Failure> {
        if self.is_stdout() {
            let _ = io::stderr().write_all(show(report).as_bytes());
            return Ok(Output::default());
        }
        session.answer(report, show)
    }
}

fn show(report: &Report) -> String {
    let noun = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (messages, channels) = (noun(report.messages, "message"), noun(report.channels as u64, "channel"));
    let mut text = format!("Wrote {messages} of {channels} to {}.\n", report.path);
    if report.unwritten > 0 {
        text += &format!("{} could not be written: another one has the same id.\n", noun(report.unwritten, "message"));
    }
    text
}

/// Why an export ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// Nobody reads the output any more.
    Unread,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// An output that cannot be written whole is a failure, unless nobody reads it.
fn cannot_write(what: &str, error: &io::Error) -> Stop {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Stop::Unread,
        _ => Stop::Failed(Failure::broken(what, error)),
    }
}
