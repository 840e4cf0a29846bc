//! The work of the processor: preparing texts, ranking, fitting and writing. It is done beside the async runtime, by few
//! at once, and its result does not depend on when that is.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::ControlFlow,
    sync::Arc,
};

use parlour_context::{
    candidate::Candidate,
    pack::{self, Made, TooSmall, Wish},
    rank,
};
use parlour_core::{
    Timestamp,
    context::{ContextFormat, ContextRequest, Reason, Receipt, ReceiptItem},
    engine::Engine,
    id::{AgentId, ConversationId},
    message::Message,
    task::Task,
};
use tokio::sync::OnceCell;

use super::{
    Aim, Eyes, Rules, Workshop,
    drafts::Draft,
    gather::Harvest,
    gathered::Sighting,
    items::{Item, beside_list, section_of},
    list, places,
    reranking::{SHORTLIST_MAX, Shortlist, TEXT_CHARS_MAX},
    stands::{Offer, Previous, Stand},
    stock::{Raw, Stock},
    summing::{self, Talk},
    told, valued,
};
use crate::{Failure, Fault, Hub};

/// Everything that a pack is made of, read and owned.
#[derive(Clone)]
pub(crate) struct Making {
    reader: (AgentId, String),
    pub(super) format: ContextFormat,
    pub(super) rules: Rules,
    pub(super) stock: Stock,
    day: String,
    notices: Vec<String>,
    command: Option<String>,
    messages_max: Option<u64>,
    pub(super) previous: Option<Arc<Previous>>,
    pub(super) told: Vec<ReceiptItem>,
    /// The conversations of which more may be summed up than is shown.
    pub(super) talks: Vec<Arc<Talk>>,
    /// What a reranker said, by the ids of candidates. It is asked once, however often it is tried what fits.
    votes: Arc<OnceCell<HashMap<String, f32>>>,
}

/// What was made.
pub(crate) struct Outcome {
    /// The text; for lists, that of the system part.
    pub(crate) text: String,
    pub(crate) receipt: Receipt,
    /// The messages of the conversation that are shown, oldest first, each with the text that may be shown.
    pub(crate) messages: Vec<Message>,
    /// The task that it is about, as it may be shown.
    pub(crate) task: Option<Task>,
    /// What stands for conversations in it.
    pub(crate) stands: Vec<Arc<Stand>>,
}

/// Why nothing was made.
pub(crate) enum Unmade {
    /// The budget is too small: so much is needed by what is known.
    TooSmall {
        /// Tokens of everything.
        needed: u64,
    },
    /// Something failed.
    Failed(Failure),
}

impl From<Failure> for Unmade {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Items that are prepared, and what they are measured against.
pub(super) struct Ready {
    pub(super) making: Making,
    pub(super) list: Vec<list::Entry>,
    /// Which part of the best score the best of what is not in the list has.
    pub(super) part: f32,
    /// The candidates of the pack, and the places of their items.
    pub(super) candidates: Vec<Candidate>,
    pub(super) indexes: Vec<usize>,
    /// What a reranker said of them.
    reranked: Vec<(usize, f32)>,
}

impl Making {
    /// Turns what was gathered into what a pack is made of.
    pub(crate) async fn new(
        hub: &Hub,
        aim: &Aim,
        eyes: &mut Eyes,
        harvest: Harvest,
        ask: &ContextRequest,
        rules: Rules,
        at: Timestamp,
    ) -> Result<Self, Failure> {
        let Harvest { gathered, asked } = harvest;
        let mut last_seqs: BTreeMap<ConversationId, Option<u64>> = BTreeMap::new();
        for sighting in gathered.sightings() {
            let known = gathered.last_seqs.get(&sighting.message.to).copied();
            last_seqs.insert(sighting.message.to.clone(), known);
        }
        let here = aim.place();
        last_seqs.extend(gathered.cards().filter_map(|card| Some((card.place.clone()?, None))));
        let places = places::places(hub, aim, eyes, last_seqs).await?;
        let talks = summing::talks(aim, &gathered, &places);
        let (sightings, cards) = gathered.into_parts();
        let section = |sighting: &Sighting| section_of(sighting, here.as_ref(), aim);
        let is_told = |sighting: &Sighting| {
            ask.told.contains(&sighting.message.id) && !sighting.reasons.contains(&Reason::Current)
        };
        let (told, unheard): (Vec<Sighting>, Vec<Sighting>) = sightings.into_iter().partition(is_told);
        let told = told.iter().map(|sighting| told::row(sighting, section(sighting))).collect();
        let raw = Raw {
            sightings: unheard.into_iter().map(|sighting| (section(&sighting), sighting)).collect(),
            cards,
            places,
            here,
            asked,
            task_text: aim.task_text(),
            task: aim.task.clone(),
        };
        let redaction = rules.context.redaction.clone();
        let stock = hub.at_bench(move |workshop| raw.prepare(workshop, &redaction)).await??;
        Ok(Self {
            reader: (aim.agent.id.clone(), aim.agent.name.to_string()),
            format: ask.format,
            rules,
            stock,
            day: day_of(at),
            notices: ask.system_notices.clone(),
            command: ask.command.clone(),
            messages_max: ask.messages_max,
            previous: None,
            told,
            talks,
            votes: Arc::default(),
        })
    }

