//! `parlour run timeline` and `parlour task timeline`: the entries of a timeline.

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

/// Show the timeline of a run, oldest entry first
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour run timeline run_01K…")]
pub(crate) struct RunTimeline {
    /// Run, by id
    run: RunId,
    #[command(flatten)]
    range: TimelineRange,
}

/// Show the timeline of a task and its runs, oldest entry first
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour task timeline tsk_01K…")]
pub(crate) struct TaskTimeline {
    /// Task, by id
    task: TaskId,
    #[command(flatten)]
    range: TimelineRange,
}

#[derive(Args, Debug)]
struct TimelineRange {
    /// Maximum number of entries
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

impl TimelineRange {
    fn page(&self) -> PageAt {
        PageAt { limit: self.limit, cursor: None }
    }
}

fn show(session: &Session, page: &Page<TimelineEntry>) -> String {
    if page.items.is_empty() {
        return "The timeline has no entries that you can see.\n".to_owned();
    }
    let mut table = Table::new(&["time", "event", "by", "subject", "detail"]);
    for entry in &page.items {
        let when = session.local_time.show(entry.at);
        let message = entry.message_id.as_ref().map(ToString::to_string);
        let about = message.or_else(|| entry.run_id.as_ref().map(ToString::to_string)).unwrap_or_default();
        let more = entry.detail.as_deref().unwrap_or_default();
        table.row(&[&when, words(entry.kind), &entry.by.name, &about, more]);
    }
    let more = if page.next.is_some() { "\nMore results exist; raise --limit.\n" } else { "" };
    table.render(session.style) + more
}

fn words(kind: TimelineEntryKind) -> &'static str {
    match kind {
        TimelineEntryKind::RunStarted => "run started",
        TimelineEntryKind::Paused => "paused",
        TimelineEntryKind::Asked => "asked",
        TimelineEntryKind::Resumed => "resumed",
        TimelineEntryKind::RunDone => "run done",
        TimelineEntryKind::RunFailed => "run failed",
        TimelineEntryKind::RunCancelled => "run cancelled",
        TimelineEntryKind::TaskCreated => "task created",
        TimelineEntryKind::TaskMoved => "task moved",
    }
}
