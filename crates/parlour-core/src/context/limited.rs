//! Receipts for readers who may not see everything in them.

use std::collections::BTreeSet;

use super::{Receipt, ReceiptItem, SectionTotal};

/// What a score is out of.
const SCORE_FULL: u64 = 1_000;

impl Receipt {
    /// The receipt for a reader who may see only these items, so that the others cannot be told from it.
    ///
    /// Sums and scores are those of what is left. Where something that was shown is missing, `used` counts only what is
    /// left of it, and `frame`, `redactions` and `invisible` tell nothing, because nobody knows how much of them was for
    /// the others. What is a duplicate of something hidden is hidden too. What is not listed was for the agent alone and
    /// is not counted.
    #[must_use]
    pub fn limited_to(self, may_see: impl Fn(&ReceiptItem) -> bool) -> Self {
        let (seen, hidden): (Vec<_>, Vec<_>) = self.items.into_iter().partition(may_see);
        let hidden_ids: BTreeSet<&str> = hidden.iter().map(|item| item.id.as_str()).collect();
        let repeats_hidden = |item: &ReceiptItem| item.same_as.as_deref().is_some_and(|id| hidden_ids.contains(id));
        let items: Vec<_> = seen.into_iter().filter(|item| !repeats_hidden(item)).collect();
        let items = if hidden.is_empty() { items } else { rescored(items) };
        let limited = Self { sections: totals(self.sections, &items), items, unlisted: 0, ..self };
        if hidden.iter().all(|item| item.level.is_none()) {
            return limited;
        }
        limited.without_sums()
    }

    /// The receipt with nothing in its sums that was for what is no longer in it.
    fn without_sums(mut self) -> Self {
        for total in &mut self.sections {
            let items = self.items.iter().filter(|item| item.section == total.section);
            total.tokens = items.filter(|item| item.level.is_some()).map(|item| item.tokens).sum();
        }
        let used = self.sections.iter().map(|total| total.tokens).sum();
        Self { used, frame: 0, redactions: Vec::new(), invisible: 0, ..self }
    }
}

/// The sections that have items, with the numbers of these.
fn totals(sections: Vec<SectionTotal>, items: &[ReceiptItem]) -> Vec<SectionTotal> {
    let counted = |total: SectionTotal| {
        let here = items.iter().filter(|item| item.section == total.section);
        let (shown, left_out): (Vec<_>, Vec<_>) = here.partition(|item| item.level.is_some());
        SectionTotal { shown: shown.len() as u64, left_out: left_out.len() as u64, ..total }
    };
    sections.into_iter().map(counted).filter(|total| total.shown + total.left_out > 0).collect()
}

/// The items with scores that are again in thousandths of the one that matters most.
fn rescored(mut items: Vec<ReceiptItem>) -> Vec<ReceiptItem> {
    let most = items.iter().map(|item| u64::from(item.score)).max().unwrap_or(0).max(1);
    for item in &mut items {
        let score = u64::from(item.score) * SCORE_FULL / most;
        item.score = u32::try_from(score).unwrap_or(item.score);
    }
    items
}

#[cfg(test)]
mod tests;
