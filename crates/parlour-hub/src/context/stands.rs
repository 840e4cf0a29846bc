//! What stood for conversations in the pack before, while it still holds.
//!
//! A summary stands before the messages of its conversation, so a cache only holds as long as the summary stays as it
//! was. It is offered again while everything that it was made of is unchanged, and the pack is fitted once then.

use std::{
    collections::BTreeSet,
    ops::{ControlFlow, RangeInclusive},
    sync::Arc,
};

use parlour_context::pack::Made;
use parlour_core::{
    context::{Receipt, Section},
    id::ConversationId,
};

use super::{
    Workshop,
    drafts::Draft,
    making::Ready,
    summing::{Talk, is_mostly_known},
};
use crate::{
    Failure, Hub,
    summaries::{self, ConversationSummary, SummarySource},
};

/// Messages behind the end of what was summed up that a pack does not show. With more of them it is made anew, so that
/// no more than this is neither shown nor summed up.
const UNSEEN_MAX: u64 = 60;

/// The pack before.
pub(crate) struct Previous {
    pub(crate) receipt: Receipt,
    pub(crate) stands: Vec<Arc<Stand>>,
}

/// What stands for the older part of a conversation in a pack, and what it was made of.
#[derive(Clone)]
pub(crate) struct Stand {
    pub(super) place: ConversationId,
    /// The numbers of the first and the last message that came into question.
    pub(super) seqs: RangeInclusive<u64>,
    /// A hash over all of them as they could be shown.
    pub(super) digest: [u8; 32],
    /// How many summaries a model had written of them.
    pub(super) written: usize,
    /// The summaries; once a pack is given, those that it shows.
    pub(super) sums: Vec<ConversationSummary>,
}

/// What may stand for a conversation.
pub(super) struct Offer {
    pub(super) talk: Arc<Talk>,
    pub(super) stand: Arc<Stand>,
}

/// What stood for conversations in the pack before, and may again.
struct Held {
    offers: Vec<Offer>,
    /// The texts of the messages that it quotes, folded.
    texts: BTreeSet<u64>,
}

impl Hub {
    /// The pack that goes on after the one before, with its summaries; or what it was to be made of, where it has to be
    /// made anew.
    pub(super) async fn go_on(&self, ready: Ready) -> Result<ControlFlow<Draft, Ready>, Failure> {
        match self.hold(&ready).await? {
            Some(held) => self.at_bench(move |workshop| held.fit(ready, workshop)).await,
            None => Ok(ControlFlow::Continue(ready)),
        }
    }

    /// What stood for conversations in the pack before, if there was anything and all of it holds.
    async fn hold(&self, ready: &Ready) -> Result<Option<Held>, Failure> {
        let stands = ready.making.previous.iter().flat_map(|previous| &previous.stands);
        let (mut offers, mut texts) = (Vec::new(), BTreeSet::new());
        let known = ready.known();
        for stand in stands {
            let talk = ready.making.talks.iter().find(|talk| talk.place.id == stand.place);
            let rows = match talk {
                // Who looks cannot read it any more, or it is no longer talked there.
                None if !stand.sums.is_empty() => return Ok(None),
                None => continue,
                Some(_) if stand.sums.is_empty() => Vec::new(),
                Some(_) => self.spoken_in(stand, ready).await?,
            };
            let quoted = || rows.iter().filter(|row| stand.quotes().any(|id| *id == row.id));
            let holds = stand.sums.is_empty() || self.holds(stand, &rows, ready).await;
            if !holds || quoted().any(|row| known.contains(&row.id)) {
                return Ok(None);
            }
            texts.extend(quoted().map(|row| row.folded));
            offers.extend(talk.map(|talk| Offer { talk: Arc::clone(talk), stand: Arc::clone(stand) }));
        }
        Ok((!offers.is_empty()).then_some(Held { offers, texts }))
    }

    /// Whether what was summed up is as it was, and no model has written more of it since.
    async fn holds(&self, stand: &Stand, rows: &[SummarySource], ready: &Ready) -> bool {
        if summaries::digest(rows) != stand.digest {
            return false;
        }
        let written = match ready.making.summariser() {
            Some(engine) => self.summaries.by_model(&stand.place, rows, engine).await.len(),
            None => 0,
        };
        written == stand.written
    }
}

impl Stand {
    /// The messages that its summaries quote, by their ids.
    fn quotes(&self) -> impl Iterator<Item = &String> {
        self.sums.iter().flat_map(|summed| &summed.quotes)
    }

    /// The same with those summaries alone of which a pack shows something.
    pub(super) fn shown_in(&self, draft: &Draft) -> Arc<Self> {
        let shown = draft.shown_sums();
        let is_shown = |summed: &&ConversationSummary| shown.contains(&(&self.place, summed.last_seq));
        let sums = self.sums.iter().filter(is_shown).cloned().collect();
        Arc::new(Self { sums, ..self.clone() })
    }
}

impl Held {
    fn fit(self, mut ready: Ready, workshop: &Workshop) -> ControlFlow<Draft, Ready> {
        let count = ready.add_sums(&self.offers, workshop);
        let made = match ready.fit() {
            Ok(made) if made.goes_on => made,
            _ => return ControlFlow::Continue(ready.without_last(count)),
        };
        let draft = self.draft(ready, made);
        if draft.shown_sums().len() == count && self.is_right_in(&draft) {
            return ControlFlow::Break(draft);
        }
        ControlFlow::Continue(draft.ready.without_last(count))
    }

    fn draft(&self, ready: Ready, made: Made) -> Draft {
        let stands = self.offers.iter().map(|offer| Arc::clone(&offer.stand)).collect();
        Draft { ready, made: Some(made), stands }
    }

    /// Whether nothing is said twice, and too little nowhere.
    fn is_right_in(&self, draft: &Draft) -> bool {
        let known = draft.known();
        let mut sums = self.offers.iter().flat_map(|offer| &offer.stand.sums);
        let end_of = |talk: &Talk| {
            let offer = self.offers.iter().find(|offer| offer.talk.place.id == talk.place.id);
            offer.map(|offer| *offer.stand.seqs.end()).or_else(|| (talk.section == Section::History).then_some(0))
        };
        let is_seen =
            |talk: &Arc<Talk>| end_of(talk).is_none_or(|end| draft.unseen_behind(&talk.place, end) <= UNSEEN_MAX);
        self.texts.is_disjoint(&draft.texts())
            && !sums.any(|summed| summed.by.is_some() && is_mostly_known(summed, &known))
            && draft.ready.making.talks.iter().all(is_seen)
    }
}
