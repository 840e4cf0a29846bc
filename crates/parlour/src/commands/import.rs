//! `parlour import`: takes over the history of another system.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;
use parlour_adapters::SystemClock;
use parlour_agent::answers::Role;
use parlour_dialects::DecodeContext;
use parlour_hub::ports::Clock;

use super::convert::{problems::Problems, reading::Reading};
use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
    session::{Connection, Session},
};

mod caco_source;
mod conversations;
mod file_source;
mod fitting;
pub(super) mod kept;
pub(super) mod naming;
mod parts;
mod places;
mod progress;
mod pynchy_source;
mod report;
mod sending;
mod source;
mod survey;
pub(super) mod system;
mod takeover;
mod told;
mod walker;

use caco_source::CacoSource;
use file_source::FileSource;
use places::Plan;
use pynchy_source::PynchySource;
use report::Report;
use sending::Sending;
use source::Source;
use survey::Survey;
use system::System;
use takeover::Takeover;

const EXAMPLES: &str = "\
Examples:
  parlour import pynchy store/messages.db --dry-run      what would be taken over, and where to
  parlour import pynchy store/messages.db --project Tour
  parlour import jaibber history.json --channel archive  everything into one channel
  parlour import caco ~/.caco --events ~/.copilot/session-state
  parlour import tkr messages.jsonl --lenient            leave out what cannot be read
  parlour import native backup.jsonl

Administrators only. Everything is read first: when one row cannot be taken over, nothing is written. Stop it whenever \
you like and run it again, also when the source has grown since: each message is written once.";

/// Take over the history of another system, with its authors and times
///
/// Each conversation becomes a channel, which is found again by its topic. Nobody is called or notified, and for you
/// everything counts as read.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// The system that wrote it
    #[arg(value_parser = system::system())]
    system: System,
    /// Its database, file or folder
    path: PathBuf,
    /// Put everything into this channel, by name or id
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// For caco: the folder that holds the events of each session
    #[arg(long, value_name = "DIR")]
    events: Option<PathBuf>,
    /// Only tell what would be taken over
    #[arg(long)]
    dry_run: bool,
    /// Leave out what cannot be taken over, and take over the rest
    #[arg(long)]
    lenient: bool,
    /// Mend texts that are UTF-8 read in a wrong encoding
    #[arg(long)]
    repair_encoding: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Import {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        if self.events.is_some() && self.system != System::Caco {
            return Err(Failure::usage("--events is for caco alone"));
        }
        let session = self.connection.open()?;
        let source = self.source()?;
        let project = session.project().await?;
        let takeover = Takeover { system: self.system, project: project.id.clone(), now: SystemClock::default().now() };
        let survey = Survey::of(source.as_ref(), &takeover)?;
        self.tell_problems(&survey.problems)?;
        let into = match &self.channel {
            Some(wanted) => Some(session.channel(wanted).await?),
            None => None,
        };
        let whence = (self.system, source.as_ref());
        let plan = places::plan(&session, &project, whence, &survey.conversations, into.as_ref()).await?;
        let report = Report::new(self.system, &project, &survey, &plan);
        if self.dry_run {
            return session.answer(&report, |report| report.show(&session, &survey, &self.again(&session)));
        }
        self.send(&session, (&survey, &plan), source.as_ref(), &takeover, report).await
    }

    async fn send(
        &self,
        session: &Session,
        (survey, plan): (&Survey, &[Plan]),
        source: &dyn Source,
        takeover: &Takeover,
        report: Report,
    ) -> Result<Output, Failure> {
        // Asked before channels are made that would stay empty.
        if session.client.me().await?.role != Role::Admin {
            return Err(Failure::new("only administrators may import: an import says who wrote what, and when")
                .hint("use the token of an administrator; `--dry-run` works with any"));
        }
        let project = session.project().await?;
        let mut sending = Sending::new((session, &project), takeover, survey, plan);
        sending.go(source).await?;
        let report = report.done(&sending);
        session.answer(&report, |report| report.show(session, survey, ""))
    }

    fn source(&self) -> Result<Box<dyn Source>, Failure> {
        let reading = Reading {
            dialect: self.system.dialect(),
            scene: DecodeContext::history(walker::timeless()),
            repairs_encoding: self.repair_encoding,
        };
        Ok(match self.system {
            System::Pynchy => Box::new(PynchySource::open(&self.path, reading)?),
            System::Caco => Box::new(CacoSource::open(&self.path, self.events.as_deref(), reading)?),
            System::Jaibber | System::Tkr | System::Zen | System::Native => {
                Box::new(FileSource::new(&self.path, self.system, reading))
            }
        })
    }

    /// What cannot be taken over is told; unless that was allowed for, it ends here.
    fn tell_problems(&self, problems: &Problems) -> Result<(), Failure> {
        if problems.count == 0 {
            return Ok(());
        }
        let mut text: String = problems.told.iter().map(|line| format!("{line}\n")).collect();
        if problems.untold() > 0 {
            text += &format!("… and {} more\n", problems.untold());
        }
        // Nobody may be listening on stderr; the exit code still tells.
        let _ = io::stderr().write_all(text.as_bytes());
        if self.lenient {
            return Ok(());
        }
        let (count, verb) = (problems.count, if problems.count == 1 { "row cannot" } else { "rows cannot" });
        Err(Failure::new(format!("{count} {verb} be taken over, so nothing was written"))
            .hint("mend the source, or leave such rows out with --lenient"))
    }

    /// The command without `--dry-run`.
    fn again(&self, session: &Session) -> String {
        let mut words = format!("parlour import {} {}", self.system.as_str(), quoted(&self.path.display().to_string()));
        if let Some(events) = &self.events {
            words += &format!(" --events {}", quoted(&events.display().to_string()));
        }
        if let Some(channel) = &self.channel {
            words += &format!(" --channel {}", quoted(channel));
        }
        if let Some(project) = &session.wanted_project {
            words += &format!(" --project {}", quoted(project));
        }
        for (is_set, flag) in [(self.lenient, " --lenient"), (self.repair_encoding, " --repair-encoding")] {
            words += if is_set { flag } else { "" };
        }
        words
    }
}
