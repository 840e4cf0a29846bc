//! Summaries in a pack: they stand for older messages of a conversation that the pack does not show.
//!
//! A pack that cannot continue the previous one is first fitted without summaries. Then what it leaves out of the
//! conversation, the task's thread and other threads is summarised, and the pack is fitted again.
//!
//! A summary precedes the messages of its conversation, so a provider's prompt cache holds only while the summary stays
//! the same. The summaries of the previous pack are offered again while their sources are unchanged.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    sync::Arc,
};

use parlour_context::candidate::ConversationRef;
use parlour_core::{
    author::AuthorType,
    context::{ContextFormat, Reason, Receipt, Section},
    id::ConversationId,
    message::{Kind, Message},
    model_visibility,
};
use parlour_redact::Mark;

use super::{
    ContextService, PackBuilder, PackCaches, Query,
    caches::CachedRedactor,
    candidates::ConversationRefs,
    gather::{Gathered, HISTORY_MAX},
};
use crate::{
    Failure, Fault,
    ports::HistoryRange,
    summaries::{self, ConversationSummary, SummarySource},
};

/// Newest messages of every other conversation.
const ELSEWHERE_MESSAGES_MAX: usize = 120;
/// Other conversations that are summarised, the task's thread first.
const ELSEWHERE_MAX: usize = 3;
/// A summary ends at a multiple of this sequence number, so that it stays the same while a few more messages arrive.
const STEP: u64 = 10;
/// Fewer messages are not summarised.
const MESSAGES_LEAST: usize = 4;
/// Characters of verbatim lines for each 100 tokens of the pack; half of it for other conversations.
const CHARS_PER_100_TOKENS: u64 = 25;
/// Characters of verbatim lines for any budget.
const VERBATIM_CHARS: RangeInclusive<u64> = 120..=3_000;
/// Messages after a reused summary that the pack may leave out; with more of them the summary is written again.
const UNSEEN_MAX: u64 = 60;

/// The previous pack of the same reader and conversation.
pub(crate) struct PreviousPack {
    pub(crate) receipt: Receipt,
    pub(crate) summarized: Vec<Arc<SummarizedRange>>,
}

/// The range of a conversation that summaries stand for, and what they were made of.
#[derive(Clone)]
pub(crate) struct SummarizedRange {
    pub(super) conversation_id: ConversationId,
    seqs: RangeInclusive<u64>,
    /// A hash over all source messages as they may be shown.
    digest: [u8; 32],
    /// The number of summaries that a model had written.
    model_summaries: usize,
    /// In a finished pack, only the summaries that it shows.
    pub(super) summaries: Vec<ConversationSummary>,
}

/// A conversation whose older messages may be summarised.
pub(super) struct SummarizableConversation {
    pub(super) reference: Arc<ConversationRef>,
    pub(super) section: Section,
    pub(super) reason: Reason,
    pub(super) distance: u8,
    messages_max: usize,
    /// Its newest messages, newest first, if they were gathered.
    newest: Option<Arc<Vec<Message>>>,
}

/// Summaries of one conversation that a pack may show.
pub(super) struct SummaryOffer {
    pub(super) conversation: Arc<SummarizableConversation>,
    pub(super) range: Arc<SummarizedRange>,
}

/// The conversations whose newest messages were read: the one to answer, the task's thread, then by number of candidates.
pub(super) fn summarizable(
    query: &Query,
    gathered: &Gathered,
    refs: &ConversationRefs,
) -> Vec<Arc<SummarizableConversation>> {
    if matches!(query.format, ContextFormat::Injection | ContextFormat::Last20) {
        return Vec::new();
    }
    let here = query.conversation_id();
    let of_task = query.task.as_ref().and_then(|task| task.thread_id.clone()).map(ConversationId::from);
    let mut counts: BTreeMap<&ConversationId, usize> = BTreeMap::new();
    for found in gathered.messages() {
        *counts.entry(&found.message.to).or_default() += 1;
    }
    let mut ids: Vec<&ConversationId> = gathered.last_seqs.keys().collect();
    ids.sort_by_key(|id| {
        let count = counts.get(id).copied().unwrap_or_default();
        (Some(*id) != here.as_ref(), Some(*id) != of_task.as_ref(), std::cmp::Reverse(count), *id)
    });
    let conversation = |id: &ConversationId| {
        let reference = Arc::clone(refs.get(id)?);
        let is_here = Some(id) == here.as_ref();
        let (reason, distance) = match (is_here, Some(id) == of_task.as_ref()) {
            (_, true) => (Reason::Task, 0),
            (true, false) => (Reason::Recent, 0),
            (false, false) => (Reason::Thread, 1),
        };
        let (section, messages_max) =
            if is_here { (Section::History, HISTORY_MAX) } else { (Section::Threads, ELSEWHERE_MESSAGES_MAX) };
        let newest = is_here.then(|| Arc::clone(&gathered.history));
        Some(Arc::new(SummarizableConversation { reference, section, reason, distance, messages_max, newest }))
    };
    ids.into_iter().filter_map(conversation).collect()
}

