//! `PackBuilder`: the third step of a pack. It chooses the messages of a list, ranks and fits the other candidates, adds
//! summaries, and writes the receipt. CPU-bound work runs in `run_blocking`; the result does not depend on timing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use parlour_context::{
    candidate::{Candidate, ConversationRef},
    pack::{self, BudgetTooSmall, BuiltPack, PackOptions},
    rank,
};
use parlour_core::{
    Timestamp,
    context::{ContextFormat, ContextRequest, Pack, Reason, Receipt, ReceiptItem, Section, SubjectType},
    engine::Engine,
    id::{AgentId, ConversationId},
    message::Message,
    task::Task,
};
use tokio::{sync::OnceCell, time::timeout};

use super::{
    BuiltContext, ContextService, PackCaches, Query, Rules, Viewer,
    candidates::{self, Candidates, PackItem, RawCandidates, Subject, outside_list, section_of},
    gather::{FoundMessage, Gathered},
    list::{self, ListedMessage},
    receipt::{self, add_row, count_prepared, count_redaction, told_row},
    summaries::{self, PreviousPack, SummarizableConversation, SummarizedRange, SummaryOffer},
};
use crate::Failure;

/// Candidates that a reranker receives.
const SHORTLIST_MAX: usize = 100;
/// Characters of each of them.
const TEXT_CHARS_MAX: usize = 2_000;
/// Time limit of a reranker; after it the hub's own ranking is used.
const RERANK_TIME_MAX: Duration = Duration::from_millis(800);

/// Builds one pack from prepared candidates. Clone it before `build` to try another budget.
#[derive(Clone)]
pub(crate) struct PackBuilder {
    reader: (AgentId, String),
    format: ContextFormat,
    pub(super) rules: Rules,
    pub(super) candidates: Candidates,
    day: String,
    notices: Vec<String>,
    command: Option<String>,
    messages_max: Option<u64>,
    pub(super) previous: Option<Arc<PreviousPack>>,
    /// Receipt rows of messages that the model has been given before.
    told: Vec<ReceiptItem>,
    /// Conversations whose older messages may be summarised.
    pub(super) conversations: Vec<Arc<SummarizableConversation>>,
    /// Scores of the reranker by candidate id, requested once for all clones.
    votes: Arc<OnceCell<HashMap<String, f32>>>,
    choice: Choice,
}

/// Intermediate results of `build`.
#[derive(Clone, Default)]
struct Choice {
    list: Vec<ListedMessage>,
    /// The best score outside the list as a share of the best score of all.
    score_share: f32,
    /// The candidates outside the list, and their indexes in `candidates.items`.
    others: Vec<Candidate>,
    indexes: Vec<usize>,
    reranked: Vec<(usize, f32)>,
    /// `None` before fitting, and for formats that consist of the list only.
    built: Option<BuiltPack>,
    summarized: Vec<Arc<SummarizedRange>>,
}

/// A pack that has not been given to anybody yet.
pub(crate) struct PackDraft {
    pub(crate) built: BuiltContext,
    /// The parts of conversations that summaries in the pack stand for.
    pub(crate) summarized: Vec<Arc<SummarizedRange>>,
}

/// Why no pack was built.
pub(crate) enum BuildError {
    /// The budget is too small; `needed` is the smallest ceiling known to be necessary.
    BudgetTooSmall {
        needed: u64,
    },
    Failed(Failure),
}

