use clap::Args;
use parlour_core::{
    checkpoint::{Checkpoint, CheckpointDecision},
    id::{MessageId, RunId},
    run::{Run, RunState},
};

use super::{handles::with_commands, show::pause_line};
use crate::{
    failure::{EXIT_UNMET, Failure},
    output::{Output, plain::harmless},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Example:
  parlour run checkpoint run_01K…

The program ends with 0 when the run may go on and with 3 when it is to pause; then stdout holds what to handle first. \
Handle it, usually by a reply, and go on with `parlour run resume`.";

/// Ask whether a run may go on, between two steps of its work
///
/// Renews the lease of the run too. For its own agent.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AtCheckpoint {
    /// The run, by id
    run: RunId,
    #[command(flatten)]
    connection: Connection,
}

impl AtCheckpoint {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let checkpoint = session.client.checkpoint(&self.run).await?;
        let output = session.answer(&checkpoint, |checkpoint| show(&session, checkpoint))?;
        let exit = match checkpoint.verdict {
            CheckpointDecision::Continue => 0,
            CheckpointDecision::Pause => EXIT_UNMET,
        };
        Ok(Output { exit, ..output })
    }
}

/// What is to be handled, as the model would be told it; otherwise one word and what else waits.
fn show(session: &Session, checkpoint: &Checkpoint) -> String {
    match (checkpoint.verdict, &checkpoint.injection) {
        (CheckpointDecision::Continue, _) => match checkpoint.unread.total {
            0 => "Go on.\n".to_owned(),
            1 => "Go on. 1 message is unread.\n".to_owned(),
            count => format!("Go on. {count} messages are unread.\n"),
        },
        (CheckpointDecision::Pause, Some(injection)) => harmless(&with_commands(injection.trim_end())) + "\n",
        (CheckpointDecision::Pause, None) => still_paused(session, &checkpoint.run),
    }
}

fn still_paused(session: &Session, run: &Run) -> String {
    let lines: String = run.pauses.iter().map(|pause| format!("  {}\n", pause_line(session, pause))).collect();
    format!("Paused:\n{lines}")
}

/// Renew the lease of a run from the middle of a step
///
/// For its own agent.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour run beat run_01K…")]
pub(crate) struct Beat {
    /// The run, by id
    run: RunId,
    #[command(flatten)]
    connection: Connection,
}

impl Beat {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.beat_run(&self.run).await?;
        session.answer(&run, |run| match run.state {
            RunState::Running => format!("The run has another {} seconds.\n", run.lease_seconds),
            _ => still_paused(&session, run),
        })
    }
}

const RESUME_EXAMPLES: &str = "\
Examples:
  parlour run resume run_01K…              from everything that pauses it
  parlour run resume run_01K… msg_01K…     from this message only";

/// Let a paused run go on
///
/// Its own agent can, when it has handled the message, and any person who sees the run. When a person resumes a run that
/// waits for the answer to its own question, the question is withdrawn.
#[derive(Args, Debug)]
#[command(after_help = RESUME_EXAMPLES)]
pub(crate) struct Resume {
    /// The run, by id
    run: RunId,
    /// The message that was handled; all that pause the run without it
    message: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl Resume {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.resume_run(&self.run, self.message.as_ref()).await?;
        session.answer(&run, |run| match run.state {
            RunState::Paused => still_paused(&session, run),
            _ => "The run goes on.\n".to_owned(),
        })
    }
}