/// New summaries.
impl ContextService {
    /// Adds summaries of what the fitted pack leaves out, where there is enough of it.
    pub(super) async fn summarize(&self, builder: PackBuilder) -> Result<PackBuilder, Failure> {
        let shown = ShownTexts { ids: builder.shown_ids(), texts: builder.shown_texts() };
        let mut read = Vec::new();
        let conversations = &builder.conversations;
        let here = conversations.iter().filter(|one| one.section == Section::History).count();
        for conversation in conversations.iter().take(here + ELSEWHERE_MAX) {
            if let Some(tail) = self.read_tail(conversation, &shown.ids).await? {
                read.push((Arc::clone(conversation), tail));
            }
        }
        if read.is_empty() {
            return Ok(builder);
        }
        let rules = builder.rules.context.redaction.clone();
        let sources = self.run_blocking(move |caches| {
            let redactor = caches.redactor_for(&rules)?;
            let source = |(conversation, tail)| SourceMessages::of(conversation, &tail, &shown, caches, &redactor);
            Ok::<_, Fault>(read.into_iter().filter_map(source).collect::<Vec<_>>())
        });
        let mut by_model = Vec::new();
        for source in sources.await?? {
            let written = match builder.summariser() {
                Some(engine) => self.summaries.by_model(&source.conversation.reference.id, &source.rows, engine).await,
                None => Vec::new(),
            };
            by_model.push((source, written));
        }
        self.run_blocking(move |caches| {
            let budget = builder.pack_budget();
            let offers = by_model.into_iter().filter_map(|(source, written)| source.offer(written, budget, caches));
            builder.with_summaries(&offers.collect::<Vec<_>>(), caches)
        })
        .await
    }

    /// The newest messages of a conversation; `None` where the model has nearly all of them.
    async fn read_tail(
        &self,
        conversation: &SummarizableConversation,
        shown: &BTreeSet<String>,
    ) -> Result<Option<RecentMessages>, Failure> {
        let (reference, most) = (&conversation.reference, conversation.messages_max);
        if reference.last_seq < STEP {
            return Ok(None);
        }
        let messages = match &conversation.newest {
            Some(gathered) => Arc::clone(gathered),
            None => Arc::new(self.store.messages(&reference.id, HistoryRange::Newest, most).await?),
        };
        let is_cut = messages.len() >= most && messages.last().is_some_and(|oldest| oldest.seq > 1);
        let is_unknown = |message: &&Message| may_be_summarized(message) && !shown.contains(message.id.as_str());
        let unknown = messages.iter().filter(is_unknown).count();
        Ok((unknown >= MESSAGES_LEAST).then_some(RecentMessages { messages, is_cut }))
    }
}

/// The newest messages of a conversation, newest first.
struct RecentMessages {
    messages: Arc<Vec<Message>>,
    /// Whether older messages exist.
    is_cut: bool,
}

/// What the model has: message ids, and folded hashes of shown texts.
struct ShownTexts {
    ids: BTreeSet<String>,
    texts: BTreeSet<u64>,
}

/// The messages of a conversation that are summarised, oldest first.
struct SourceMessages {
    conversation: Arc<SummarizableConversation>,
    rows: Vec<SummarySource>,
    /// Ids of rows that the model has, or that repeat another row.
    known: BTreeSet<String>,
}

impl SourceMessages {
    /// The messages before the newest ones that the model has; `None` where they are too few.
    fn of(
        conversation: Arc<SummarizableConversation>,
        tail: &RecentMessages,
        shown: &ShownTexts,
        caches: &PackCaches,
        redactor: &CachedRedactor,
    ) -> Option<Self> {
        let (mut rows, mut known, mut texts) = (Vec::new(), BTreeSet::new(), shown.texts.clone());
        // Newest first: of equal texts, the newest is quoted.
        for message in tail.messages.iter().filter(|message| may_be_summarized(message)) {
            let Some(row) = summary_source(message, caches, redactor) else { continue };
            if !texts.insert(row.folded) || shown.ids.contains(&row.id) {
                known.insert(row.id.clone());
            }
            rows.push(row);
        }
        rows.reverse();
        let last_unknown = rows.iter().rev().find(|row| !known.contains(&row.id))?.seq;
        rows.retain(|row| row.seq <= last_unknown / STEP * STEP);
        let rows = if tail.is_cut { summaries::from_whole_span(&rows).to_vec() } else { rows };
        (rows.len() >= MESSAGES_LEAST).then_some(Self { conversation, rows, known })
    }