impl From<Failure> for BuildError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl PackBuilder {
    /// Prepares the gathered candidates.
    pub(crate) async fn new(
        service: &ContextService,
        query: &Query,
        viewer: &mut Viewer,
        gathered: Gathered,
        request: &ContextRequest,
        rules: Rules,
        at: Timestamp,
    ) -> Result<Self, Failure> {
        let mut last_seqs: BTreeMap<ConversationId, Option<u64>> = BTreeMap::new();
        for found in gathered.messages() {
            let known = gathered.last_seqs.get(&found.message.to).copied();
            last_seqs.insert(found.message.to.clone(), known);
        }
        last_seqs.extend(gathered.cards().filter_map(|card| Some((card.conversation_id.clone()?, None))));
        let refs = candidates::load_conversations(service, query, viewer, last_seqs).await?;
        let conversations = summaries::summarizable(query, &gathered, &refs);
        let (here, query_text) = (query.conversation_id(), gathered.query_text.clone());
        let (messages, cards) = gathered.into_parts();
        let section = |found: &FoundMessage| section_of(found, here.as_ref(), query);
        let is_told = |found: &FoundMessage| {
            request.told.contains(&found.message.id) && !found.reasons.contains(&Reason::Current)
        };
        let (told, new): (Vec<FoundMessage>, Vec<FoundMessage>) = messages.into_iter().partition(is_told);
        let told = told.iter().map(|found| told_row(found, section(found))).collect();
        let raw = RawCandidates {
            messages: new.into_iter().map(|found| (section(&found), found)).collect(),
            cards,
            conversations: refs,
            here,
            query_text,
            task_text: query.task_text(),
            task: query.task.clone(),
        };
        let redaction = rules.context.redaction.clone();
        let candidates = service.run_blocking(move |caches| raw.prepare(caches, &redaction)).await??;
        Ok(Self {
            reader: (query.agent.id.clone(), query.agent.name.to_string()),
            format: request.format,
            rules,
            candidates,
            day: day_of(at),
            notices: request.system_notices.clone(),
            command: request.command.clone(),
            messages_max: request.messages_max,
            previous: None,
            told,
            conversations,
            votes: Arc::default(),
            choice: Choice::default(),
        })
    }

    /// Sets the pack before this one; its items keep their positions where possible.
    #[must_use]
    pub(crate) fn after(mut self, previous: Option<Arc<PreviousPack>>) -> Self {
        self.previous = previous;
        self
    }

