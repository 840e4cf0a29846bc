//! Summaries of conversations: by a model where one is set up and has written already, and otherwise in verbatim lines.
//!
//! Nobody waits for a model. What it has not written yet is written in the background, each span once, a few at a time,
//! and is there for a later pack. What is being written ends with the hub.

mod desk;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, sync::Arc, time::Duration};

use parking_lot::Mutex;
use parlour_context::summary::{self, Pieces, Said, Signs, Span};
use parlour_core::{engine::Engine, id::ConversationId};
use tokio::{task::JoinSet, time::timeout};

use self::desk::Desk;
use crate::ports::{ContextRecords, KeptSummary, Summariser, SummarySpan};

/// How long a model may take for one summary.
const MODEL_TIME_MAX: Duration = Duration::from_secs(30);
/// Summaries that models write at the same moment.
const WRITING_MAX: usize = 4;
/// Summaries that are being written or wait for it; further ones are asked for by a later pack.
const WAITING_MAX: usize = 64;
/// Characters that a model is asked for. It is believed with more, up to `SUMMARY_CHARS_MAX`.
const MODEL_CHARS_MAX: usize = 600;
/// Characters that a model is given at once.
const SOURCE_CHARS_MAX: usize = 60_000;
/// Characters of verbatim lines for each line: so many lines are chosen at most.
const LINE_CHARS: usize = 60;

/// A message as it may be shown, with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySource {
    /// Its number in its conversation.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// The name of who said it, prepared.
    pub name: String,
    /// What was said, prepared.
    pub text: String,
    /// Equal for texts that differ in case and in how their words are spaced, and in nothing else.
    pub folded: u64,
    /// The marks in it of what was taken out, each with its kind.
    pub marks: Vec<(Cow<'static, str>, String)>,
}

/// A summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationSummary {
    /// The messages that it stands for, by their ids.
    pub covers: Vec<String>,
    /// Those of them that it quotes.
    pub quotes: Vec<String>,
    /// The number of the last message that it stands for.
    pub last_seq: u64,
    /// The id of the last one.
    pub last_id: String,
    /// What it says; verbatim lines begin with the numbers of their messages.
    pub text: String,
    /// The model that wrote it; nothing for verbatim lines.
    pub by: Option<String>,
    /// The marks in it of what was taken out, each with its kind, in the order of the text.
    pub marks: Vec<(Cow<'static, str>, String)>,
}

/// What makes summaries. What is being written ends when this is dropped.
pub struct Summaries {
    records: Arc<dyn ContextRecords>,
    summariser: Arc<dyn Summariser>,
    desk: Arc<Desk>,
    tasks: Mutex<Writers>,
}

/// The tasks that write, and whether more may begin.
#[derive(Default)]
struct Writers {
    tasks: JoinSet<()>,
    is_ended: bool,
}

/// What a model is asked to summarise.
struct Job {
    engine: Engine,
    span: SummarySpan,
    spoken: Vec<SummarySource>,
    text: String,
}

/// What was found for the spans of a conversation, and what a model is still to write.
struct Found {
    kept: Vec<(Span, KeptSummary)>,
    jobs: Vec<Job>,
}

/// Whose summaries are looked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    place: &'a ConversationId,
    spoken: &'a [SummarySource],
    engine: &'a Engine,
}

impl Summaries {
    /// Nothing is being written yet.
    pub fn new(records: Arc<dyn ContextRecords>, summariser: Arc<dyn Summariser>) -> Self {
        Self { records, summariser, desk: Arc::new(Desk::new(WRITING_MAX)), tasks: Mutex::default() }
    }

    /// The summaries that this model has written of these messages of one conversation, oldest first; each stands for a
    /// whole span. What it has not written is written in the background. Messages that are not to be seen are not among
    /// them; their numbers are left out.
    pub async fn by_model(
        &self,
        place: &ConversationId,
        spoken: &[SummarySource],
        engine: &Engine,
    ) -> Vec<ConversationSummary> {
        let (Some(first), Some(last)) = (spoken.first(), spoken.last()) else { return Vec::new() };
        let search = Search { place, spoken, engine };
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for span in summary::plan(first.seq, last.seq).into_iter().filter(|span| span.is_whole) {
            let found = self.look(search, span).await;
            kept.extend(found.kept);
            jobs.extend(found.jobs);
        }
        // The newest first: they are asked for most.
        jobs.sort_by_key(|job| std::cmp::Reverse(job.span.last_seq));
        jobs.into_iter().for_each(|job| self.start(job));
        kept.into_iter().filter_map(|(span, kept)| summed(within(spoken, &span), kept)).collect()
    }

    /// Lets what is being written go, and nothing more is written: when the hub stops.
    pub fn end(&self) {
        let mut writers = self.tasks.lock();
        writers.is_ended = true;
        writers.tasks.abort_all();
    }

    /// Waits until nothing is being written that was begun before.
    pub async fn finish(&self) {
        let mut tasks = std::mem::take(&mut self.tasks.lock().tasks);
        while tasks.join_next().await.is_some() {}
    }

