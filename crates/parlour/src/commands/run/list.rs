use clap::Args;
use parlour_agent::PageAt;
use parlour_core::{
    id::TaskId,
    paging::Page,
    run::{Run, RunFilter},
};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    resolve::{Labels, Names},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour run list                   the latest of the project
  parlour run list --open            those that go on or are paused
  parlour run list --agent Coder
  parlour run list --task tsk_01K…";

/// List the runs of the project, newest first
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Only those that have not ended
    #[arg(long)]
    open: bool,
    /// Only those of this agent, by name or id
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only those for this task
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// How many
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl List {
    pub(super) async fn run(self) -> Result<Output, Failure> {
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
        session.answer(&runs, |runs| show(&session, &names, &labels, runs))
    }
}

fn show(session: &Session, names: &Names, labels: &Labels, runs: &Page<Run>) -> String {
    if runs.items.is_empty() {
        return "No runs.\n".to_owned();
    }
    let mut table = Table::new(&["run", "agent", "state", "began", "in", "what"]);
    for run in &runs.items {
        let began = session.moments.show(run.started_at);
        let place = run.conversation_id.as_ref().map_or_else(|| "–".to_owned(), |id| labels.of(id));
        let what = run.label.clone().or_else(|| run.reason.clone()).unwrap_or_default();
        table.row(&[run.id.as_str(), &names.of_agent(&run.agent_id), run.state.as_str(), &began, &place, &what]);
    }
    let more = if runs.next.is_some() { "\nThere is more; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}
