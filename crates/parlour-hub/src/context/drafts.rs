//! A pack that was fitted, until it is given.

use std::{collections::BTreeSet, sync::Arc};

use parlour_context::{
    candidate::{Candidate, Place},
    pack::Made,
};
use parlour_core::{
    context::{Receipt, RedactionCount, Section, SubjectType},
    id::ConversationId,
    message::Message,
};

use super::{
    Outcome, Workshop,
    items::Subject,
    list,
    making::Ready,
    stands::{Offer, Stand},
    told, valued,
};

/// A pack that was fitted.
pub(super) struct Draft {
    pub(super) ready: Ready,
    /// Nothing where only the last messages are wanted.
    pub(super) made: Option<Made>,
    /// What stands for conversations in it.
    pub(super) stands: Vec<Arc<Stand>>,
}

impl Draft {
    /// The messages that the model is shown or has been told, by their ids.
    pub(super) fn known(&self) -> BTreeSet<String> {
        let messages = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Message);
        let shown = messages.map(|candidate| candidate.id.clone());
        self.ready.listed().map(|row| row.id.clone()).chain(shown).collect()
    }

    /// The texts of what is shown, folded: whatever says the same needs no summary.
    pub(super) fn texts(&self) -> BTreeSet<u64> {
        let listed = self.ready.list.iter().map(|entry| &self.ready.making.stock.items[entry.index].candidate);
        self.shown().chain(listed).map(|candidate| candidate.prepared.folded).collect()
    }

    /// The summaries that are shown: where, and up to which number.
    pub(super) fn shown_sums(&self) -> BTreeSet<(&ConversationId, u64)> {
        let sums = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Summary);
        sums.filter_map(|candidate| Some((&candidate.place.as_ref()?.id, candidate.seq))).collect()
    }

    /// How many messages of a place behind a number the model is neither shown nor has been told.
    pub(super) fn unseen_behind(&self, place: &Place, end: u64) -> u64 {
        let shown = self.shown().filter(|candidate| candidate.subject_type == SubjectType::Message);
        let shown = shown.filter_map(|candidate| Some((&candidate.place.as_ref()?.id, candidate.seq)));
        let listed = self.ready.listed().filter_map(|row| Some((row.conversation_id.as_ref()?, row.seq?)));
        let seen: BTreeSet<u64> =
            shown.chain(listed).filter(|(id, seq)| **id == place.id && *seq > end).map(|(_, seq)| seq).collect();
        place.last_seq.saturating_sub(end).saturating_sub(seen.len() as u64)
    }

    fn shown(&self) -> impl Iterator<Item = &Candidate> {
        self.made.iter().flat_map(|made| &made.shown).map(|(index, _)| &self.ready.candidates[*index])
    }

    /// Tokens that the pack may cost, without the list.
    pub(super) fn pack_budget(&self) -> u64 {
        self.ready.making.rules.budget - self.ready.making.rules.list_budget
    }

    /// The same with summaries, unless none of them is worth its tokens.
    pub(super) fn with_sums(mut self, offers: &[Offer], workshop: &Workshop) -> Self {
        let Some(before) = self.made.take() else { return self };
        let count = self.ready.add_sums(offers, workshop);
        self.made = if count > 0 { self.ready.fit().ok() } else { None };
        if self.shown_sums().is_empty() {
            return Self { ready: self.ready.without_last(count), made: Some(before), ..self };
        }
        let stands = offers.iter().map(|offer| offer.stand.shown_in(&self)).collect();
        Self { stands, ..self }
    }

    /// What is given.
    pub(super) fn finish(mut self) -> Outcome {
        match self.made.take() {
            Some(made) => self.with_pack(made),
            None => self.without_pack(),
        }
    }

    fn with_pack(self, made: Made) -> Outcome {
        let Made { text, mut receipt, shown, .. } = made;
        let mut messages: Vec<(u64, Message)> = Vec::new();
        for (index, text) in shown {
            let item = &self.ready.making.stock.items[self.ready.indexes[index]];
            let row = receipt.items.iter_mut().find(|row| row.id == item.candidate.id && !item.wanted_marks.is_empty());
            row.into_iter().for_each(|row| row.redactions += item.wanted_marks.len() as u64);
            item.wanted_marks.iter().for_each(|kind| count_redaction(&mut receipt, kind));
            if let Subject::Message(message) = &item.subject
                && item.candidate.section == Section::History
                && self.ready.making.entries_max().is_none()
            {
                messages.push((message.seq, list::as_shown(message, text)));
            }
        }
        messages.sort_by_key(|(seq, _)| *seq);
        let messages = messages.into_iter().map(|(_, message)| message).collect();
        self.complete(Outcome { text, receipt, messages, task: None, stands: Vec::new() })
    }

    /// The last messages alone, for those who want nothing else.
    fn without_pack(self) -> Outcome {
        let receipt = Receipt {
            budget: 0,
            used: 0,
            frame: 0,
            counting: self.ready.making.rules.tokenizer.counting(),
            sections: Vec::new(),
            items: Vec::new(),
            unlisted: self.ready.candidates.len() as u64,
            redactions: Vec::new(),
            invisible: 0,
        };
        self.complete(Outcome { text: String::new(), receipt, messages: Vec::new(), task: None, stands: Vec::new() })
    }

    /// Adds the list and what was told before.
    fn complete(self, mut outcome: Outcome) -> Outcome {
        outcome.receipt.budget = self.ready.making.rules.ceiling;
        outcome.task = self.ready.making.stock.task;
        outcome.stands = self.stands;
        valued::scale(&mut outcome.receipt.items, self.ready.part);
        for entry in self.ready.list {
            outcome.receipt.used += entry.row.tokens + entry.around;
            outcome.receipt.frame += entry.around;
            let item = &self.ready.making.stock.items[entry.index];
            add_redactions(&mut outcome.receipt, &item.candidate);
            if entry.message.question.is_some() {
                item.wanted_marks.iter().for_each(|kind| count_redaction(&mut outcome.receipt, kind));
            }
            told::add_row(&mut outcome.receipt, entry.row);
            outcome.messages.push(entry.message);
        }
        for row in self.ready.making.told {
            told::add_row(&mut outcome.receipt, row);
        }
        outcome
    }
}

/// Counts what was taken out of a text that is shown in a list.
fn add_redactions(receipt: &mut Receipt, candidate: &Candidate) {
    receipt.invisible += candidate.prepared.invisible;
    candidate.prepared.marks.iter().for_each(|mark| count_redaction(receipt, &mark.kind));
}

/// Counts one thing that was taken out, by its kind.
fn count_redaction(receipt: &mut Receipt, kind: &str) {
    match receipt.redactions.binary_search_by(|count| count.kind.as_str().cmp(kind)) {
        Ok(place) => receipt.redactions[place].count += 1,
        Err(place) => receipt.redactions.insert(place, RedactionCount { kind: kind.to_owned(), count: 1 }),
    }
}