    /// Adds a line of the hub below the candidates, before the system notices of the request.
    #[must_use]
    pub(crate) fn with_hub_line(mut self, line: Option<String>) -> Self {
        self.notices.splice(0..0, line);
        self
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Sets another ceiling, of which the surface uses `around` tokens for its own text.
    #[must_use]
    pub(crate) fn within(mut self, ceiling: u64, around: u64) -> Self {
        self.rules = self.rules.within(ceiling, around);
        self
    }

    /// Ranks, fits and renders the pack, with summaries of what it does not show. It continues the previous pack where
    /// possible.
    pub(crate) async fn build(self, service: &ContextService) -> Result<PackDraft, BuildError> {
        let chosen = self.choose(service).await?;
        let mut builder = service.reuse_summaries(chosen).await?;
        if builder.choice.built.is_none() {
            builder = service.run_blocking(move |_| builder.fitted()).await??;
            builder = service.summarize(builder).await?;
        }
        Ok(builder.finish())
    }

    /// Chooses the messages of the list; all other items become candidates, reranked if the project names a reranker.
    async fn choose(mut self, service: &ContextService) -> Result<Self, BuildError> {
        // `Last20` is not ranked.
        let name = self.rules.context.reranker.clone().filter(|_| self.format != ContextFormat::Last20);
        let Some(name) = name.filter(|name| service.reranker.names().contains(name)) else {
            return Ok(service.run_blocking(move |_| self.with_list()).await?);
        };
        let shortlisted = service.run_blocking(move |_| {
            let builder = self.with_list();
            let shortlist = builder.shortlist();
            (builder, shortlist)
        });
        let shortlist;
        (self, shortlist) = shortlisted.await?;
        let votes = Arc::clone(&self.votes);
        let vote = |(index, score): (usize, f32)| (self.choice.others[index].id.clone(), score);
        let rerank = || async { service.rerank(&name, &shortlist).await.into_iter().map(vote).collect() };
        let votes = votes.get_or_init(rerank).await;
        let scored = |(index, candidate): (usize, &Candidate)| Some((index, *votes.get(&candidate.id)?));
        self.choice.reranked = self.choice.others.iter().enumerate().filter_map(scored).collect();
        Ok(self)
    }

    fn with_list(mut self) -> Self {
        let Candidates { items, query, .. } = &self.candidates;
        let len_max = self.list_len_max();
        let mut list = len_max
            .map_or_else(Vec::new, |most| list::choose(items, &self.rules.tokenizer, self.rules.list_budget, most));
        let score_share = list::score(&mut list, items, query, &self.rules.context.weights);
        let mut is_listed = vec![false; items.len()];
        list.iter().for_each(|listed| is_listed[listed.index] = true);
        let indexes: Vec<usize> = (0..items.len()).filter(|index| !is_listed[*index]).collect();
        let candidate = |index: &usize| outside_list(items[*index].candidate.clone(), len_max.is_some());
        let others = indexes.iter().map(candidate).collect();
        self.choice = Choice { list, score_share, others, indexes, ..Choice::default() };
        self
    }

    /// The input of the reranker: the best candidates by the hub's own ranking.
    fn shortlist(&self) -> Shortlist {
        let (query, weights) = (&self.candidates.query, &self.rules.context.weights);
        let scores = rank::rank(query, &self.choice.others, weights, &[]);
        let indexes = rank::shortlist(&scores, SHORTLIST_MAX);
        let text = |index: &usize| self.choice.others[*index].prepared.text.chars().take(TEXT_CHARS_MAX).collect();
        let texts = indexes.iter().map(text).collect();
        Shortlist { query: query.text.clone(), indexes, texts }
    }

    /// The model that writes summaries, if the project names one.
    pub(super) fn summariser(&self) -> Option<&Engine> {
        self.rules.context.summariser.as_ref()
    }

    /// The maximum length of the list; `None` for formats without a list.
    fn list_len_max(&self) -> Option<usize> {
        list::len_max(self.format, self.messages_max)
    }

    /// Tokens for the pack without the list.
    pub(super) fn pack_budget(&self) -> u64 {
        self.rules.budget - self.rules.list_budget
    }

    fn fit(&self) -> Result<BuiltPack, BudgetTooSmall> {
        pack::build(&PackOptions {
            reader: (&self.reader.0, &self.reader.1),
            format: self.format,
            budget: self.pack_budget(),
            tokenizer: &self.rules.tokenizer,
            query: &self.candidates.query,
            candidates: &self.choice.others,
            reranked: &self.choice.reranked,
            rules: &self.rules.context,
            day: &self.day,
            notices: &self.notices,
            command: self.command.as_deref(),
            previous: self.previous.as_ref().map(|previous| &previous.receipt),
        })
    }

    /// Fits the candidates; does nothing for `Last20`, which consists of the list only.
    fn fitted(mut self) -> Result<Self, BuildError> {
        if self.format != ContextFormat::Last20 {
            let built = self.fit().map_err(|BudgetTooSmall { needed, .. }| BuildError::BudgetTooSmall {
                // The share of the list is needed too.
                needed: self.rules.ceiling_for(needed),
            })?;
            self.choice.built = Some(built);
        }
        Ok(self)
    }

    /// Fits again with summaries as additional candidates; keeps the pack as it was if none of them is shown.
    pub(super) fn with_summaries(mut self, offers: &[SummaryOffer], caches: &PackCaches) -> Self {
        let Some(before) = self.choice.built.take() else { return self };
        let count = self.add_summaries(offers, caches);
        self.choice.built = if count > 0 { self.fit().ok() } else { None };
        if self.shown_summaries().is_empty() {
            self.remove_last(count);
            self.choice.built = Some(before);
        } else {
            self.choice.summarized = offers.iter().map(|offer| offer.range.shown_in(&self)).collect();
        }
        self
    }

    /// Fits with the summaries of the previous pack. `choice.built` stays `None` unless the pack continues the previous
    /// one, shows all of them, and `is_valid` accepts it.
    pub(super) fn with_reused_summaries(
        mut self,
        offers: &[SummaryOffer],
        caches: &PackCaches,
        is_valid: impl FnOnce(&Self) -> bool,
    ) -> Self {
        let count = self.add_summaries(offers, caches);
        self.choice.built = self.fit().ok().filter(|built| built.extends_previous);
        if self.choice.built.is_some() && self.shown_summaries().len() == count && is_valid(&self) {
            self.choice.summarized = offers.iter().map(|offer| Arc::clone(&offer.range)).collect();
        } else {
            self.choice.built = None;
            self.remove_last(count);
        }
        self
    }

    /// Appends summaries to the candidates and returns their number.
    fn add_summaries(&mut self, offers: &[SummaryOffer], caches: &PackCaches) -> usize {
        let Ok(redactor) = caches.redactor(&self.rules.context.redaction) else { return 0 };
        let (has_list, before) = (self.list_len_max().is_some(), self.choice.others.len());
        for offer in offers {
            for summary in &offer.range.summaries {
                let prepared = caches.prepared(&summary.text, &redactor);
                let item = PackItem::of_summary(&offer.conversation, summary, &prepared);
                self.choice.others.push(outside_list(item.candidate.clone(), has_list));
                self.choice.indexes.push(self.candidates.items.len());
                self.candidates.items.push(Arc::new(item));
            }
        }
        self.choice.others.len() - before
    }

    fn remove_last(&mut self, count: usize) {
        let len = self.choice.others.len() - count;
        self.choice.others.truncate(len);
        self.choice.indexes.truncate(len);
        let items = &mut self.candidates.items;
        items.truncate(items.len() - count);
    }
}

/// What the pack shows so far.
impl PackBuilder {
    /// Receipt rows of the list and of messages that were given before.
    fn listed(&self) -> impl Iterator<Item = &ReceiptItem> {
        self.choice.list.iter().map(|listed| &listed.row).chain(&self.told)
    }

