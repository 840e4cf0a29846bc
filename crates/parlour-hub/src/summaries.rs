//! Summaries of conversations: from the store, by a model where one is set up, and otherwise in verbatim lines at once.
//!
//! A pack never waits long for a model: what is not there in time is made in the background, once for each span at a
//! time, and is there for a later pack.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use parlour_context::summary::{self, Said, Span};
use parlour_core::{engine::Engine, id::ConversationId, limits};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, timeout, timeout_at},
};

use crate::ports::{ContextRecords, KeptSummary, Summariser, SummarySpan};

/// How long a pack waits for summaries, for all of them together.
const WAIT_TIME_MAX: Duration = Duration::from_millis(1_500);
/// How long a model may take for one summary.
const MODEL_TIME_MAX: Duration = Duration::from_secs(8);
/// Summaries that are being written at the same moment; further spans are shown in verbatim lines.
const WRITING_MAX: usize = 4;
/// Spans of which it is remembered that a model failed at them; when there are more, all are tried again.
const FAILED_MAX: usize = 1_000;
/// Lines of a verbatim summary of one span.
const LINES_MAX: usize = 8;
/// Characters of a verbatim summary of one span.
const VERBATIM_CHARS_MAX: usize = 1_000;
/// Characters that a model is given at once.
const SOURCE_CHARS_MAX: usize = 60_000;

/// A message as it may be shown, with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Its number in its conversation.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// The name of who said it.
    pub name: String,
    /// What was said, prepared.
    pub text: String,
}

/// The summary of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summed {
    /// The number of the first message that it stands for.
    pub first_seq: u64,
    /// The number of the last one.
    pub last_seq: u64,
    /// The id of the last one.
    pub last_id: String,
    /// What it says; verbatim lines end with the ids of their messages.
    pub text: String,
    /// The model that wrote it; nothing for verbatim lines.
    pub by: Option<String>,
}

/// What makes summaries. Cheap to clone; all clones know what is being written.
#[derive(Clone)]
pub struct Summaries {
    records: Arc<dyn ContextRecords>,
    summariser: Arc<dyn Summariser>,
    desk: Arc<Desk>,
}

/// What is being written, and at what models have failed.
struct Desk {
    writing: Mutex<HashMap<[u8; 32], watch::Receiver<bool>>>,
    failed: Mutex<HashMap<[u8; 32], ()>>,
    places: Arc<Semaphore>,
}

/// What a model is asked to summarise.
struct Job {
    engine: Engine,
    span: SummarySpan,
    spoken: Vec<Spoken>,
    text: String,
}

impl Summaries {
    /// Nothing is being written yet.
    pub fn new(records: Arc<dyn ContextRecords>, summariser: Arc<dyn Summariser>) -> Self {
        let places = Arc::new(Semaphore::new(WRITING_MAX));
        let desk = Arc::new(Desk { writing: Mutex::default(), failed: Mutex::default(), places });
        Self { records, summariser, desk }
    }

    /// The summaries of these messages of one conversation, oldest first. Messages that are not to be seen are not among
    /// them; their numbers are left out. It never fails, and never takes much longer than `WAIT_TIME_MAX`.
    pub async fn of(&self, place: &ConversationId, spoken: &[Spoken], engine: Option<&Engine>) -> Vec<Summed> {
        let (Some(first), Some(last)) = (spoken.first(), spoken.last()) else { return Vec::new() };
        let until = Instant::now() + WAIT_TIME_MAX;
        let mut found = Vec::new();
        for span in summary::plan(first.seq, last.seq) {
            let rows = within(spoken, &span);
            let Some(last) = rows.last() else { continue };
            let by_model = match engine.filter(|_| span.is_whole) {
                Some(engine) => self.by_model(place, &span, rows, engine, until).await,
                None => None,
            };
            let kept = by_model.unwrap_or_else(|| verbatim(rows));
            let (first_seq, last_seq, last_id) = (span.first_seq, span.last_seq, last.id.clone());
            found.push(Summed { first_seq, last_seq, last_id, text: kept.text, by: kept.by });
        }
        found
    }

    async fn by_model(
        &self,
        place: &ConversationId,
        span: &Span,
        rows: &[Spoken],
        engine: &Engine,
        until: Instant,
    ) -> Option<KeptSummary> {
        let key = key(place, span, rows);
        if let Some(kept) = self.kept(&key).await {
            return Some(kept);
        }
        if self.desk.failed.lock().contains_key(&key.digest) {
            return None;
        }
        let text = self.source(place, span, rows).await;
        let job = Job { engine: engine.clone(), span: key.clone(), spoken: rows.to_vec(), text };
        let mut done = self.start(job)?;
        // An error means that the writer is gone, which is an end as well.
        timeout_at(until, done.wait_for(|is_done| *is_done)).await.ok()?.ok();
        self.kept(&key).await
    }

