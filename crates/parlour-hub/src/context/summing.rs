//! What stands for the part of a conversation that a pack does not show.
//!
//! A pack that does not go on after another one is made first without summaries. What it leaves out of the conversation,
//! the task's thread and other threads is summed up then, and the pack is made once more.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parlour_context::candidate::Place;
use parlour_core::{
    author::AuthorType,
    context::{ContextFormat, Reason, Section},
    id::ConversationId,
    message::{Kind, Message},
    model_visibility,
};
use parlour_redact::Mark;

use super::{
    Aim, Workshop,
    drafts::Draft,
    gathered::Gathered,
    making::Ready,
    places::Places,
    stands::{Offer, Stand},
    workshop::Kept,
};
use crate::{
    Failure, Fault, Hub,
    ports::HistoryRange,
    summaries::{self, ConversationSummary, SummarySource},
};

/// Messages from the end of the conversation that a summary reaches back: two spans that are rolled up and one more, so
/// that one of them is always whole.
const REACH_MAX: usize = 840;
/// Messages from the end of every other conversation.
const REACH_ELSEWHERE_MAX: usize = 120;
/// Conversations beside the one that is to be answered, the task's thread first.
const ELSEWHERE_MAX: usize = 3;
/// A summary ends at a number that this divides, so that it stays the same while a few more messages come.
const STEP: u64 = 10;
/// Fewer messages are not worth a summary.
const MESSAGES_LEAST: usize = 4;
/// Characters of verbatim lines for each 100 tokens of a pack; half of it elsewhere.
const CHARS_PER_100_TOKENS: u64 = 45;
/// Characters of verbatim lines, whatever the budget is.
const VERBATIM_CHARS: std::ops::RangeInclusive<u64> = 200..=3_000;

/// A conversation whose older messages may be summed up.
pub(super) struct Talk {
    pub(super) place: Arc<Place>,
    pub(super) section: Section,
    pub(super) reason: Reason,
    pub(super) distance: u8,
    reach: usize,
}

/// The end of a conversation, oldest first.
struct End {
    messages: Vec<Message>,
    /// Whether there is more before it.
    is_cut: bool,
}

/// A conversation with those of its messages that are summed up, oldest first.
struct Told {
    talk: Arc<Talk>,
    rows: Vec<SummarySource>,
    /// Those of them that are shown, were told, or say what another one says, by their ids.
    known: BTreeSet<String>,
}

/// What the model is shown or was told: messages by their ids, and the texts of what is shown.
struct Known {
    ids: BTreeSet<String>,
    texts: BTreeSet<u64>,
}

/// The conversations that were read from their end: the one that is to be answered, the task's thread, then by how much
/// was found there.
pub(super) fn talks(aim: &Aim, gathered: &Gathered, places: &Places) -> Vec<Arc<Talk>> {
    if matches!(aim.format, ContextFormat::Injection | ContextFormat::Last20) {
        return Vec::new();
    }
    let here = aim.place();
    let of_task = aim.task.as_ref().and_then(|task| task.thread_id.clone()).map(ConversationId::from);
    let mut counts: BTreeMap<&ConversationId, usize> = BTreeMap::new();
    for sighting in gathered.sightings() {
        *counts.entry(&sighting.message.to).or_default() += 1;
    }
    let mut found: Vec<&ConversationId> = gathered.last_seqs.keys().collect();
    found.sort_by_key(|id| {
        let count = counts.get(id).copied().unwrap_or_default();
        (Some(*id) != here.as_ref(), Some(*id) != of_task.as_ref(), std::cmp::Reverse(count), *id)
    });
    let talk = |id: &ConversationId| {
        let place = Arc::clone(places.get(id)?);
        let is_here = Some(id) == here.as_ref();
        let (reason, distance) = match (is_here, Some(id) == of_task.as_ref()) {
            (_, true) => (Reason::Task, 0),
            (true, false) => (Reason::Recent, 0),
            (false, false) => (Reason::Thread, 1),
        };
        let (section, reach) =
            if is_here { (Section::History, REACH_MAX) } else { (Section::Threads, REACH_ELSEWHERE_MAX) };
        Some(Arc::new(Talk { place, section, reason, distance, reach }))
    };
    found.into_iter().filter_map(talk).collect()
}

