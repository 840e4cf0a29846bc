use clap::Args;
use parlour_core::{
    id::{ConversationId, MessageId, RunId, TaskId},
    run::StartRun,
};

use crate::{
    failure::Failure,
    lifetime::Lifetime,
    output::Output,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour run start --label 'Mend the build' --in general
  parlour run start --task tsk_01K… --lease 10m
  run=$(parlour run start --label nightly --json | jq -r .id)
  parlour run start --agent Coder --label 'by hand'     for an agent, as an administrator";

/// Begin a run of an agent
///
/// Others see that the agent works, and can pause it with a question: ask `parlour run checkpoint` between two steps. A
/// run that gives no sign for the time of its lease has failed; end it with `parlour run finish`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Start {
    /// What it does, in a line
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The conversation that it belongs to; who reads that sees the run
    #[arg(long = "in", value_name = "CONVERSATION")]
    place: Option<String>,
    /// The message that led to it
    #[arg(long, value_name = "MESSAGE")]
    message: Option<MessageId>,
    /// The task that it works on
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// The agent, by name or id; without it, the one that the token belongs to
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// After which time without a sign it has failed, such as 30s or 10m; two minutes without it
    #[arg(long, value_name = "TIME")]
    lease: Option<Lifetime>,
    /// An id of your own: the same command with the same id begins one run
    #[arg(long, value_name = "RUN")]
    id: Option<RunId>,
    #[command(flatten)]
    connection: Connection,
}

impl Start {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = self.request(&session).await?;
        let run = session.client.start_run(&request).await?;
        session.answer(&run, |run| {
            format!("The run {} goes on.\n{}", run.id, session.next(&format!("parlour run checkpoint {}", run.id)))
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
        let Some(place) = &self.place else { return Ok(request) };
        Ok(match session.place(place).await?.id {
            ConversationId::Channel(id) => StartRun { channel_id: Some(id), ..request },
            ConversationId::Thread(id) => StartRun { thread_id: Some(id), ..request },
            ConversationId::Dm(id) => StartRun { dm_id: Some(id), ..request },
        })
    }
}