    /// What there is for a whole span: its own summary, or those of its parts.
    async fn look(&self, search: Search<'_>, span: Span) -> Found {
        let rows = within(search.spoken, &span);
        let nothing = Found { kept: Vec::new(), jobs: Vec::new() };
        if rows.is_empty() {
            return nothing;
        }
        let key = key(search.place, &span, rows);
        if let Some(kept) = self.kept(&key).await {
            return Found { kept: vec![(span, kept)], jobs: Vec::new() };
        }
        let mut found = nothing;
        for part in span.parts() {
            let of_part = Box::pin(self.look(search, part)).await;
            found.kept.extend(of_part.kept);
            found.jobs.extend(of_part.jobs);
        }
        // A longer span is made of what stands for its parts: all of them come first.
        let summed: usize = found.kept.iter().map(|(part, _)| within(rows, part).len()).sum();
        let is_due = span.parts().is_empty() || summed == rows.len();
        if is_due && !self.desk.has_failed(&key.digest, search.engine) {
            let text = source(&found.kept, rows);
            found.jobs.push(Job { engine: search.engine.clone(), span: key, spoken: rows.to_vec(), text });
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

    /// Begins to write, unless somebody does already, too many wait, or the hub stops.
    fn start(&self, job: Job) {
        let mut writers = self.tasks.lock();
        while writers.tasks.try_join_next().is_some() {}
        if writers.is_ended || writers.tasks.len() >= WAITING_MAX {
            return;
        }
        let Some(turn) = self.desk.begin(job.span.digest) else { return };
        let (records, summariser) = (Arc::clone(&self.records), Arc::clone(&self.summariser));
        writers.tasks.spawn(async move {
            let _writing = turn.wait().await;
            let (digest, engine) = (job.span.digest, job.engine.clone());
            if let Err(cause) = write(records.as_ref(), summariser.as_ref(), job).await {
                tracing::info!(cause, "a model wrote no summary; verbatim lines are shown for a while");
                turn.desk().note_failure(digest, &engine);
            }
        });
    }
}

/// The verbatim lines that say most of what was said, in about so many characters, if anything was said. `pieces` knows
/// what each text is made of.
pub fn verbatim(
    rows: &[SummarySource],
    chars_max: usize,
    pieces: impl Fn(&str) -> Arc<Pieces>,
) -> Option<ConversationSummary> {
    let last = rows.last()?;
    let pieces: Vec<Arc<Pieces>> = rows.iter().map(|row| pieces(&row.text)).collect();
    let pieces: Vec<&Pieces> = pieces.iter().map(Arc::as_ref).collect();
    let bounds = ((chars_max / LINE_CHARS).max(1), chars_max);
    let lines = summary::extract_known(&said(rows), &pieces, bounds, &Signs::default());
    if lines.is_empty() {
        return None;
    }
    let quotes = lines.iter().map(|line| rows[line.index].id.clone()).collect();
    let shown = lines.iter().map(|line| {
        let row = &rows[line.index];
        format!("{} {}: {}", row.seq, row.name, one_line(&line.text))
    });
    let text = shown.collect::<Vec<_>>().join("\n");
    let of_line = |line: &summary::Line| marks_in(&one_line(&line.text), &rows[line.index].marks);
    let marks = lines.iter().flat_map(of_line).collect();
    let (last_seq, last_id) = (last.seq, last.id.clone());
    Some(ConversationSummary { covers: ids(rows), quotes, last_seq, last_id, text, by: None, marks })
}

/// A hash over messages as they may be shown: another one after every change of any of them.
pub fn digest(spoken: &[SummarySource]) -> [u8; 32] {
    summary::digest(&said(spoken))
}

/// The messages of a conversation that belong to whole spans only from the beginning on: where the oldest message lies
/// in the middle of a span, its rest is left out, so that the summary does not move with every new message.
pub fn from_whole_span(spoken: &[SummarySource]) -> &[SummarySource] {
    let (Some(first), Some(last)) = (spoken.first(), spoken.last()) else { return spoken };
    match summary::plan(first.seq, last.seq).first() {
        Some(span) if !span.is_whole && span.last_seq < last.seq => {
            &spoken[spoken.partition_point(|one| one.seq <= span.last_seq)..]
        }
        _ => spoken,
    }
}

async fn write(records: &dyn ContextRecords, summariser: &dyn Summariser, job: Job) -> Result<(), String> {
    let asked = summariser.summarise(&job.engine, &job.text, MODEL_CHARS_MAX);
    let text = timeout(MODEL_TIME_MAX, asked).await.map_err(|_| "it took too long".to_owned())?;
    let text = text.map_err(|trouble| trouble.to_string())?.trim().to_owned();
    // What was refused is not told: it may be made up of anything.
    summary::check(&text, &said(&job.spoken)).map_err(|_| "it says what nobody has said".to_owned())?;
    let by = Some(job.engine.model.unwrap_or(job.engine.provider));
    let kept = records.keep_summary(job.span, KeptSummary { text, by }).await;
    kept.map_err(|failure| format!("it could not be kept: {failure:?}"))
}

/// What the model is given: what stands for the parts of a longer span, or the messages, each in one line.
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

/// Those of the marks that stand in a text.
fn marks_in(text: &str, marks: &[(Cow<'static, str>, String)]) -> Vec<(Cow<'static, str>, String)> {
    marks.iter().filter(|(_, mark)| text.contains(mark.as_str())).cloned().collect()
}

/// No text of one message can pose as the line of another.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ids(rows: &[SummarySource]) -> Vec<String> {
    rows.iter().map(|row| row.id.clone()).collect()
}

fn said(spoken: &[SummarySource]) -> Vec<Said<'_>> {
    spoken.iter().map(|one| Said { id: &one.id, name: &one.name, text: &one.text }).collect()
}

fn key(place: &ConversationId, span: &Span, rows: &[SummarySource]) -> SummarySpan {
    let digest = digest(rows);
    SummarySpan { conversation_id: place.clone(), first_seq: span.first_seq, last_seq: span.last_seq, digest }
}

/// The messages of a span; both are in the order of their numbers.
fn within<'a>(spoken: &'a [SummarySource], span: &Span) -> &'a [SummarySource] {
    let start = spoken.partition_point(|one| one.seq < span.first_seq);
    let end = spoken.partition_point(|one| one.seq <= span.last_seq);
    &spoken[start..end.max(start)]
}