    async fn kept(&self, key: &SummarySpan) -> Option<KeptSummary> {
        match self.records.summary(key).await {
            Ok(kept) => kept,
            Err(failure) => {
                tracing::debug!(cause = ?failure, "a kept summary could not be read");
                None
            }
        }
    }

    /// What the model is given: the messages, or what stands for the parts of a longer span.
    async fn source(&self, place: &ConversationId, span: &Span, rows: &[Spoken]) -> String {
        let parts = span.parts();
        let mut text = String::new();
        if parts.is_empty() {
            rows.iter().for_each(|row| text.push_str(&format!("{}: {}\n", row.name, row.text)));
        }
        for part in &parts {
            let rows = within(rows, part);
            let kept = self.kept(&key(place, part, rows)).await;
            text.push_str(&kept.map_or_else(|| lines(rows, false), |kept| kept.text));
            text.push('\n');
        }
        text.chars().take(SOURCE_CHARS_MAX).collect()
    }

    /// Begins to write, unless somebody does already; nothing when too many are being written.
    fn start(&self, job: Job) -> Option<watch::Receiver<bool>> {
        let mut writing = self.desk.writing.lock();
        if let Some(done) = writing.get(&job.span.digest) {
            return Some(done.clone());
        }
        let place = Arc::clone(&self.desk.places).try_acquire_owned().ok()?;
        let (tell, done) = watch::channel(false);
        writing.insert(job.span.digest, done.clone());
        let this = self.clone();
        tokio::spawn(async move {
            let digest = job.span.digest;
            if let Err(cause) = this.write(job).await {
                tracing::debug!(cause, "a model wrote no summary; verbatim lines are shown");
                this.desk.note_failure(digest);
            }
            this.desk.writing.lock().remove(&digest);
            drop(place);
            tell.send_replace(true);
        });
        Some(done)
    }

    async fn write(&self, job: Job) -> Result<(), String> {
        let asked = self.summariser.summarise(&job.engine, &job.text, limits::SUMMARY_CHARS_MAX);
        let text = timeout(MODEL_TIME_MAX, asked).await.map_err(|_| "it took too long".to_owned())?;
        let text = text.map_err(|trouble| trouble.to_string())?.trim().to_owned();
        summary::check(&text, &said(&job.spoken)).map_err(|unfaithful| unfaithful.to_string())?;
        let by = Some(job.engine.model.unwrap_or(job.engine.provider));
        let kept = self.records.keep_summary(job.span, KeptSummary { text, by }).await;
        kept.map_err(|failure| format!("{failure:?}"))
    }
}

impl Desk {
    fn note_failure(&self, digest: [u8; 32]) {
        let mut failed = self.failed.lock();
        if failed.len() >= FAILED_MAX {
            failed.clear();
        }
        failed.insert(digest, ());
    }
}

fn said(spoken: &[Spoken]) -> Vec<Said<'_>> {
    spoken.iter().map(|one| Said { id: &one.id, name: &one.name, text: &one.text }).collect()
}

fn key(place: &ConversationId, span: &Span, rows: &[Spoken]) -> SummarySpan {
    let digest = summary::digest(&said(rows));
    SummarySpan { conversation_id: place.clone(), first_seq: span.first_seq, last_seq: span.last_seq, digest }
}

/// The messages of a span; both are in the order of their numbers.
fn within<'a>(spoken: &'a [Spoken], span: &Span) -> &'a [Spoken] {
    let start = spoken.partition_point(|one| one.seq < span.first_seq);
    let end = spoken.partition_point(|one| one.seq <= span.last_seq);
    &spoken[start..end.max(start)]
}

fn verbatim(rows: &[Spoken]) -> KeptSummary {
    KeptSummary { text: lines(rows, true), by: None }
}

/// Verbatim lines, one below the other: who said it, what, and with `ids` in which message.
fn lines(rows: &[Spoken], ids: bool) -> String {
    let lines = summary::extract(&said(rows), LINES_MAX, VERBATIM_CHARS_MAX);
    let shown = lines.iter().map(|line| {
        let row = &rows[line.index];
        let id = if ids { format!(" ({})", row.id) } else { String::new() };
        format!("{}: {}{id}", row.name, line.text)
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
