//! `parlour run`: lists and shows runs of agents; a script can drive a run.

use clap::{Args, Subcommand};
use parlour_agent::PageAt;
use parlour_core::{
    id::{RunId, TaskId},
    limits,
    paging::Page,
    run::{Pause, PauseReason, Run, RunFilter, RunState},
};

use super::{interrupt::Interrupt, timeline::RunTimeline};
use crate::{
    failure::{EXIT_INTERRUPTED, Failure},
    output::{Output, plain::one_line, table::Table},
    resolve::{ChannelLabels, MemberNames},
    session::{Connection, Session},
};

mod handles;
mod injections;
mod lifecycle;

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    List(RunList),
    Show(RunShow),
    Timeline(RunTimeline),
    Injections(injections::RunInjections),
    Start(lifecycle::RunStart),
    Checkpoint(lifecycle::RunCheckpoint),
    Beat(lifecycle::RunBeat),
    Resume(lifecycle::RunResume),
    Finish(lifecycle::RunFinish),
    Cancel(lifecycle::RunCancel),
}

impl RunCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Show(command) => command.run().await,
            Self::Timeline(command) => command.run().await,
            Self::Injections(command) => command.run().await,
            Self::Start(command) => command.run().await,
            Self::Checkpoint(command) => command.run().await,
            Self::Beat(command) => command.run().await,
            Self::Resume(command) => command.run().await,
            Self::Finish(command) => command.run().await,
            Self::Cancel(command) => command.run().await,
        }
    }
}

const LIST_EXAMPLES: &str = "\
Examples:
  parlour run list                   latest runs of the project
  parlour run list --open            running and paused ones
  parlour run list --agent Coder
  parlour run list --task tsk_01K…";

/// List the runs of the project, newest first
#[derive(Args, Debug)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct RunList {
    /// Only runs that are running or paused
    #[arg(long)]
    open: bool,
    /// Only runs of this agent, by name or id
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only runs of this task
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// Maximum number of results
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl RunList {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let project = session.project().await?.id;
        let agent_id = match &self.agent {
            Some(wanted) => Some(session.agent_in(&project, wanted).await?),
            None => None,
        };
        let filter = RunFilter { agent_id, task_id: self.task, only_open: self.open };
        let page = PageAt { limit: self.limit, cursor: None };
        let runs = session.client.runs(Some(&project), &filter, &page).await?;
        let (names, labels) = (session.names_in(&project).await?, session.labels_in(&project).await?);
        session.answer(&runs, |runs| show_runs(&session, &names, &labels, runs))
    }
}

fn show_runs(session: &Session, names: &MemberNames, labels: &ChannelLabels, runs: &Page<Run>) -> String {
    if runs.items.is_empty() {
        return "No runs.\n".to_owned();
    }
    let mut table = Table::new(&["run", "agent", "state", "started", "in", "label"]);
    for run in &runs.items {
        let began = session.local_time.show(run.started_at);
        let conversation = run.conversation_id.as_ref().map_or_else(|| "–".to_owned(), |id| labels.of(id));
        let what = run.label.clone().or_else(|| run.reason.clone()).unwrap_or_default();
        table.row(&[run.id.as_str(), &names.of_agent(&run.agent_id), run.state.as_str(), &began, &conversation, &what]);
    }
    let more = if runs.next.is_some() { "\nMore results exist; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}

const SHOW_EXAMPLES: &str = "\
Examples:
  parlour run show run_01K…
  parlour run show run_01K… --wait    wait until it is not paused";

/// Show a run: its state, its pauses, its end
#[derive(Args, Debug)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct RunShow {
    /// Run, by id
    run: RunId,
    /// Wait while the run is paused
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    connection: Connection,
}

impl RunShow {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let mut interrupt = Interrupt::catch()?;
        let run = tokio::select! {
            run = read_run(&session, &self.run, self.wait) => run?,
            () = interrupt.caught() => return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
        };
        let names = session.names_in(&run.project_id).await?;
        let labels = session.labels_in(&run.project_id).await?;
        session.answer(&run, |run| show_run(&session, &names, &labels, run))
    }
}

/// Reads the run; with `is_waited` again until it is not paused.
async fn read_run(session: &Session, id: &RunId, is_waited: bool) -> Result<Run, Failure> {
    let seconds = if is_waited { limits::WAIT_SECONDS_MAX as u64 } else { 0 };
    loop {
        let run = session.client.run(id, seconds).await?;
        if !is_waited || run.state != RunState::Paused {
            return Ok(run);
        }
    }
}

fn show_run(session: &Session, names: &MemberNames, labels: &ChannelLabels, run: &Run) -> String {
    let agent = one_line(&names.of_agent(&run.agent_id));
    let mut text = format!("{}  {agent}  {}\n", run.id, run.state.as_str());
    let mut line = |what: &str, value: Option<String>| {
        text += &value.map(|value| format!("  {what:<8} {value}\n")).unwrap_or_default();
    };
    line("label", run.label.as_deref().map(one_line));
    line("started", Some(session.local_time.show(run.started_at)));
    line("ended", run.finished_at.map(|at| session.local_time.show(at)));
    line("reason", run.reason.as_deref().map(one_line));
    line("in", run.conversation_id.as_ref().map(|id| labels.of(id)));
    line("message", run.message_id.as_ref().map(ToString::to_string));
    line("task", run.task_id.as_ref().map(ToString::to_string));
    line("lease", (run.state == RunState::Running).then(|| format!("{} s", run.lease_seconds)));
    for pause in &run.pauses {
        line("paused", Some(pause_line(session, pause)));
    }
    let is_hidden = run.state == RunState::Paused && run.pauses.is_empty();
    line("paused", is_hidden.then(|| "by a message that you cannot read".to_owned()));
    text
}

fn pause_line(session: &Session, pause: &Pause) -> String {
    let since = session.local_time.show(pause.since);
    let who = one_line(&pause.from.name);
    match pause.reason {
        PauseReason::Message => format!("since {since} by {} from {who}", pause.message_id),
        PauseReason::Asked => format!("since {since}, waits for the answer to its own question {}", pause.message_id),
    }
}