    fn shown(&self) -> impl Iterator<Item = &Candidate> {
        self.choice.built.iter().flat_map(|built| &built.shown).map(|(index, _)| &self.choice.others[*index])
    }

    /// Ids of messages that the model will have whatever else is chosen.
    pub(super) fn certain_ids(&self) -> BTreeSet<String> {
        let mandatory = self.choice.others.iter().filter(|candidate| candidate.is_mandatory());
        self.listed().map(|row| &row.id).chain(mandatory.map(|candidate| &candidate.id)).cloned().collect()
    }

    /// Ids of messages that the pack shows or that were given before.
    pub(super) fn shown_ids(&self) -> BTreeSet<String> {
        let messages = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Message);
        let shown = messages.map(|candidate| candidate.id.clone());
        self.listed().map(|row| row.id.clone()).chain(shown).collect()
    }

    /// Folded hashes of the shown texts.
    pub(super) fn shown_texts(&self) -> BTreeSet<u64> {
        let listed = self.choice.list.iter().map(|listed| &self.candidates.items[listed.index].candidate);
        self.shown().chain(listed).map(|candidate| candidate.prepared.folded).collect()
    }

    /// Conversation and last sequence number of each shown summary.
    pub(super) fn shown_summaries(&self) -> BTreeSet<(&ConversationId, u64)> {
        let summaries = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Summary);
        summaries.filter_map(|candidate| Some((&candidate.conversation.as_ref()?.id, candidate.seq))).collect()
    }

    /// The number of messages of a conversation after `end` that the model does not have.
    pub(super) fn unseen_after(&self, conversation: &ConversationRef, end: u64) -> u64 {
        let shown = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Message);
        let shown = shown.filter_map(|candidate| Some((&candidate.conversation.as_ref()?.id, candidate.seq)));
        let listed = self.listed().filter_map(|row| Some((row.conversation_id.as_ref()?, row.seq?)));
        let seen: BTreeSet<u64> =
            shown.chain(listed).filter(|(id, seq)| **id == conversation.id && *seq > end).map(|(_, seq)| seq).collect();
        conversation.last_seq.saturating_sub(end).saturating_sub(seen.len() as u64)
    }
}

