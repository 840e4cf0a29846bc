use clap::Args;
use parlour_core::{checkpoint::RunFinished, id::RunId, run::FinishRun};

use crate::{
    failure::Failure,
    output::{
        Output,
        plain::{harmless, one_line},
    },
    session::Connection,
};

const FINISH_EXAMPLES: &str = "\
Examples:
  parlour run finish run_01K…
  parlour run finish run_01K… --failed 'the compiler is missing'";

/// End a run
///
/// Shows once what the agent has not read. For its own agent; others cancel it.
#[derive(Args, Debug)]
#[command(after_help = FINISH_EXAMPLES)]
pub(crate) struct Finish {
    /// The run, by id
    run: RunId,
    /// It has failed, and why
    #[arg(long, value_name = "REASON")]
    failed: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Finish {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = FinishRun { failed: self.failed, usage: None };
        let finished = session.client.finish_run(&self.run, &request).await?;
        session.answer(&finished, show)
    }
}

/// How it ended, and what is still to be read.
fn show(finished: &RunFinished) -> String {
    let nudge = finished.nudge.as_deref().map(|nudge| format!("\n{}\n", harmless(nudge.trim_end())));
    format!("The run is {}.\n{}", finished.run.state.as_str(), nudge.unwrap_or_default())
}

const CANCEL_EXAMPLES: &str = "\
Examples:
  parlour run cancel run_01K…
  parlour run cancel run_01K… --reason 'the plan has changed'";

/// Stop a run
///
/// Its own agent can, and any person who sees it. The agent learns it at its next checkpoint at the latest.
#[derive(Args, Debug)]
#[command(after_help = CANCEL_EXAMPLES)]
pub(crate) struct Cancel {
    /// The run, by id
    run: RunId,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Cancel {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let run = session.client.cancel_run(&self.run, self.reason.as_deref()).await?;
        session.answer(&run, |run| match &run.reason {
            Some(reason) => format!("The run is {}: {}.\n", run.state.as_str(), one_line(reason).trim_end_matches('.')),
            None => format!("The run is {}.\n", run.state.as_str()),
        })
    }
}
