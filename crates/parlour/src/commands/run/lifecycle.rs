//! `parlour run start`, `checkpoint`, `beat`, `resume`, `finish` and `cancel`.

use clap::Args;
use parlour_core::{
    checkpoint::{Checkpoint, CheckpointDecision, CheckpointDelivery, RunFinished},
    id::{ConversationId, MessageId, RunId, TaskId},
    run::{FinishRun, Run, RunState, StartRun},
};

use super::{handles::with_commands, pause_line};
use crate::{
    failure::{EXIT_UNMET, Failure},
    lifetime::Lifetime,
    output::{
        Output,
        plain::{harmless, one_line},
    },
    session::{Connection, Session},
};

const START_EXAMPLES: &str = "\
Examples:
  parlour run start --label 'Mend the build' --in general
  parlour run start --task tsk_01K… --lease 10m
  run=$(parlour run start --label nightly --json | jq -r .id)
  parlour run start --agent Coder --label 'by hand'     for an agent (administrators)";

/// Start a run of an agent
///
/// Other members see the run and can pause it with a question: call `parlour run checkpoint` between two steps. A run
/// whose lease is not renewed in time fails; finish it with `parlour run finish`.
#[derive(Args, Debug)]
#[command(after_help = START_EXAMPLES)]
pub(crate) struct RunStart {
    /// Label of the run, one line
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Conversation of the run; its readers can see the run
    #[arg(long = "in", value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Message that triggered the run
    #[arg(long, value_name = "MESSAGE")]
    message: Option<MessageId>,
    /// Task of the run
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// Agent, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Lease: the run fails when it is not renewed within this time, for example 30s; default: 2m
    #[arg(long, value_name = "TIME")]
    lease: Option<Lifetime>,
    /// Client-chosen run id; a repeated command with the same id starts one run
    #[arg(long, value_name = "RUN")]
    id: Option<RunId>,
    #[command(flatten)]
    connection: Connection,
}

impl RunStart {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = self.request(&session).await?;
        let run = session.client.start_run(&request).await?;
        session.answer(&run, |run| {
            format!("Run {} started.\n{}", run.id, session.next(&format!("parlour run checkpoint {}", run.id)))
        })
    }

    async fn request(self, session: &Session) -> Result<StartRun, Failure> {
        let agent_id = match &self.agent {
            Some(wanted) => Some(session.agent(wanted).await?),
            None => None,
        };
        let request = StartRun {
            id: self.id,
            agent_id,
            label: self.label,
            message_id: self.message,
            task_id: self.task,
            lease_seconds: self.lease.map(|time| time.0),
            ..StartRun::default()
        };
        let Some(conversation) = &self.conversation else { return Ok(request) };
        Ok(match session.conversation(conversation).await?.id {
            ConversationId::Channel(id) => StartRun { channel_id: Some(id), ..request },
            ConversationId::Thread(id) => StartRun { thread_id: Some(id), ..request },
            ConversationId::Dm(id) => StartRun { dm_id: Some(id), ..request },
        })
    }
}

const CHECKPOINT_EXAMPLES: &str = "\
Example:
  parlour run checkpoint run_01K…

The exit code is 0 when the run may continue, and 3 when it has to pause; stdout then contains the messages to handle. \
Handle them, usually with a reply, and continue with `parlour run resume`.";

/// Report a checkpoint between two steps of a run, and ask whether to continue
///
/// Also renews the lease of the run. Only for the agent of the run.
#[derive(Args, Debug)]
#[command(after_help = CHECKPOINT_EXAMPLES)]
pub(crate) struct RunCheckpoint {
    /// Run, by id
    run: RunId,
    #[command(flatten)]
    connection: Connection,
}

impl RunCheckpoint {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let checkpoint = session.client.checkpoint(&self.run, CheckpointDelivery::Checkpoint).await?;
        let output = session.answer(&checkpoint, |checkpoint| show_checkpoint(&session, checkpoint))?;
        let exit = match checkpoint.verdict {
            CheckpointDecision::Continue => 0,
            CheckpointDecision::Pause => EXIT_UNMET,
        };
        Ok(Output { exit, ..output })
    }
}

