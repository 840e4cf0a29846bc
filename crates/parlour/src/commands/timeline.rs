//! `parlour run timeline` and `parlour task timeline`: what happened, one moment after another.

use clap::Args;
use parlour_agent::PageAt;
use parlour_core::{
    id::{RunId, TaskId},
    paging::Page,
    timeline::{TimelineEntry, TimelineEntryKind},
};

use crate::{
    failure::Failure,
    output::{Output, table::Table},
    session::{Connection, Session},
};

/// Show what happened in a run, oldest first
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour run timeline run_01K…")]
pub(crate) struct RunTimeline {
    /// The run, by id
    run: RunId,
    #[command(flatten)]
    range: Range,
}

/// Show what happened to a task and in its runs, oldest first
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour task timeline tsk_01K…")]
pub(crate) struct TaskTimeline {
    /// The task, by id
    task: TaskId,
    #[command(flatten)]
    range: Range,
}

/// How much of it is shown.
#[derive(Args, Debug)]
struct Range {
    /// How many moments
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    #[command(flatten)]
    connection: Connection,
}

impl RunTimeline {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.range.connection.open()?;
        let page = session.client.run_timeline(&self.run, &self.range.page()).await?;
        session.answer(&page, |page| show(&session, page))
    }
}

impl TaskTimeline {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.range.connection.open()?;
        let page = session.client.task_timeline(&self.task, &self.range.page()).await?;
        session.answer(&page, |page| show(&session, page))
    }
}

impl Range {
    fn page(&self) -> PageAt {
        PageAt { limit: self.limit, cursor: None }
    }
}

fn show(session: &Session, page: &Page<TimelineEntry>) -> String {
    if page.items.is_empty() {
        return "Nothing has happened that you may see.\n".to_owned();
    }
    let mut table = Table::new(&["when", "what", "by", "about", "more"]);
    for moment in &page.items {
        let when = session.moments.show(moment.at);
        let message = moment.message_id.as_ref().map(ToString::to_string);
        let about = message.or_else(|| moment.run_id.as_ref().map(ToString::to_string)).unwrap_or_default();
        let more = moment.detail.as_deref().unwrap_or_default();
        table.row(&[&when, words(moment.kind), &moment.by.name, &about, more]);
    }
    let more = if page.next.is_some() { "\nThere is more; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}

fn words(kind: TimelineEntryKind) -> &'static str {
    match kind {
        TimelineEntryKind::RunStarted => "run began",
        TimelineEntryKind::Paused => "paused",
        TimelineEntryKind::Asked => "asked",
        TimelineEntryKind::Resumed => "went on",
        TimelineEntryKind::RunDone => "run done",
        TimelineEntryKind::RunFailed => "run failed",
        TimelineEntryKind::RunCancelled => "run stopped",
        TimelineEntryKind::TaskCreated => "task given",
        TimelineEntryKind::TaskMoved => "task moved",
    }
}