    /// The pack before, so that what it showed keeps its place.
    #[must_use]
    pub(crate) fn after(mut self, previous: Option<Arc<Previous>>) -> Self {
        self.previous = previous;
        self
    }

    /// The rules that hold for it.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The same within another ceiling, with so many tokens around it.
    #[must_use]
    pub(crate) fn within(mut self, ceiling: u64, around: u64) -> Self {
        self.rules = self.rules.within(ceiling, around);
        self
    }

    /// Makes it: ranked, fitted, and with summaries of what is not shown. It goes on after the pack before where it can.
    pub(crate) async fn make(self, hub: &Hub) -> Result<Outcome, Unmade> {
        let ready = self.ready(hub).await?;
        let draft = match hub.go_on(ready).await? {
            ControlFlow::Break(draft) => draft,
            ControlFlow::Continue(ready) => hub.sum_up(hub.at_bench(move |_| ready.draft()).await??).await?,
        };
        Ok(draft.finish())
    }

    async fn ready(self, hub: &Hub) -> Result<Ready, Unmade> {
        // Where only the last messages are wanted, nothing is ranked.
        let reranker = self.rules.context.reranker.clone().filter(|_| self.format != ContextFormat::Last20);
        let Some(name) = reranker.filter(|name| hub.reranker.names().contains(name)) else {
            return Ok(hub.at_bench(move |_| self.ready_alone()).await?);
        };
        let (ready, shortlist) = hub.at_bench(move |_| self.ready_alone().shortlisted()).await?;
        let votes = Arc::clone(&ready.making.votes);
        let vote = |(index, score): (usize, f32)| (ready.candidates[index].id.clone(), score);
        let ask = || async { hub.rerank(&name, &shortlist).await.into_iter().map(vote).collect() };
        let votes = votes.get_or_init(ask).await;
        let said = |(index, candidate): (usize, &Candidate)| Some((index, *votes.get(&candidate.id)?));
        let reranked = ready.candidates.iter().enumerate().filter_map(said).collect();
        Ok(Ready { reranked, ..ready })
    }

    /// The model that writes summaries, where the project names one.
    pub(super) fn summariser(&self) -> Option<&Engine> {
        self.rules.context.summariser.as_ref()
    }

    /// Messages of the list at most, where there is one.
    pub(super) fn entries_max(&self) -> Option<usize> {
        list::entries_max(self.format, self.messages_max)
    }

    /// The end of the conversation as a list, where one is wanted, and everything else as candidates.
    fn ready_alone(self) -> Ready {
        let Stock { items, query, .. } = &self.stock;
        let entries_max = self.entries_max();
        let mut list = entries_max
            .map_or_else(Vec::new, |most| list::choose(items, &self.rules.tokenizer, self.rules.list_budget, most));
        let part = valued::value(&mut list, items, query, &self.rules.context.weights);
        let mut is_listed = vec![false; items.len()];
        list.iter().for_each(|entry| is_listed[entry.index] = true);
        let indexes: Vec<usize> = (0..items.len()).filter(|index| !is_listed[*index]).collect();
        let candidate = |index: &usize| beside_list(items[*index].candidate.clone(), entries_max.is_some());
        let candidates = indexes.iter().map(candidate).collect();
        Ready { list, part, candidates, indexes, reranked: Vec::new(), making: self }
    }
}

impl Ready {
    /// The same, and what a reranker is to be asked.
    fn shortlisted(self) -> (Self, Shortlist) {
        let scores = rank::rank(&self.making.stock.query, &self.candidates, &self.making.rules.context.weights, &[]);
        let indexes = rank::shortlist(&scores, SHORTLIST_MAX);
        let text = |index: &usize| self.candidates[*index].prepared.text.chars().take(TEXT_CHARS_MAX).collect();
        let texts = indexes.iter().map(text).collect();
        let shortlist = Shortlist { query: self.making.stock.query.text.clone(), indexes, texts };
        (self, shortlist)
    }