impl Hub {
    /// The same pack, with summaries of what it does not show, where there is something to sum up.
    pub(super) async fn sum_up(&self, draft: Draft) -> Result<Draft, Failure> {
        let known = Known { ids: draft.known(), texts: draft.texts() };
        let mut read = Vec::new();
        let talks = &draft.ready.making.talks;
        let here = talks.iter().filter(|talk| talk.section == Section::History).count();
        for talk in talks.iter().take(here + ELSEWHERE_MAX) {
            if let Some(end) = self.end_of(talk, &known.ids).await? {
                read.push((Arc::clone(talk), end));
            }
        }
        if read.is_empty() {
            return Ok(draft);
        }
        let rules = draft.ready.making.rules.context.redaction.clone();
        let told = self.at_bench(move |workshop| {
            let kept = workshop.redactor(&rules).map_err(|bad| Fault::new("use the rules of redaction", bad))?;
            let told = read.into_iter().filter_map(|(talk, end)| talk.told(&end, &known, workshop, &kept));
            Ok::<_, Fault>(told.collect::<Vec<_>>())
        });
        let mut by_model = Vec::new();
        for told in told.await?? {
            let written = match draft.ready.making.summariser() {
                Some(engine) => self.summaries.by_model(&told.talk.place.id, &told.rows, engine).await,
                None => Vec::new(),
            };
            by_model.push((told, written));
        }
        self.at_bench(move |workshop| {
            let budget = draft.pack_budget();
            let offers = by_model.into_iter().filter_map(|(told, written)| told.offer(written, budget, workshop));
            draft.with_sums(&offers.collect::<Vec<_>>(), workshop)
        })
        .await
    }

    /// What was summed up in the pack before, as it may be shown now.
    pub(super) async fn spoken_in(&self, stand: &Stand, ready: &Ready) -> Result<Vec<SummarySource>, Failure> {
        let (first, last) = (*stand.seqs.start(), *stand.seqs.end());
        let count = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX).saturating_add(1);
        let slice = HistoryRange::After(first.saturating_sub(1));
        let mut messages = self.store.messages(&stand.place, slice, count.min(REACH_MAX)).await?;
        messages.retain(|message| message.seq <= last && may_be_summed(message));
        let rules = ready.making.rules.context.redaction.clone();
        let spoken = self.at_bench(move |workshop| {
            let kept = workshop.redactor(&rules).map_err(|bad| Fault::new("use the rules of redaction", bad))?;
            Ok::<_, Fault>(messages.iter().filter_map(|message| spoken(message, workshop, &kept)).collect())
        });
        Ok(spoken.await??)
    }

    /// The messages of a conversation that a summary can be made of; nothing where nearly all of them are known.
    async fn end_of(&self, talk: &Talk, known: &BTreeSet<String>) -> Result<Option<End>, Failure> {
        if talk.place.last_seq < STEP {
            return Ok(None);
        }
        let mut messages = self.store.messages(&talk.place.id, HistoryRange::Newest, talk.reach).await?;
        let is_cut = messages.len() >= talk.reach && messages.last().is_some_and(|oldest| oldest.seq > 1);
        messages.reverse();
        messages.retain(may_be_summed);
        let unknown = messages.iter().filter(|message| !known.contains(message.id.as_str())).count();
        Ok((unknown >= MESSAGES_LEAST).then_some(End { messages, is_cut }))
    }
}

/// What the hub itself says is not summed up: it holds for its moment, and is nobody's word.
fn may_be_summed(message: &Message) -> bool {
    let is_of_hub = matches!(message.from.author_type, AuthorType::Host | AuthorType::System);
    model_visibility::may_reach_model(message) && message.kind != Kind::System && !is_of_hub
}

