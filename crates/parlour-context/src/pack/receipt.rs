//! The receipt of a pack: what became of every candidate.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
};

use parlour_core::{
    context::{OmissionReason, Receipt, ReceiptItem, RedactionCount, Section, SectionTotal, SubjectType},
    limits,
};

use super::{
    BuiltPack, Selection,
    fill::Decisions,
    workspace::{PackForm, PackWorkspace},
};
use crate::{
    candidate::Candidate,
    fit::{self, Decision},
};

/// Completes a pack with its receipt.
pub(super) fn write(workspace: &PackWorkspace<'_>, choice: &Selection<'_>, text: String, used: u64) -> BuiltPack {
    let mut writer = ReceiptWriter::new(workspace, choice, used);
    let shown: Vec<(usize, String)> =
        choice.sheet.shown.iter().map(|(index, tokens)| writer.show(*index, *tokens)).collect();
    writer.leave_out();
    let receipt = writer.finish(used);
    let shown = shown.into_iter().map(|(index, text)| (workspace.origins[index], text)).collect();
    BuiltPack { text, receipt, shown, extends_previous: choice.form.kept > 0 }
}

struct ReceiptWriter<'a> {
    workspace: &'a PackWorkspace<'a>,
    form: PackForm,
    decisions: &'a Decisions<'a>,
    /// The shown candidate by first duplicate.
    said: HashMap<usize, usize>,
    /// Ids of the messages that shown summaries stand for.
    summed: HashSet<&'a str>,
    best: f32,
    /// Tokens that belong to no section yet.
    left: u64,
    items: Vec<ReceiptItem>,
    unlisted: u64,
    invisible: u64,
    redactions: BTreeMap<String, u64>,
    sections: BTreeMap<Section, SectionTotal>,
}

impl<'a> ReceiptWriter<'a> {
    fn new(workspace: &'a PackWorkspace<'a>, choice: &'a Selection<'a>, used: u64) -> Self {
        let best = workspace.ranked.scores.iter().copied().fold(0.0, f32::max);
        let firsts = &workspace.ranked.firsts;
        let shown = choice.sheet.shown.iter().map(|(index, _)| &workspace.candidates[*index]);
        let sums = shown.filter_map(|candidate| candidate.summarizes.as_ref());
        Self {
            workspace,
            form: choice.form,
            said: choice.sheet.shown.iter().rev().map(|(index, _)| (firsts[*index], *index)).collect(),
            summed: sums.flat_map(|summarizes| &summarizes.covers).map(String::as_str).collect(),
            decisions: &choice.decisions,
            best,
            left: used,
            items: Vec::new(),
            unlisted: 0,
            invisible: 0,
            redactions: BTreeMap::new(),
            sections: BTreeMap::new(),
        }
    }

    fn section(&mut self, section: Section) -> &mut SectionTotal {
        self.sections.entry(section).or_insert(SectionTotal { section, tokens: 0, shown: 0, left_out: 0 })
    }

    /// Adds the row of a shown candidate and returns its text.
    fn show(&mut self, index: usize, tokens: u64) -> (usize, String) {
        let candidate = &self.workspace.candidates[index];
        let Some(level) = self.decisions.level(index) else { return (index, String::new()) };
        let text =
            self.workspace.text(self.form, index, level).map(|text| text.as_str().to_owned()).unwrap_or_default();
        // If the whole costs less than the sum of its parts, the last parts are reduced.
        let tokens = tokens.min(self.left);
        self.left -= tokens;
        let kinds = marks_in(candidate, &text);
        let redactions = kinds.len() as u64;
        for kind in kinds {
            *self.redactions.entry(kind.into_owned()).or_default() += 1;
        }
        self.invisible += candidate.prepared.invisible;
        let total = self.section(candidate.section);
        total.tokens += tokens;
        total.shown += 1;
        let quotes = candidate.summarizes.as_ref().map(|summarizes| summarizes.quotes.clone()).unwrap_or_default();
        let item = ReceiptItem {
            level: Some(self.workspace.shown_as(index, level)),
            tokens,
            text: text.clone(),
            redactions,
            quotes,
            ..self.item(index)
        };
        self.items.push(item);
        (index, text)
    }

