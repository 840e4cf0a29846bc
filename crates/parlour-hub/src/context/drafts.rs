//! A pack that was fitted, once without and once with summaries, until it is given.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parlour_context::{candidate::Candidate, pack::Made};
use parlour_core::{
    context::{LeftOut, Receipt, ReceiptItem, RedactionRules, Section, SectionTotal, SubjectType},
    engine::Engine,
    limits,
    message::Message,
};

use super::{
    Outcome, Workshop, list,
    making::{Item, Ready, Subject, beside_list},
    summing::{Sum, Talk, folded},
    told, valued,
};

/// A pack that was fitted.
pub(super) struct Draft {
    pub(super) ready: Ready,
    /// Nothing where only the last messages are wanted.
    pub(super) made: Option<Made>,
    /// What a reranker said of the candidates.
    pub(super) reranked: Vec<(usize, f32)>,
}

impl Draft {
    /// The messages that the model is shown or has been told, by their ids.
    pub(super) fn known(&self) -> BTreeSet<String> {
        let shown = self.made.iter().flat_map(|made| &made.shown).map(|(index, _)| &self.ready.candidates[*index]);
        let messages = shown.filter(|candidate| candidate.subject_type == SubjectType::Message);
        let listed = self.ready.list.iter().map(|entry| entry.row.id.clone());
        let told = self.ready.making.told.iter().map(|row| row.id.clone());
        messages.map(|candidate| candidate.id.clone()).chain(listed).chain(told).collect()
    }

    /// The texts of what is shown, folded: whatever says the same needs no summary.
    pub(super) fn texts(&self) -> BTreeSet<String> {
        let shown = self.made.iter().flat_map(|made| &made.shown).map(|(index, _)| &self.ready.candidates[*index]);
        let listed = self.ready.list.iter().map(|entry| &self.ready.making.items[entry.index].candidate);
        shown.chain(listed).map(|candidate| folded(&candidate.prepared.text)).collect()
    }

    pub(super) fn talks(&self) -> &[Arc<Talk>] {
        &self.ready.making.talks
    }

    pub(super) fn redaction(&self) -> RedactionRules {
        self.ready.making.rules.context.redaction.clone()
    }

    /// The model that writes summaries, where the project names one.
    pub(super) fn summariser(&self) -> Option<&Engine> {
        self.ready.making.rules.context.summariser.as_ref()
    }

    /// Tokens that the pack may cost, without the list.
    pub(super) fn pack_budget(&self) -> u64 {
        self.ready.making.rules.budget - self.ready.making.rules.list_budget
    }

    /// The same with summaries, unless none of them is worth its tokens.
    pub(super) fn with_sums(mut self, sums: &[Sum], workshop: &Workshop) -> Self {
        let Ok(kept) = workshop.redactor(&self.redaction()) else { return self };
        if sums.is_empty() || self.made.is_none() {
            return self;
        }
        let first = Choice { candidates: self.ready.candidates.clone(), indexes: self.ready.indexes.clone() };
        let (reranked, taken_out) = self.without_quoted(sums);
        let has_list = self.ready.making.entries_max().is_some();
        for sum in sums {
            let item = Item::of_sum(sum, workshop.prepared(&sum.summed.text, &kept));
            self.ready.candidates.push(beside_list(item.candidate.clone(), has_list));
            self.ready.indexes.push(self.ready.making.items.len());
            self.ready.making.items.push(item);
        }
        let begin = self.ready.candidates.len() - sums.len();
        let second = self.ready.fit(&reranked);
        let is_shown = |made: &Made| made.shown.iter().any(|(index, _)| *index >= begin);
        match (second, self.made.take()) {
            (Ok(mut second), Some(before)) if is_shown(&second) => {
                let shown = second.shown.iter().filter_map(|(index, _)| Some(&sums[index.checked_sub(begin)?]));
                settle(&mut second.receipt, before.receipt, &shown.collect::<Vec<_>>(), &taken_out);
                self.made = Some(second);
            }
            (_, before) => {
                (self.ready.candidates, self.ready.indexes) = (first.candidates, first.indexes);
                self.made = before;
            }
        }
        self
    }

    /// Takes those messages out of the candidates that a summary quotes and the first pack does not show. Answers what
    /// the reranker said of the others, and what was taken out.
    fn without_quoted(&mut self, sums: &[Sum]) -> (Vec<(usize, f32)>, Vec<TakenOut>) {
        let known = self.known();
        let quoted: BTreeSet<&String> = sums.iter().flat_map(|sum| &sum.summed.quotes).collect();
        let is_out = |candidate: &Candidate| {
            let is_message = candidate.subject_type == SubjectType::Message;
            is_message && quoted.contains(&candidate.id) && !known.contains(&candidate.id) && !candidate.is_mandatory()
        };
        let (out, kept): (Vec<usize>, Vec<usize>) =
            (0..self.ready.candidates.len()).partition(|index| is_out(&self.ready.candidates[*index]));
        let taken_out = out.iter().map(|index| &self.ready.candidates[*index]);
        let taken_out = taken_out.map(|candidate| (candidate.id.clone(), candidate.section)).collect();
        let places: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        self.ready.candidates = kept.iter().map(|index| self.ready.candidates[*index].clone()).collect();
        self.ready.indexes = kept.iter().map(|index| self.ready.indexes[*index]).collect();
        let reranked = self.reranked.iter().filter_map(|(old, score)| Some((*places.get(old)?, *score))).collect();
        (reranked, taken_out)
    }

