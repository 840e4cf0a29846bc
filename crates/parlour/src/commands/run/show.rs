use clap::Args;
use parlour_core::{
    id::RunId,
    limits,
    run::{Pause, PauseReason, Run, RunState},
};

use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_INTERRUPTED, Failure},
    output::{Output, plain::one_line},
    resolve::{Labels, Names},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour run show run_01K…
  parlour run show run_01K… --wait    come back when it is not paused";

/// Show a run: how far it is, what it is paused for, how it ended
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// The run, by id
    run: RunId,
    /// Wait while it is paused
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Show {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let mut interrupt = Interrupt::catch()?;
        let run = tokio::select! {
            run = read(&session, &self.run, self.wait) => run?,
            () = interrupt.caught() => return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
        };
        let names = session.names_in(&run.project_id).await?;
        let labels = session.labels_in(&run.project_id).await?;
        session.answer(&run, |run| show(&session, &names, &labels, run))
    }
}

/// Reads the run; one that is paused is read again until it is not, when that is wanted.
async fn read(session: &Session, id: &RunId, is_waited: bool) -> Result<Run, Failure> {
    let seconds = if is_waited { limits::WAIT_SECONDS_MAX as u64 } else { 0 };
    loop {
        let run = session.client.run(id, seconds).await?;
        if !is_waited || run.state != RunState::Paused {
            return Ok(run);
        }
    }
}

fn show(session: &Session, names: &Names, labels: &Labels, run: &Run) -> String {
    let agent = one_line(&names.of_agent(&run.agent_id));
    let mut text = format!("{}  {agent}  {}\n", run.id, run.state.as_str());
    let mut line = |what: &str, value: Option<String>| {
        text += &value.map(|value| format!("  {what:<8} {value}\n")).unwrap_or_default();
    };
    line("does", run.label.as_deref().map(one_line));
    line("began", Some(session.moments.show(run.started_at)));
    line("ended", run.finished_at.map(|at| session.moments.show(at)));
    line("because", run.reason.as_deref().map(one_line));
    line("in", run.conversation_id.as_ref().map(|id| labels.of(id)));
    line("led by", run.message_id.as_ref().map(ToString::to_string));
    line("task", run.task_id.as_ref().map(ToString::to_string));
    line("lease", (run.state == RunState::Running).then(|| format!("{} s", run.lease_seconds)));
    for pause in &run.pauses {
        line("paused", Some(pause_line(session, pause)));
    }
    let is_hidden = run.state == RunState::Paused && run.pauses.is_empty();
    line("paused", is_hidden.then(|| "by a message that you may not read".to_owned()));
    text
}

/// Who pauses it, since when, and why.
pub(super) fn pause_line(session: &Session, pause: &Pause) -> String {
    let since = session.moments.show(pause.since);
    let who = one_line(&pause.from.name);
    match pause.reason {
        PauseReason::Message => format!("since {since} by {} of {who}", pause.message_id),
        PauseReason::Asked => format!("since {since} for the answer to its own {}", pause.message_id),
    }
}
