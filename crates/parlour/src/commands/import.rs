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

use super::convert::decode::{DialectDecoder, Problems};
use crate::{
    failure::Failure,
    output::{Output, shell::quoted},
    session::{Connection, Session},
};

mod caco_source;
pub(super) mod channel_plan;
pub(super) mod channel_record;
pub(super) mod original;
mod pynchy_source;
mod report;
mod request;
mod source;
mod survey;
pub(super) mod system;
mod upload;

use caco_source::CacoSource;
use channel_plan::ChannelPlan;
use pynchy_source::PynchySource;
use report::ImportReport;
use request::ImportContext;
use source::{FileSource, ImportSource};
use survey::SourceSurvey;
use system::System;
use upload::ImportUpload;

const EXAMPLES: &str = "\
Examples:
  parlour import pynchy store/messages.db --dry-run      show what would be imported
  parlour import pynchy store/messages.db --project Tour
  parlour import jaibber history.json --channel archive  import everything into one channel
  parlour import caco ~/.caco --events ~/.copilot/session-state
  parlour import tkr messages.jsonl --lenient            skip rows that cannot be imported
  parlour import native backup.jsonl

Administrators only. The whole source is checked first: when one row cannot be imported, nothing is written. You can \
stop the import and repeat it, also when the source has grown: each message is stored once.";

/// Import the history of another system, with its authors and times
///
/// Each conversation becomes a channel, which a later import finds by its topic. Nobody is called or notified, and the
/// messages count as read for you.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportCommand {
    /// ImportSource system
    #[arg(value_parser = system::system())]
    system: System,
    /// Database, file or folder to read
    path: PathBuf,
    /// Import everything into this channel, by name or id
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Folder with the event files of each session (caco only)
    #[arg(long, value_name = "DIR")]
    events: Option<PathBuf>,
    /// Show what would be imported, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Skip rows that cannot be imported
    #[arg(long)]
    lenient: bool,
    /// Repair texts with a wrongly decoded encoding (mojibake)
    #[arg(long)]
    repair_encoding: bool,
    #[command(flatten)]
    connection: Connection,
}

impl ImportCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        if self.events.is_some() && self.system != System::Caco {
            return Err(Failure::usage("--events is only valid for caco"));
        }
        let session = self.connection.open()?;
        let source = self.source()?;
        let project = session.project().await?;
        let context =
            ImportContext { system: self.system, project: project.id.clone(), now: SystemClock::default().now() };
        let survey = SourceSurvey::of(source.as_ref(), &context)?;
        self.print_problems(&survey.problems)?;
        let into = match &self.channel {
            Some(wanted) => Some(session.channel(wanted).await?),
            None => None,
        };
        let whence = (self.system, source.as_ref());
        let plan = channel_plan::plan(&session, &project, whence, &survey.conversations, into.as_ref()).await?;
        let report = ImportReport::new(self.system, &project, &survey, &plan);
        if self.dry_run {
            return session.answer(&report, |report| report.show(&session, &survey, &self.repeat_command(&session)));
        }
        self.send(&session, (&survey, &plan), source.as_ref(), &context, report).await
    }

    async fn send(
        &self,
        session: &Session,
        (survey, plan): (&SourceSurvey, &[ChannelPlan]),
        source: &dyn ImportSource,
        context: &ImportContext,
        report: ImportReport,
    ) -> Result<Output, Failure> {
        // Checked before channels are created.
        if session.client.me().await?.role != Role::Admin {
            return Err(Failure::new(
                "only administrators can import: an import sets the authors and times of messages",
            )
            .hint("use the token of an administrator; `--dry-run` works with any token"));
        }
        let project = session.project().await?;
        let mut sending = ImportUpload::new((session, &project), context, survey, plan);
        sending.go(source).await?;
        let report = report.done(&sending);
        session.answer(&report, |report| report.show(session, survey, ""))
    }

    fn source(&self) -> Result<Box<dyn ImportSource>, Failure> {
        let decoder = DialectDecoder {
            dialect: self.system.dialect(),
            context: DecodeContext::history(source::timeless()),
            repairs_encoding: self.repair_encoding,
        };
        Ok(match self.system {
            System::Pynchy => Box::new(PynchySource::open(&self.path, decoder)?),
            System::Caco => Box::new(CacoSource::open(&self.path, self.events.as_deref(), decoder)?),
            System::Jaibber | System::Tkr | System::Zen | System::Native => {
                Box::new(FileSource::new(&self.path, self.system, decoder))
            }
        })
    }

    /// Prints the problems; they are an error unless --lenient is set.
    fn print_problems(&self, problems: &Problems) -> Result<(), Failure> {
        if problems.count == 0 {
            return Ok(());
        }
        let mut text: String = problems.shown.iter().map(|line| format!("{line}\n")).collect();
        if problems.unshown() > 0 {
            text += &format!("… and {} more\n", problems.unshown());
        }
        // stderr may be closed; the exit code is still set.
        let _ = io::stderr().write_all(text.as_bytes());
        if self.lenient {
            return Ok(());
        }
        let (count, verb) = (problems.count, if problems.count == 1 { "row cannot" } else { "rows cannot" });
        Err(Failure::new(format!("{count} {verb} be imported; nothing was written"))
            .hint("correct the source, or skip such rows with --lenient"))
    }

    fn repeat_command(&self, session: &Session) -> String {
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
