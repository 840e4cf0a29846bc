//! Receipt rows that the hub adds to those of the context engine.

use parlour_context::candidate::Candidate;
use parlour_core::{
    context::{
        OmissionReason, Reason, Receipt, ReceiptItem, RedactionCount, Section, SectionTotal, SubjectType, TokenCounting,
    },
    message::Message,
};

use super::gather::FoundMessage;

/// A receipt without rows, in which all used tokens belong to the frame.
pub(crate) fn empty(budget: u64, used: u64, counting: TokenCounting) -> Receipt {
    Receipt {
        budget,
        used,
        frame: used,
        counting,
        sections: Vec::new(),
        items: Vec::new(),
        unlisted: 0,
        redactions: Vec::new(),
        invisible: 0,
    }
}

/// The row of a message that is neither shown nor omitted yet.
pub(super) fn row_of(message: &Message, section: Section, reasons: Vec<Reason>) -> ReceiptItem {
    ReceiptItem {
        subject_type: SubjectType::Message,
        id: message.id.to_string(),
        section,
        conversation_id: Some(message.to.clone()),
        seq: Some(message.seq),
        from: Some(message.from.clone()),
        reasons,
        score: 0,
        level: None,
        left_out: None,
        same_as: None,
        tokens: 0,
        text: String::new(),
        redactions: 0,
        quotes: Vec::new(),
    }
}

/// The row of a message that is not shown because the model has it.
pub(super) fn told_row(found: &FoundMessage, section: Section) -> ReceiptItem {
    let reasons = found.reasons.iter().copied().collect();
    ReceiptItem { left_out: Some(OmissionReason::Told), ..row_of(&found.message, section, reasons) }
}

/// Adds a row to a receipt and to the total of its section. Shown rows precede omitted ones.
pub(super) fn add_row(receipt: &mut Receipt, row: ReceiptItem) {
    let index = receipt.sections.binary_search_by_key(&row.section, |total| total.section);
    let index = index.unwrap_or_else(|index| {
        receipt.sections.insert(index, SectionTotal { section: row.section, tokens: 0, shown: 0, left_out: 0 });
        index
    });
    let total = &mut receipt.sections[index];
    total.tokens += row.tokens;
    if row.level.is_some() {
        total.shown += 1;
        let shown = receipt.items.iter().take_while(|item| item.level.is_some()).count();
        receipt.items.insert(shown, row);
    } else {
        total.left_out += 1;
        receipt.items.push(row);
    }
}

/// Counts what was redacted in a listed text.
pub(super) fn count_prepared(receipt: &mut Receipt, candidate: &Candidate) {
    receipt.invisible += candidate.prepared.invisible;
    candidate.prepared.marks.iter().for_each(|mark| count_redaction(receipt, &mark.kind));
}

pub(super) fn count_redaction(receipt: &mut Receipt, kind: &str) {
    match receipt.redactions.binary_search_by(|count| count.kind.as_str().cmp(kind)) {
        Ok(index) => receipt.redactions[index].count += 1,
        Err(index) => receipt.redactions.insert(index, RedactionCount { kind: kind.to_owned(), count: 1 }),
    }
}
