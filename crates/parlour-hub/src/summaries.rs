//! Summaries of conversations: written by a model where one is configured, otherwise verbatim lines.
//!
//! No request waits for a model. Missing summaries are written in the background, each span once, a few at a time, and are
//! available to later packs. The hub cancels them when it stops.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use parlour_context::summary::{self, ExtractWeights, SourceText, Span, TextSentences};
use parlour_core::{engine::Engine, id::ConversationId};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::ports::{ContextRecords, KeptSummary, Summariser, SummarySpan};

/// Time limit of a model for one summary.
const MODEL_TIME_MAX: Duration = Duration::from_secs(30);
/// Summaries that models write at the same time.
const WRITING_MAX: usize = 4;
/// Summaries in progress or waiting; further ones are requested again by a later pack.
const WAITING_MAX: usize = 64;
/// The length that a model is asked for, in characters. Up to `SUMMARY_CHARS_MAX` is accepted.
const MODEL_CHARS_MAX: usize = 600;
/// Characters of the input of a model.
const SOURCE_CHARS_MAX: usize = 60_000;
/// Characters per verbatim line: the limit in characters divided by this is the limit in lines.
const LINE_CHARS: usize = 60;

/// A redacted message, the source of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySource {
    /// Sequence number in its conversation.
    pub seq: u64,
    /// Message id.
    pub id: String,
    /// Name of the sender, prepared.
    pub name: String,
    /// Text, prepared.
    pub text: String,
    /// A hash of the text that ignores case and white space.
    pub folded: u64,
    /// The redaction marks in it, each with its kind.
    pub marks: Vec<(Cow<'static, str>, String)>,
}

/// A summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationSummary {
    /// Ids of the messages that it stands for.
    pub covers: Vec<String>,
    /// Ids of the messages that it quotes.
    pub quotes: Vec<String>,
    /// Sequence number of the last message that it stands for.
    pub last_seq: u64,
    /// Id of that message.
    pub last_id: String,
    /// The text; verbatim lines begin with sequence numbers.
    pub text: String,
    /// The model that wrote it; `None` for verbatim lines.
    pub by: Option<String>,
    /// The redaction marks in it, each with its kind, in text order.
    pub marks: Vec<(Cow<'static, str>, String)>,
}

/// Finds and writes summaries. Dropping it cancels background work.
pub struct Summaries {
    records: Arc<dyn ContextRecords>,
    summariser: Arc<dyn Summariser>,
    jobs: Arc<SummaryJobs>,
    tasks: Mutex<Writers>,
}

/// The background tasks.
#[derive(Default)]
struct Writers {
    tasks: JoinSet<()>,
    is_ended: bool,
}

/// A summary that a model has to write.
struct SummaryJob {
    engine: Engine,
    span: SummarySpan,
    spoken: Vec<SummarySource>,
    text: String,
}

/// The stored summaries of a span and its parts, and the missing ones.
struct Found {
    kept: Vec<(Span, KeptSummary)>,
    jobs: Vec<SummaryJob>,
}

#[derive(Clone, Copy)]
struct Search<'a> {
    conversation: &'a ConversationId,
    spoken: &'a [SummarySource],
    engine: &'a Engine,
}

impl Summaries {
    /// Uses `summariser` for missing summaries and stores them in `records`.
    pub fn new(records: Arc<dyn ContextRecords>, summariser: Arc<dyn Summariser>) -> Self {
        Self { records, summariser, jobs: Arc::new(SummaryJobs::new(WRITING_MAX)), tasks: Mutex::default() }
    }

    /// The stored summaries of these messages of one conversation by this model, oldest first; each stands for a whole
    /// span. Missing ones are written in the background. `spoken` may have gaps for messages that must not be seen.
    pub async fn by_model(
        &self,
        conversation: &ConversationId,
        spoken: &[SummarySource],
        engine: &Engine,
    ) -> Vec<ConversationSummary> {
        let (Some(first), Some(last)) = (spoken.first(), spoken.last()) else { return Vec::new() };
        let search = Search { conversation, spoken, engine };
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for span in summary::plan(first.seq, last.seq).into_iter().filter(|span| span.is_whole) {
            let found = self.find(search, span).await;
            kept.extend(found.kept);
            jobs.extend(found.jobs);
        }
        // Newest first: they are needed most.
        jobs.sort_by_key(|job| std::cmp::Reverse(job.span.last_seq));
        jobs.into_iter().for_each(|job| self.start(job));
        kept.into_iter().filter_map(|(span, kept)| summed(within(spoken, &span), kept)).collect()
    }

    /// Cancels background work and starts no more, when the hub stops.
    pub fn end(&self) {
        let mut writers = self.tasks.lock();
        writers.is_ended = true;
        writers.tasks.abort_all();
    }

    /// Waits for the background work that has been started.
    pub async fn finish(&self) {
        let mut tasks = std::mem::take(&mut self.tasks.lock().tasks);
        while tasks.join_next().await.is_some() {}
    }