    /// Fits it, save where nothing but the last messages is wanted.
    fn draft(self) -> Result<Draft, Unmade> {
        let made = match self.making.format {
            ContextFormat::Last20 => None,
            _ => Some(self.fit().map_err(|error| self.refuse(&error))?),
        };
        Ok(Draft { ready: self, made, stands: Vec::new() })
    }

    /// Adds summaries behind the other candidates, and answers how many they are.
    pub(super) fn add_sums(&mut self, offers: &[Offer], workshop: &Workshop) -> usize {
        let Ok(kept) = workshop.redactor(&self.making.rules.context.redaction) else { return 0 };
        let (has_list, before) = (self.making.entries_max().is_some(), self.candidates.len());
        for offer in offers {
            for summed in &offer.stand.sums {
                let item = Item::of_sum(&offer.talk, summed, &workshop.prepared(&summed.text, &kept));
                self.candidates.push(beside_list(item.candidate.clone(), has_list));
                self.indexes.push(self.making.stock.items.len());
                self.making.stock.items.push(Arc::new(item));
            }
        }
        self.candidates.len() - before
    }

    /// The same without the last so many candidates.
    pub(super) fn without_last(mut self, count: usize) -> Self {
        self.candidates.truncate(self.candidates.len() - count);
        self.indexes.truncate(self.indexes.len() - count);
        let items = &mut self.making.stock.items;
        items.truncate(items.len() - count);
        self
    }

    /// The rows of what stands in the list or was told before.
    pub(super) fn listed(&self) -> impl Iterator<Item = &ReceiptItem> {
        self.list.iter().map(|entry| &entry.row).chain(&self.making.told)
    }

    /// The messages that will be known whatever else is shown, by their ids.
    pub(super) fn known(&self) -> BTreeSet<String> {
        let must = self.candidates.iter().filter(|candidate| candidate.is_mandatory());
        self.listed().map(|row| &row.id).chain(must.map(|candidate| &candidate.id)).cloned().collect()
    }

    pub(super) fn fit(&self) -> Result<Made, TooSmall> {
        let making = &self.making;
        pack::make(&Wish {
            reader: (&making.reader.0, &making.reader.1),
            format: making.format,
            budget: making.rules.budget - making.rules.list_budget,
            tokenizer: &making.rules.tokenizer,
            query: &making.stock.query,
            candidates: &self.candidates,
            reranked: &self.reranked,
            rules: &making.rules.context,
            day: &making.day,
            notices: &making.notices,
            command: making.command.as_deref(),
            previous: making.previous.as_ref().map(|previous| &previous.receipt),
        })
    }

    /// A budget that is too small, with what is needed at least: the share of the list is needed too.
    fn refuse(&self, error: &TooSmall) -> Unmade {
        let TooSmall::Budget { needed, .. } = error;
        Unmade::TooSmall { needed: self.making.rules.ceiling_for(*needed) }
    }
}

/// The day by which a pack is marked.
pub(crate) fn day_of(at: Timestamp) -> String {
    at.to_string().chars().take("2026-11-16".len()).collect()
}

impl Hub {
    /// Does work of the processor beside the async runtime, with few others at once.
    pub(super) async fn at_bench<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Workshop) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let fault = |error: Box<dyn std::error::Error + Send + Sync>| Fault::new("make a pack", error);
        let benches = Arc::clone(&self.workshop.benches);
        let bench = benches.acquire_owned().await.map_err(|error| fault(error.into()))?;
        let workshop = Arc::clone(&self.workshop);
        let working = tokio::task::spawn_blocking(move || {
            let _bench = bench;
            work(&workshop)
        });
        Ok(working.await.map_err(|error| fault(error.into()))?)
    }
}