/// The finished pack.
impl PackBuilder {
    fn finish(mut self) -> PackDraft {
        let (text, mut receipt, mut messages) = match self.choice.built.take() {
            Some(built) => self.write_pack(built),
            None => {
                let empty = receipt::empty(0, 0, self.rules.tokenizer.counting());
                (String::new(), Receipt { unlisted: self.choice.others.len() as u64, ..empty }, Vec::new())
            }
        };
        receipt.budget = self.rules.ceiling;
        list::scale_scores(&mut receipt.items, self.choice.score_share);
        for listed in self.choice.list {
            receipt.used += listed.row.tokens + listed.around;
            receipt.frame += listed.around;
            let item = &self.candidates.items[listed.index];
            count_prepared(&mut receipt, &item.candidate);
            if listed.message.question.is_some() {
                item.answer_format_marks.iter().for_each(|kind| count_redaction(&mut receipt, kind));
            }
            add_row(&mut receipt, listed.row);
            messages.push(listed.message);
        }
        for row in self.told {
            add_row(&mut receipt, row);
        }
        let task = self.candidates.task.filter(|_| self.format == ContextFormat::Native).map(guarded_task);
        let pack = Pack {
            agent_id: self.reader.0,
            format: self.format,
            text,
            messages: if self.format.is_list() { messages.clone() } else { Vec::new() },
            task,
            request: None,
            receipt,
            injection_id: None,
        };
        PackDraft { built: BuiltContext { pack, messages }, summarized: self.choice.summarized }
    }

    /// Text and receipt of the fitted pack, and its messages of the conversation to answer, oldest first.
    fn write_pack(&self, built: BuiltPack) -> (String, Receipt, Vec<Message>) {
        let BuiltPack { text, mut receipt, shown, .. } = built;
        let mut messages: Vec<(u64, Message)> = Vec::new();
        for (index, text) in shown {
            let item = &self.candidates.items[self.choice.indexes[index]];
            let marks = &item.answer_format_marks;
            let row = receipt.items.iter_mut().find(|row| row.id == item.candidate.id && !marks.is_empty());
            row.into_iter().for_each(|row| row.redactions += marks.len() as u64);
            marks.iter().for_each(|kind| count_redaction(&mut receipt, kind));
            if let Subject::Message(message) = &item.subject
                && item.candidate.section == Section::History
                && self.list_len_max().is_none()
            {
                messages.push((message.seq, list::as_shown(message, text)));
            }
        }
        messages.sort_by_key(|(seq, _)| *seq);
        (text, receipt, messages.into_iter().map(|(_, message)| message).collect())
    }
}

/// The day that frame tags depend on.
pub(crate) fn day_of(at: Timestamp) -> String {
    at.to_string().chars().take("2026-11-16".len()).collect()
}

/// The task without text that a model could read as a border between speakers.
fn guarded_task(task: Task) -> Task {
    Task { title: list::guard(&task.title), description: task.description.map(|text| list::guard(&text)), ..task }
}

/// The input of a reranker.
struct Shortlist {
    query: String,
    indexes: Vec<usize>,
    texts: Vec<String>,
}

impl ContextService {
    /// Scores from 0 to 1 by candidate index; empty when the reranker fails or exceeds its time limit.
    async fn rerank(&self, name: &str, list: &Shortlist) -> Vec<(usize, f32)> {
        if list.texts.is_empty() || list.query.trim().is_empty() {
            return Vec::new();
        }
        let cause = match timeout(RERANK_TIME_MAX, self.reranker.rerank(name, &list.query, &list.texts)).await {
            Ok(Ok(scores)) if scores.len() == list.indexes.len() && scores.iter().all(|score| score.is_finite()) => {
                let scores = scores.into_iter().map(|score| score.clamp(0.0, 1.0));
                return list.indexes.iter().copied().zip(scores).collect();
            }
            Ok(Ok(_)) => "the number of scores differs from the number of texts, or a score is not finite".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("it took more than {} ms", RERANK_TIME_MAX.as_millis()),
        };
        let failures = self.rerank_failures.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(name, cause, failures, "a reranker failed; the hub's own ranking is used");
        Vec::new()
    }
}