    /// The summary of a whole span, or those of its parts.
    async fn find(&self, search: Search<'_>, span: Span) -> Found {
        let rows = within(search.spoken, &span);
        let nothing = Found { kept: Vec::new(), jobs: Vec::new() };
        if rows.is_empty() {
            return nothing;
        }
        let key = key(search.conversation, &span, rows);
        if let Some(kept) = self.kept(&key).await {
            return Found { kept: vec![(span, kept)], jobs: Vec::new() };
        }
        let mut found = nothing;
        for part in span.parts() {
            let of_part = Box::pin(self.find(search, part)).await;
            found.kept.extend(of_part.kept);
            found.jobs.extend(of_part.jobs);
        }
        // A longer span is summarised from the summaries of its parts, so all of them must exist.
        let summed: usize = found.kept.iter().map(|(part, _)| within(rows, part).len()).sum();
        let is_due = span.parts().is_empty() || summed == rows.len();
        if is_due && !self.jobs.has_failed(&key.digest, search.engine) {
            let text = source(&found.kept, rows);
            found.jobs.push(SummaryJob { engine: search.engine.clone(), span: key, spoken: rows.to_vec(), text });
        }
        found
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

    /// Starts a job, unless it is in progress, too many jobs wait, or the hub stops.
    fn start(&self, job: SummaryJob) {
        let mut writers = self.tasks.lock();
        while writers.tasks.try_join_next().is_some() {}
        if writers.is_ended || writers.tasks.len() >= WAITING_MAX {
            return;
        }
        let Some(permit) = self.jobs.begin(job.span.digest) else { return };
        let (records, summariser) = (Arc::clone(&self.records), Arc::clone(&self.summariser));
        writers.tasks.spawn(async move {
            let _writing = permit.wait().await;
            let (digest, engine) = (job.span.digest, job.engine.clone());
            if let Err(cause) = write(records.as_ref(), summariser.as_ref(), job).await {
                tracing::info!(cause, "a model wrote no valid summary; packs show verbatim lines instead");
                permit.jobs().note_failure(digest, &engine);
            }
        });
    }
}

/// The most informative lines in about `chars_max` characters. `pieces` splits a text into sentences.
pub fn verbatim(
    rows: &[SummarySource],
    chars_max: usize,
    pieces: impl Fn(&str) -> Arc<TextSentences>,
) -> Option<ConversationSummary> {
    let last = rows.last()?;
    let pieces: Vec<Arc<TextSentences>> = rows.iter().map(|row| pieces(&row.text)).collect();
    let pieces: Vec<&TextSentences> = pieces.iter().map(Arc::as_ref).collect();
    let bounds = ((chars_max / LINE_CHARS).max(1), chars_max);
    let lines = summary::extract_known(&said(rows), &pieces, bounds, &ExtractWeights::default());
    if lines.is_empty() {
        return None;
    }
    let quotes = lines.iter().map(|line| rows[line.index].id.clone()).collect();
    let shown = lines.iter().map(|line| {
        let row = &rows[line.index];
        format!("{} {}: {}", row.seq, row.name, one_line(&line.text))
    });
    let text = shown.collect::<Vec<_>>().join("\n");
    let of_line = |line: &summary::ExtractedLine| marks_in(&one_line(&line.text), &rows[line.index].marks);
    let marks = lines.iter().flat_map(of_line).collect();
    let (last_seq, last_id) = (last.seq, last.id.clone());
    Some(ConversationSummary { covers: ids(rows), quotes, last_seq, last_id, text, by: None, marks })
}

/// A hash over redacted messages; it changes with every edit.
pub fn digest(spoken: &[SummarySource]) -> [u8; 32] {
    summary::digest(&said(spoken))
}

/// Drops the beginning of an incomplete first span, so that the summary does not change with every new message.
pub fn from_whole_span(spoken: &[SummarySource]) -> &[SummarySource] {
    let (Some(first), Some(last)) = (spoken.first(), spoken.last()) else { return spoken };
    match summary::plan(first.seq, last.seq).first() {
        Some(span) if !span.is_whole && span.last_seq < last.seq => {
            &spoken[spoken.partition_point(|one| one.seq <= span.last_seq)..]
        }
        _ => spoken,
    }
}

async fn write(records: &dyn ContextRecords, summariser: &dyn Summariser, job: SummaryJob) -> Result<(), String> {
    let asked = summariser.summarise(&job.engine, &job.text, MODEL_CHARS_MAX);
    let text = timeout(MODEL_TIME_MAX, asked).await.map_err(|_| "it took too long".to_owned())?;
    let text = text.map_err(|trouble| trouble.to_string())?.trim().to_owned();
    // The rejected text is not logged: it may contain anything.
    summary::check(&text, &said(&job.spoken)).map_err(|_| "it states facts that are not in its source".to_owned())?;
    let by = Some(job.engine.model.unwrap_or(job.engine.provider));
    let kept = records.keep_summary(job.span, KeptSummary { text, by }).await;
    kept.map_err(|failure| format!("it could not be kept: {failure:?}"))
}

/// The input of the model: the summaries of the parts of a longer span, or the messages, each on one line.
fn source(parts: &[(Span, KeptSummary)], rows: &[SummarySource]) -> String {
    let mut text = String::new();
    for (_, kept) in parts {
        text.push_str(&kept.text);
        text.push('\n');
    }
    if parts.is_empty() {
        rows.iter().for_each(|row| text.push_str(&format!("{}: {}\n", row.name, one_line(&row.text))));
    }
    text.chars().take(SOURCE_CHARS_MAX).collect()
}

fn summed(rows: &[SummarySource], kept: KeptSummary) -> Option<ConversationSummary> {
    let last = rows.last()?;
    let (last_seq, last_id) = (last.seq, last.id.clone());
    let mut marks: Vec<_> = rows.iter().flat_map(|row| marks_in(&kept.text, &row.marks)).collect();
    marks.sort_by_key(|(_, mark)| kept.text.find(mark.as_str()));
    marks.dedup();
    Some(ConversationSummary {
        covers: ids(rows),
        quotes: Vec::new(),
        last_seq,
        last_id,
        text: kept.text,
        by: kept.by,
        marks,
    })
}

/// The marks that a text contains.
fn marks_in(text: &str, marks: &[(Cow<'static, str>, String)]) -> Vec<(Cow<'static, str>, String)> {
    marks.iter().filter(|(_, mark)| text.contains(mark.as_str())).cloned().collect()
}

/// One line, so that a message cannot contain a line that looks like another message.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ids(rows: &[SummarySource]) -> Vec<String> {
    rows.iter().map(|row| row.id.clone()).collect()
}

fn said(spoken: &[SummarySource]) -> Vec<SourceText<'_>> {
    spoken.iter().map(|one| SourceText { id: &one.id, name: &one.name, text: &one.text }).collect()
}

fn key(conversation: &ConversationId, span: &Span, rows: &[SummarySource]) -> SummarySpan {
    let digest = digest(rows);
    SummarySpan { conversation_id: conversation.clone(), first_seq: span.first_seq, last_seq: span.last_seq, digest }
}

/// The messages of a span; `spoken` is sorted by sequence number.
fn within<'a>(spoken: &'a [SummarySource], span: &Span) -> &'a [SummarySource] {
    let start = spoken.partition_point(|one| one.seq < span.first_seq);
    let end = spoken.partition_point(|one| one.seq <= span.last_seq);
    &spoken[start..end.max(start)]
}

