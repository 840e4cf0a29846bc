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
    failure::Failure,
    output::Output,
    session::{Connection, Session},
};

mod describe;
mod filter;
mod lines;
mod names;
mod notes;
mod since;

use filter::Filter;
use lines::Lines;
use names::Names;
use notes::Notes;
use since::Since;

const EXAMPLES: &str = "\
Examples:
  parlour tail                                  what happens from now on, until Ctrl+C
  parlour tail --channel general --channel ops  only these channels, with their threads
  parlour tail --since start                    everything that the log holds, then live
  parlour tail --since 4XQ0Z7-128               go on where a tail before has stopped
  parlour tail --json | jq -r 'select(.name == \"messaging.posted\") | .data.body'

With --json each line is one frame: an event, or a gap when events are missing for good. Each has a `position`; pass \
the last one that you have handled as --since, and nothing is lost and nothing comes twice.";

/// Follow a project for ever
///
/// Shows what happens as it happens. A lost connection and a restart of the hub are noted on stderr and bridged:
/// nothing is lost or shown twice. Ctrl+C stops and says on stderr where to go on.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tail {
    /// Begin after this position, or at the `start` of the log; without it, now
    #[arg(long, value_name = "POSITION")]
    since: Option<Since>,
    /// Only what happens in this channel, by name or id, and in its threads; can be given several times
    #[arg(long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Tail {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?;
        let mut tailing = Tailing {
            filter: Filter::load(&session, &self.channels).await?,
            printer: Printer::load(&session, &project).await?,
            notes: Notes::new(project.name.as_str()),
            last: None,
        };
        // Only now: until here Ctrl+C may end the program as it likes.
        let mut interrupt = Interrupt::catch()?;
        let mut live = Live::follow(&session.client, &project.id, self.since.unwrap_or_default().into());
        loop {
            tokio::select! {
                item = live.next() => match item.map(|item| tailing.take(item)) {
                    Ok(Ok(())) => {}
                    // The reader of the pipe has seen enough.
                    Ok(Err(_)) => return Ok(Output::default()),
                    Err(error) => return Err(ended(&project, &error)),
                },
                () = interrupt.caught() => break,
            }
        }
        tailing.notes.say_where_to_go_on(tailing.last.as_ref());
        Ok(Output::default())
    }
}

/// Why a project cannot be followed any more, and what to do about it.
fn ended(project: &Project, error: &LiveError) -> Failure {
    match error {
        LiveError::AccessEnded => {
            Failure::new(format!("you may no longer read {} ({})", project.name, CloseCode::AccessEnded.number()))
                .hint("ask an owner of the project, or an administrator, to let you in again")
        }
        LiveError::SignedOut(_) => Failure::new(error.to_string())
            .hint("export PARLOUR_TOKEN=… with your present token; an administrator can make a new one"),
        LiveError::Refused { code, .. } if code == Code::NotFound.as_str() => Failure::new(error.to_string())
            .hint("you may have been taken out of the project; `parlour project list` shows yours"),
        _ => Failure::new(error.to_string()),
    }
}

/// What a tail keeps in mind from item to item.
struct Tailing {
    filter: Filter,
    printer: Printer,
    notes: Notes,
    /// Everything up to here was shown.
    last: Option<Position>,
}

impl Tailing {
    /// Shows an item, or says that nobody reads any more.
    fn take(&mut self, item: LiveItem) -> io::Result<()> {
        self.notes.take(&item);
        let position = item.position().cloned();
        if let Some(text) = self.text_of(item) {
            write_now(&text)?;
        }
        // Only now: what could not be written was not shown.
        self.last = position.or(self.last.take());
        Ok(())
    }

    fn text_of(&mut self, item: LiveItem) -> Option<String> {
        match item {
            LiveItem::Event(event) => {
                let is_wanted = self.filter.lets_through(&event.change);
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

/// How frames are shown.
enum Printer {
    /// One frame for each line, for programs.
    Json,
    /// For people.
    Human(Lines),
}

impl Printer {
    async fn load(session: &Session, project: &Project) -> Result<Self, Failure> {
        if session.is_json {
            return Ok(Self::Json);
        }
        let names = Names::of(&session.client.snapshot(&project.id).await?);
        Ok(Self::Human(Lines { style: session.style, moments: session.moments.clone(), names }))
    }

    fn is_json(&self) -> bool {
        matches!(self, Self::Json)
    }

    /// The text for a frame, line breaks included; a gap is told to people by a note.
    fn text_of(&mut self, frame: ServerFrame) -> Option<String> {
        match (self, frame) {
            (Self::Json, frame) => Some(serde_json::to_string(&frame).expect("a frame is plain data") + "\n"),
            (Self::Human(lines), ServerFrame::Event(event)) => lines.show(&event),
            (Self::Human(_), _) => None,
        }
    }
}

/// Written at once: whoever reads wants to know now.
fn write_now(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
