//! `parlour tail`: follows a project for ever.

use std::io::{self, Write};

use clap::Args;
use parlour_agent::live::{Live, LiveError, LiveItem};
use parlour_core::{
    Code,
    live::{CloseCode, ServerFrame},
    position::Position,
    project::Project,
};

use super::interrupt::Interrupt;
use crate::{
    failure::{Failure, SIGN_IN_AGAIN},
    output::Output,
    session::{Connection, Session},
};

mod event_formatter;
mod filter;
mod name_cache;
mod status_notes;

use event_formatter::EventFormatter;
use filter::{ChannelFilter, Since};
use name_cache::NameCache;
use status_notes::StatusNotes;

const EXAMPLES: &str = "\
Examples:
  parlour tail                                  new events, until Ctrl+C
  parlour tail --channel general --channel ops  only these channels and their threads
  parlour tail --since start                    the whole log, then new events
  parlour tail --since 4XQ0Z7-128               continue after this position
  parlour tail --json | jq -r 'select(.name == \"messaging.posted\") | .data.body'

With --json each line is one frame: an event, or a gap when events are no longer available. Each has a `position`; pass \
the last one that you processed as --since to continue without loss or duplicates.";

/// Follow the events of a project
///
/// Prints events as they happen. Reconnects after a lost connection or a restart of the hub, without loss or duplicates,
/// and reports that on stderr. Ctrl+C stops and prints to stderr how to continue.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TailCommand {
    /// Start after this position, or at the `start` of the log; default: now
    #[arg(long, value_name = "POSITION")]
    since: Option<Since>,
    /// Only events of this channel, by name or id, and of its threads; can be repeated
    #[arg(long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

impl TailCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let mut output = TailOutput {
            filter: ChannelFilter::load(&session, &self.channels).await?,
            printer: Printer::load(&session, &project).await?,
            notes: StatusNotes::new(project.name.as_str()),
            last: None,
        };
        // Not earlier: until here Ctrl+C ends the process.
        let mut interrupt = Interrupt::catch()?;
        let mut live = Live::follow(&session.client, &project.id, self.since.unwrap_or_default().into());
        loop {
            tokio::select! {
                item = live.next() => match item.map(|item| output.take(item)) {
                    Ok(Ok(())) => {}
                    // The reader closed the pipe.
                    Ok(Err(_)) => return Ok(Output::default()),
                    Err(error) => return Err(ended(&project, &error)),
                },
                () = interrupt.caught() => break,
            }
        }
        output.notes.print_how_to_continue(output.last.as_ref());
        Ok(Output::default())
    }
}

/// The reason why the project can no longer be followed, with a hint.
fn ended(project: &Project, error: &LiveError) -> Failure {
    match error {
        LiveError::AccessEnded => {
            Failure::new(format!("access to {} has ended ({})", project.name, CloseCode::AccessEnded.number()))
                .hint("ask an owner of the project or an administrator to add you again")
        }
        LiveError::SignedOut(_) => Failure::new(error.to_string()).hint(SIGN_IN_AGAIN),
        LiveError::Refused { code, .. } if code == Code::NotFound.as_str() => Failure::new(error.to_string())
            .hint("you may have been removed from the project; `parlour project list` shows your projects"),
        _ => Failure::new(error.to_string()),
    }
}

/// The state of a tail between events.
struct TailOutput {
    filter: ChannelFilter,
    printer: Printer,
    notes: StatusNotes,
    /// The last position that was printed.
    last: Option<Position>,
}

impl TailOutput {
    /// Prints an item; an error if stdout is closed.
    fn take(&mut self, item: LiveItem) -> io::Result<()> {
        self.notes.take(&item);
        let position = item.position().cloned();
        if let Some(text) = self.text_of(item) {
            write_now(&text)?;
        }
        // After the write: an event that was not written does not count.
        self.last = position.or(self.last.take());
        Ok(())
    }

    fn text_of(&mut self, item: LiveItem) -> Option<String> {
        match item {
            LiveItem::Event(event) => {
                let is_wanted = self.filter.matches(&event.change);
                self.printer.text_of(ServerFrame::Event(event)).filter(|_| is_wanted)
            }
            LiveItem::Gap(gap) => self.printer.text_of(ServerFrame::Gap(gap)),
            LiveItem::Other(frame) if frame.position.is_some() && !self.filter.is_set() => {
                self.printer.is_json().then(|| format!("{}\n", frame.json))
            }
            _ => None,
        }
    }
}

enum Printer {
    /// One frame for each line, for programs.
    Json,
    Human(EventFormatter),
}

impl Printer {
    async fn load(session: &Session, project: &Project) -> Result<Self, Failure> {
        if session.is_json {
            return Ok(Self::Json);
        }
        let names = NameCache::of(&session.client.snapshot(&project.id).await?);
        Ok(Self::Human(EventFormatter { style: session.style, local_time: session.local_time.clone(), names }))
    }

    fn is_json(&self) -> bool {
        matches!(self, Self::Json)
    }

    /// The text for a frame; gaps are status notes in the text format.
    fn text_of(&mut self, frame: ServerFrame) -> Option<String> {
        match (self, frame) {
            (Self::Json, frame) => Some(serde_json::to_string(&frame).expect("a frame is plain data") + "\n"),
            (Self::Human(lines), ServerFrame::Event(event)) => lines.show(&event),
            (Self::Human(_), _) => None,
        }
    }
}

/// Flushes after each event.
fn write_now(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