/// A model is not asked again for a span that it failed at within this time.
const FAILED_TIME_MAX: Duration = Duration::from_secs(600);
/// Remembered failures; when there are more, all are forgotten.
const FAILED_MAX: usize = 1_000;

type SpanHash = [u8; 32];

/// Jobs in progress, and failures.
struct SummaryJobs {
    writing: Mutex<HashSet<SpanHash>>,
    /// When a model may be asked again.
    failed: Mutex<HashMap<(SpanHash, String), Instant>>,
    slots: Arc<Semaphore>,
}

/// The permission to write one summary; released on drop.
struct JobPermit {
    jobs: Arc<SummaryJobs>,
    digest: SpanHash,
}

impl SummaryJobs {
    fn new(at_once_max: usize) -> Self {
        Self { writing: Mutex::default(), failed: Mutex::default(), slots: Arc::new(Semaphore::new(at_once_max)) }
    }

    /// `None` if this summary is in progress.
    fn begin(self: &Arc<Self>, digest: SpanHash) -> Option<JobPermit> {
        let is_new = self.writing.lock().insert(digest);
        is_new.then(|| JobPermit { jobs: Arc::clone(self), digest })
    }

    fn has_failed(&self, digest: &SpanHash, engine: &Engine) -> bool {
        let until = self.failed.lock().get(&(*digest, engine_name(engine))).copied();
        until.is_some_and(|until| Instant::now() < until)
    }

    fn note_failure(&self, digest: SpanHash, engine: &Engine) {
        let now = Instant::now();
        let mut failed = self.failed.lock();
        if failed.len() >= FAILED_MAX {
            failed.retain(|_, until| *until > now);
        }
        if failed.len() >= FAILED_MAX {
            failed.clear();
        }
        failed.insert((digest, engine_name(engine)), now + FAILED_TIME_MAX);
    }
}

impl JobPermit {
    /// Waits for a free slot.
    async fn wait(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.jobs.slots).acquire_owned().await.ok()
    }

    fn jobs(&self) -> &SummaryJobs {
        &self.jobs
    }
}

impl Drop for JobPermit {
    fn drop(&mut self) {
        self.jobs.writing.lock().remove(&self.digest);
    }
}

fn engine_name(engine: &Engine) -> String {
    format!("{}/{}", engine.provider, engine.model.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests;