    /// What is given.
    pub(super) fn finish(mut self) -> Outcome {
        match self.made.take() {
            Some(made) => self.with_pack(made),
            None => self.without_pack(),
        }
    }

    fn with_pack(self, made: Made) -> Outcome {
        let Made { text, receipt, shown } = made;
        let mut messages: Vec<(u64, Message)> = Vec::new();
        for (index, text) in shown {
            let item = &self.ready.making.items[self.ready.indexes[index]];
            if let Subject::Message(message) = &item.subject
                && item.candidate.section == Section::History
                && self.ready.making.entries_max().is_none()
            {
                messages.push((message.seq, list::as_shown(message, text)));
            }
        }
        messages.sort_by_key(|(seq, _)| *seq);
        let messages = messages.into_iter().map(|(_, message)| message).collect();
        self.complete(Outcome { text, receipt, messages, task: None })
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
        self.complete(Outcome { text: String::new(), receipt, messages: Vec::new(), task: None })
    }

    /// Adds the list and what was told before.
    fn complete(self, mut outcome: Outcome) -> Outcome {
        outcome.receipt.budget = self.ready.making.rules.ceiling;
        outcome.task = self.ready.making.task;
        valued::scale(&mut outcome.receipt.items, self.ready.part);
        for entry in self.ready.list {
            outcome.receipt.used += entry.row.tokens + entry.around;
            outcome.receipt.frame += entry.around;
            add_redactions(&mut outcome.receipt, &self.ready.making.items[entry.index].candidate);
            told::add_row(&mut outcome.receipt, entry.row);
            outcome.messages.push(entry.message);
        }
        for row in self.ready.making.told {
            told::add_row(&mut outcome.receipt, row);
        }
        outcome
    }
}

/// A message that a summary quotes, by its id, and its section.
type TakenOut = (String, Section);

/// Candidates, and the places of their items.
struct Choice {
    candidates: Vec<Candidate>,
    indexes: Vec<usize>,
}

/// Says of each message that is not shown whether a summary that is shown stands for it, of each summary whom it quotes,
/// and lists what was taken out because a summary quotes it.
fn settle(receipt: &mut Receipt, before: Receipt, shown: &[&Sum], taken_out: &[TakenOut]) {
    let covered: BTreeSet<&str> = shown.iter().flat_map(|sum| &sum.summed.covers).map(String::as_str).collect();
    let is_message = |row: &ReceiptItem| row.subject_type == SubjectType::Message;
    let mut earlier: BTreeMap<String, ReceiptItem> =
        before.items.into_iter().filter(is_message).map(|row| (row.id.clone(), row)).collect();
    for row in receipt.items.iter_mut().filter(|row| is_message(row)) {
        let was = earlier.get(&row.id).and_then(|row| row.left_out);
        row.left_out = row.left_out.map(|reason| reason_of(reason, was, covered.contains(row.id.as_str())));
    }
    for row in receipt.items.iter_mut().filter(|row| row.subject_type == SubjectType::Summary) {
        let sum = shown.iter().find(|sum| sum.summed.last_id == row.id);
        row.quotes = sum.map(|sum| sum.summed.quotes.clone()).unwrap_or_default();
    }
    for (id, section) in taken_out {
        count_left_out(receipt, *section);
        match earlier.remove(id).filter(|_| receipt.items.len() < limits::RECEIPT_ITEMS_MAX) {
            Some(row) => {
                let is_covered = covered.contains(id.as_str());
                let left_out = row.left_out.map(|reason| reason_of(reason, None, is_covered));
                insert(receipt, ReceiptItem { left_out, ..row });
            }
            None => receipt.unlisted += 1,
        }
    }
}

/// The true reason: what a shown summary stands for is summed up, whatever else would have kept it out.
fn reason_of(reason: LeftOut, was: Option<LeftOut>, is_covered: bool) -> LeftOut {
    use LeftOut::{Irrelevant, NoRoom, SenderQuota, Summarised, ThreadQuota, TrustQuota};
    let is_open = matches!(reason, NoRoom | ThreadQuota | SenderQuota | TrustQuota | Irrelevant | Summarised);
    match (is_open, is_covered) {
        (true, true) => Summarised,
        (true, false) if reason == Summarised => was.filter(|was| *was != Summarised).unwrap_or(NoRoom),
        _ => reason,
    }
}

fn count_left_out(receipt: &mut Receipt, section: Section) {
    let place = receipt.sections.binary_search_by_key(&section, |total| total.section).unwrap_or_else(|place| {
        receipt.sections.insert(place, SectionTotal { section, tokens: 0, shown: 0, left_out: 0 });
        place
    });
    receipt.sections[place].left_out += 1;
}

/// Lists something that is not shown behind what matters more.
fn insert(receipt: &mut Receipt, row: ReceiptItem) {
    let matters_less = |item: &ReceiptItem| item.level.is_none() && item.score < row.score;
    let at = receipt.items.iter().position(matters_less).unwrap_or(receipt.items.len());
    receipt.items.insert(at, row);
}

/// Counts what was taken out of a text that is shown in a list.
fn add_redactions(receipt: &mut Receipt, candidate: &Candidate) {
    receipt.invisible += candidate.prepared.invisible;
    for mark in &candidate.prepared.marks {
        match receipt.redactions.iter_mut().find(|count| count.kind == mark.kind) {
            Some(count) => count.count += 1,
            None => {
                let kind = mark.kind.to_string();
                receipt.redactions.push(parlour_core::context::RedactionCount { kind, count: 1 });
            }
        }
    }
    receipt.redactions.sort_by(|one, other| one.kind.cmp(&other.kind));
}