impl Talk {
    /// What of these messages lies before the end that is known, as it may be shown.
    fn told(self: Arc<Self>, end: &End, known: &Known, workshop: &Workshop, kept: &Kept) -> Option<Told> {
        let (mut rows, mut of_rows, mut texts) = (Vec::new(), BTreeSet::new(), known.texts.clone());
        // The newest first: of those that say the same, the newest is quoted.
        for message in end.messages.iter().rev() {
            let Some(row) = spoken(message, workshop, kept) else { continue };
            if !texts.insert(row.folded) || known.ids.contains(&row.id) {
                of_rows.insert(row.id.clone());
            }
            rows.push(row);
        }
        rows.reverse();
        let last_unknown = rows.iter().rev().find(|row| !of_rows.contains(&row.id))?.seq;
        rows.retain(|row| row.seq <= last_unknown / STEP * STEP);
        let rows = if end.is_cut { summaries::from_whole_span(&rows).to_vec() } else { rows };
        (rows.len() >= MESSAGES_LEAST).then_some(Told { talk: self, rows, known: of_rows })
    }
}

impl Told {
    /// The summaries of a conversation: those of a model, save of what is mostly known, and verbatim lines of the rest.
    fn offer(self, written: Vec<ConversationSummary>, budget: u64, workshop: &Workshop) -> Option<Offer> {
        let known = &self.known;
        let (digest, count) = (summaries::digest(&self.rows), written.len());
        let mut sums: Vec<ConversationSummary> =
            written.into_iter().filter(|summed| !is_mostly_known(summed, known)).collect();
        let covered: BTreeSet<&String> = sums.iter().flat_map(|summed| &summed.covers).collect();
        let is_rest = |row: &&SummarySource| !covered.contains(&row.id) && !known.contains(&row.id);
        let rest: Vec<SummarySource> = self.rows.iter().filter(is_rest).cloned().collect();
        let chars = budget.saturating_mul(CHARS_PER_100_TOKENS) / 100;
        let chars = if self.talk.section == Section::History { chars } else { chars / 2 };
        let chars = chars.clamp(*VERBATIM_CHARS.start(), *VERBATIM_CHARS.end());
        if rest.len() >= MESSAGES_LEAST {
            let chars = usize::try_from(chars).unwrap_or(usize::MAX);
            let lines = summaries::verbatim(&rest, chars, |text| workshop.pieces(text));
            // It is called by the end of all of them, so that its heading stays while those change that are shown; where
            // one of a model ends there, by its own.
            let end = self.rows.last()?.seq;
            let is_free = sums.iter().all(|summed| summed.last_seq != end);
            sums.extend(
                lines
                    .map(|lines| ConversationSummary { last_seq: if is_free { end } else { lines.last_seq }, ..lines }),
            );
        }
        let (place, seqs) = (self.talk.place.id.clone(), self.rows.first()?.seq..=self.rows.last()?.seq);
        let stand = Arc::new(Stand { place, seqs, digest, written: count, sums });
        Some(Offer { talk: self.talk, stand })
    }
}

/// Whether half of what a summary stands for, or more, is among these messages.
pub(super) fn is_mostly_known(summed: &ConversationSummary, known: &BTreeSet<String>) -> bool {
    summed.covers.iter().filter(|id| known.contains(*id)).count() * 2 >= summed.covers.len()
}

/// A message as it may be shown; nothing where nothing of it may.
fn spoken(message: &Message, workshop: &Workshop, kept: &Kept) -> Option<SummarySource> {
    let said = workshop.prepared(&message.body, kept);
    let name = || name(&workshop.prepared(&message.from.name, kept).text);
    let mark = |mark: &Mark| Some((mark.kind.clone(), said.text.get(mark.range.clone())?.to_owned()));
    let is_empty = said.text.trim().is_empty();
    (!is_empty).then(|| SummarySource {
        seq: message.seq,
        id: message.id.to_string(),
        name: name(),
        text: said.text.clone(),
        folded: said.folded,
        marks: said.marks.iter().filter_map(mark).collect(),
    })
}

/// A name in one line: what stands before a colon is who has said it.
fn name(prepared: &str) -> String {
    prepared.split_whitespace().collect::<Vec<_>>().join(" ").replace(':', "_")
}