    /// Counts all omitted candidates and lists the most important of them.
    fn leave_out(&mut self) {
        let workspace = self.workspace;
        let mut left_out: BTreeMap<Section, u64> = BTreeMap::new();
        for run in workspace.candidates.chunk_by(|left, right| left.section == right.section) {
            left_out.insert(run[0].section, run.len() as u64);
        }
        for (index, _) in self.decisions.shown() {
            *left_out.entry(workspace.candidates[index].section).or_default() -= 1;
        }
        for (section, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
            self.section(section).left_out = count;
            self.unlisted += count;
        }
        for index in workspace.ranked.order.iter().copied() {
            if self.items.len() >= limits::RECEIPT_ITEMS_MAX {
                return;
            }
            if let Decision::Omitted(reason) = self.decisions.get(index) {
                let (left_out, same_as) = self.reason(index, reason);
                self.items.push(ReceiptItem { left_out: Some(left_out), same_as, ..self.item(index) });
                self.unlisted -= 1;
            }
        }
    }

    /// The reported reason: `Duplicate` only if the duplicate is shown, and `Summarised` only if the summary is shown.
    fn reason(&self, index: usize, reason: OmissionReason) -> (OmissionReason, Option<String>) {
        let twin =
            self.said.get(&self.workspace.ranked.firsts[index]).map(|twin| self.workspace.candidates[*twin].id.clone());
        let is_duplicate = reason == OmissionReason::Duplicate;
        if twin.is_some() && (is_duplicate || is_for_want_of_room(reason)) {
            return (OmissionReason::Duplicate, twin);
        }
        let reason = if is_duplicate || reason == OmissionReason::Summarised { OmissionReason::NoRoom } else { reason };
        let candidate = &self.workspace.candidates[index];
        let is_open = is_for_want_of_room(reason) || reason == OmissionReason::Irrelevant;
        let is_summed = candidate.subject_type == SubjectType::Message && self.summed.contains(candidate.id.as_str());
        if is_summed && is_open { (OmissionReason::Summarised, None) } else { (reason, None) }
    }

    fn item(&self, index: usize) -> ReceiptItem {
        let candidate = &self.workspace.candidates[index];
        let score = self.workspace.ranked.scores[index];
        let score = if self.best > 0.0 { (score / self.best * 1_000.0).round() as u32 } else { 0 };
        ReceiptItem {
            subject_type: candidate.subject_type,
            id: candidate.id.clone(),
            section: candidate.section,
            conversation_id: candidate.conversation.as_ref().map(|place| place.id.clone()),
            seq: candidate.conversation.as_ref().map(|_| candidate.seq),
            from: candidate.from.clone(),
            reasons: candidate.reasons.clone(),
            score,
            level: None,
            left_out: None,
            same_as: None,
            tokens: 0,
            text: String::new(),
            redactions: 0,
            quotes: Vec::new(),
        }
    }

    fn finish(self, used: u64) -> Receipt {
        let redactions = self.redactions.into_iter().map(|(kind, count)| RedactionCount { kind, count });
        Receipt {
            budget: self.workspace.options.budget,
            used,
            frame: self.left,
            counting: self.workspace.options.tokenizer.counting(),
            sections: self.sections.into_values().collect(),
            items: self.items,
            unlisted: self.unlisted,
            redactions: redactions.collect(),
            invisible: self.invisible,
        }
    }
}

fn is_for_want_of_room(reason: OmissionReason) -> bool {
    reason == OmissionReason::NoRoom || fit::is_share(reason)
}

/// The kinds of the redaction marks in a shown text.
fn marks_in(candidate: &Candidate, shown: &str) -> Vec<Cow<'static, str>> {
    let mut rest = shown;
    let mut kinds = Vec::new();
    for mark in &candidate.prepared.marks {
        let Some(text) = candidate.prepared.text.get(mark.range.clone()).filter(|text| !text.is_empty()) else {
            continue;
        };
        if let Some(at) = rest.find(text) {
            rest = &rest[at + text.len()..];
            kinds.push(mark.kind.clone());
        }
    }
    kinds
}