    /// The summaries of the model, except those of messages that are mostly known, and verbatim lines of the rest.
    fn offer(self, written: Vec<ConversationSummary>, budget: u64, caches: &PackCaches) -> Option<SummaryOffer> {
        let known = &self.known;
        let (digest, model_summaries) = (summaries::digest(&self.rows), written.len());
        let mut chosen: Vec<ConversationSummary> =
            written.into_iter().filter(|summary| !is_mostly_known(summary, known)).collect();
        let covered: BTreeSet<&String> = chosen.iter().flat_map(|summary| &summary.covers).collect();
        let is_rest = |row: &&SummarySource| !covered.contains(&row.id) && !known.contains(&row.id);
        let rest: Vec<SummarySource> = self.rows.iter().filter(is_rest).cloned().collect();
        let chars = budget.saturating_mul(CHARS_PER_100_TOKENS) / 100;
        let chars = if self.conversation.section == Section::History { chars } else { chars / 2 };
        let chars = chars.clamp(*VERBATIM_CHARS.start(), *VERBATIM_CHARS.end());
        if rest.len() >= MESSAGES_LEAST {
            let chars = usize::try_from(chars).unwrap_or(usize::MAX);
            let lines = summaries::verbatim(&rest, chars, |text| caches.sentences(text));
            // Its heading names the end of all rows, so that it stays the same while the quoted lines change; unless a
            // summary of the model ends there.
            let end = self.rows.last()?.seq;
            let is_free = chosen.iter().all(|summary| summary.last_seq != end);
            let renumber = |lines: ConversationSummary| {
                let last_seq = if is_free { end } else { lines.last_seq };
                ConversationSummary { last_seq, ..lines }
            };
            chosen.extend(lines.map(renumber));
        }
        let conversation_id = self.conversation.reference.id.clone();
        let seqs = self.rows.first()?.seq..=self.rows.last()?.seq;
        let range = SummarizedRange { conversation_id, seqs, digest, model_summaries, summaries: chosen };
        Some(SummaryOffer { conversation: self.conversation, range: Arc::new(range) })
    }
}

/// Notices of the hub are not summarised: they hold for their moment only.
fn may_be_summarized(message: &Message) -> bool {
    let is_of_hub = matches!(message.from.author_type, AuthorType::Host | AuthorType::System);
    model_visibility::may_reach_model(message) && message.kind != Kind::System && !is_of_hub
}

/// Whether at least half of the messages that a summary stands for are among `known`.
fn is_mostly_known(summary: &ConversationSummary, known: &BTreeSet<String>) -> bool {
    summary.covers.iter().filter(|id| known.contains(*id)).count() * 2 >= summary.covers.len()
}

/// A redacted message; `None` if nothing of its text may be shown.
fn summary_source(message: &Message, caches: &PackCaches, redactor: &CachedRedactor) -> Option<SummarySource> {
    let prepared = caches.prepared(&message.body, redactor);
    let mark = |mark: &Mark| Some((mark.kind.clone(), prepared.text.get(mark.range.clone())?.to_owned()));
    let is_empty = prepared.text.trim().is_empty();
    (!is_empty).then(|| SummarySource {
        seq: message.seq,
        id: message.id.to_string(),
        name: speaker_name(&caches.prepared(&message.from.name, redactor).text),
        text: prepared.text.clone(),
        folded: prepared.folded,
        marks: prepared.marks.iter().filter_map(mark).collect(),
    })
}

/// A name on one line without colons: a colon separates the speaker from the text.
fn speaker_name(prepared: &str) -> String {
    prepared.split_whitespace().collect::<Vec<_>>().join(" ").replace(':', "_")
}

/// Summaries of the previous pack.
impl ContextService {
    /// Fits the pack with the summaries of the previous one. The builder stays unfitted where they cannot be reused.
    pub(super) async fn reuse_summaries(&self, builder: PackBuilder) -> Result<PackBuilder, Failure> {
        match self.reusable(&builder).await? {
            Some(reusable) => self.run_blocking(move |caches| reusable.fit(builder, caches)).await,
            None => Ok(builder),
        }
    }