/// The injection of a pause, or "Continue" with the number of unread messages.
fn show_checkpoint(session: &Session, checkpoint: &Checkpoint) -> String {
    match (checkpoint.verdict, &checkpoint.injection) {
        (CheckpointDecision::Continue, _) => match checkpoint.unread.total {
            0 => "Continue.\n".to_owned(),
            1 => "Continue. 1 unread message.\n".to_owned(),
            count => format!("Continue. {count} unread messages.\n"),
        },
        (CheckpointDecision::Pause, Some(injection)) => harmless(&with_commands(injection.trim_end())) + "\n",
        (CheckpointDecision::Pause, None) => still_paused(session, &checkpoint.run),
    }
}

fn still_paused(session: &Session, run: &Run) -> String {
    let lines: String = run.pauses.iter().map(|pause| format!("  {}\n", pause_line(session, pause))).collect();
    format!("Paused:\n{lines}")
}

/// Renew the lease of a run during a step
///
/// Only for the agent of the run.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour run beat run_01K…")]
pub(crate) struct RunBeat {
    /// Run, by id
    run: RunId,
    #[command(flatten)]
    connection: Connection,
}

impl RunBeat {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.beat_run(&self.run).await?;
        session.answer(&run, |run| match run.state {
            RunState::Running => format!("Lease renewed for {} seconds.\n", run.lease_seconds),
            _ => still_paused(&session, run),
        })
    }
}

const RESUME_EXAMPLES: &str = "\
Examples:
  parlour run resume run_01K…              end all pauses
  parlour run resume run_01K… msg_01K…     end the pause for this message";

/// Resume a paused run
///
/// Allowed for the agent of the run after it handled the message, and for every person who can see the run. When a person
/// resumes a run that waits for the answer to its own question, the question is withdrawn.
#[derive(Args, Debug)]
#[command(after_help = RESUME_EXAMPLES)]
pub(crate) struct RunResume {
    /// Run, by id
    run: RunId,
    /// Message that was handled; default: all that pause the run
    message: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl RunResume {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.resume_run(&self.run, self.message.as_ref()).await?;
        session.answer(&run, |run| match run.state {
            RunState::Paused => still_paused(&session, run),
            _ => "The run was resumed.\n".to_owned(),
        })
    }
}

const FINISH_EXAMPLES: &str = "\
Examples:
  parlour run finish run_01K…
  parlour run finish run_01K… --failed 'the compiler is missing'";

/// Finish a run
///
/// Prints the agent's unread messages once. Only for the agent of the run; others use `parlour run cancel`.
#[derive(Args, Debug)]
#[command(after_help = FINISH_EXAMPLES)]
pub(crate) struct RunFinish {
    /// Run, by id
    run: RunId,
    /// Finish as failed, with this reason
    #[arg(long, value_name = "REASON")]
    failed: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl RunFinish {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = FinishRun { failed: self.failed, usage: None };
        let finished = session.client.finish_run(&self.run, &request).await?;
        session.answer(&finished, show_finished)
    }
}

fn show_finished(finished: &RunFinished) -> String {
    let nudge = finished.nudge.as_deref().map(|nudge| format!("\n{}\n", harmless(nudge.trim_end())));
    format!("The run is {}.\n{}", finished.run.state.as_str(), nudge.unwrap_or_default())
}

const CANCEL_EXAMPLES: &str = "\
Examples:
  parlour run cancel run_01K…
  parlour run cancel run_01K… --reason 'the plan has changed'";

/// Cancel a run
///
/// Allowed for the agent of the run and for every person who can see it. The agent is notified at its next checkpoint at
/// the latest.
#[derive(Args, Debug)]
#[command(after_help = CANCEL_EXAMPLES)]
pub(crate) struct RunCancel {
    /// Run, by id
    run: RunId,
    /// Reason
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl RunCancel {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.cancel_run(&self.run, self.reason.as_deref()).await?;
        session.answer(&run, |run| match &run.reason {
            Some(reason) => format!("The run is {}: {}.\n", run.state.as_str(), one_line(reason).trim_end_matches('.')),
            None => format!("The run is {}.\n", run.state.as_str()),
        })
    }
}