    /// The summaries of the previous pack, if there are any and all of them are still valid.
    async fn reusable(&self, builder: &PackBuilder) -> Result<Option<ReusableSummaries>, Failure> {
        let ranges = builder.previous.iter().flat_map(|previous| &previous.summarized);
        let (mut offers, mut texts) = (Vec::new(), BTreeSet::new());
        let certain = builder.certain_ids();
        for range in ranges {
            let conversation = builder.conversations.iter().find(|one| one.reference.id == range.conversation_id);
            let rows = match conversation {
                // The viewer may no longer read the conversation, or it is no candidate any more.
                None if !range.summaries.is_empty() => return Ok(None),
                None => continue,
                Some(_) if range.summaries.is_empty() => Vec::new(),
                Some(conversation) => self.source_messages(conversation, range, builder).await?,
            };
            let quoted = || rows.iter().filter(|row| range.quotes().any(|id| *id == row.id));
            let is_valid = range.summaries.is_empty() || self.is_unchanged(range, &rows, builder).await;
            if !is_valid || quoted().any(|row| certain.contains(&row.id)) {
                return Ok(None);
            }
            texts.extend(quoted().map(|row| row.folded));
            offers.extend(
                conversation.map(|conversation| SummaryOffer {
                    conversation: Arc::clone(conversation),
                    range: Arc::clone(range),
                }),
            );
        }
        Ok((!offers.is_empty()).then_some(ReusableSummaries { offers, texts }))
    }

    /// The current messages of a summarised range, redacted, oldest first.
    async fn source_messages(
        &self,
        conversation: &SummarizableConversation,
        range: &SummarizedRange,
        builder: &PackBuilder,
    ) -> Result<Vec<SummarySource>, Failure> {
        let (first, last) = (*range.seqs.start(), *range.seqs.end());
        let reaches_first = |newest: &&Arc<Vec<Message>>| newest.last().is_some_and(|oldest| oldest.seq <= first);
        let messages = match conversation.newest.as_ref().filter(reaches_first) {
            Some(gathered) => Arc::clone(gathered),
            None => {
                let count = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX).saturating_add(1);
                let slice = HistoryRange::After(first.saturating_sub(1));
                Arc::new(self.store.messages(&range.conversation_id, slice, count.min(HISTORY_MAX)).await?)
            }
        };
        let rules = builder.rules.context.redaction.clone();
        let rows = self.run_blocking(move |caches| {
            let redactor = caches.redactor_for(&rules)?;
            let is_source = |message: &&Message| (first..=last).contains(&message.seq) && may_be_summarized(message);
            let sources = messages.iter().filter(is_source);
            let mut rows: Vec<_> = sources.filter_map(|message| summary_source(message, caches, &redactor)).collect();
            rows.sort_by_key(|row| row.seq);
            Ok::<_, Fault>(rows)
        });
        Ok(rows.await??)
    }

    /// Whether the sources are unchanged and the model has written no further summaries of them.
    async fn is_unchanged(&self, range: &SummarizedRange, rows: &[SummarySource], builder: &PackBuilder) -> bool {
        if summaries::digest(rows) != range.digest {
            return false;
        }
        let written = match builder.summariser() {
            Some(engine) => self.summaries.by_model(&range.conversation_id, rows, engine).await.len(),
            None => 0,
        };
        written == range.model_summaries
    }
}

impl SummarizedRange {
    /// Ids of the messages that the summaries quote.
    fn quotes(&self) -> impl Iterator<Item = &String> {
        self.summaries.iter().flat_map(|summary| &summary.quotes)
    }

    /// The same range with only the summaries that the pack shows.
    pub(super) fn shown_in(&self, builder: &PackBuilder) -> Arc<Self> {
        let shown = builder.shown_summaries();
        let is_shown = |summary: &&ConversationSummary| shown.contains(&(&self.conversation_id, summary.last_seq));
        let summaries = self.summaries.iter().filter(is_shown).cloned().collect();
        Arc::new(Self { summaries, ..self.clone() })
    }
}

/// The summaries of the previous pack, all of them still valid.
struct ReusableSummaries {
    offers: Vec<SummaryOffer>,
    /// Folded hashes of the quoted messages.
    texts: BTreeSet<u64>,
}

impl ReusableSummaries {
    fn fit(self, builder: PackBuilder, caches: &PackCaches) -> PackBuilder {
        builder.with_reused_summaries(&self.offers, caches, |builder| self.is_valid_in(builder))
    }

    /// Whether nothing is said twice, and no conversation leaves out too many messages after its summary.
    fn is_valid_in(&self, builder: &PackBuilder) -> bool {
        let known = builder.shown_ids();
        let mut summaries = self.offers.iter().flat_map(|offer| &offer.range.summaries);
        let end_of = |one: &SummarizableConversation| {
            let offer = self.offers.iter().find(|offer| offer.conversation.reference.id == one.reference.id);
            offer.map(|offer| *offer.range.seqs.end()).or_else(|| (one.section == Section::History).then_some(0))
        };
        let is_seen = |one: &Arc<SummarizableConversation>| {
            end_of(one).is_none_or(|end| builder.unseen_after(&one.reference, end) <= UNSEEN_MAX)
        };
        self.texts.is_disjoint(&builder.shown_texts())
            && !summaries.any(|summary| summary.by.is_some() && is_mostly_known(summary, &known))
            && builder.conversations.iter().all(is_seen)
    }
}
