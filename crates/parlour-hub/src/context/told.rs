//! What a model has been given before, in the receipt.

use parlour_core::context::{OmissionReason, Receipt, ReceiptItem, Section, SectionTotal, SubjectType};

use super::gathered::Sighting;

/// The row of a message that is not shown because it was told before.
pub(super) fn row(sighting: &Sighting, section: Section) -> ReceiptItem {
    let message = &sighting.message;
    ReceiptItem {
        subject_type: SubjectType::Message,
        id: message.id.to_string(),
        section,
        conversation_id: Some(message.to.clone()),
        seq: Some(message.seq),
        from: Some(message.from.clone()),
        reasons: sighting.reasons.iter().copied().collect(),
        score: 0,
        level: None,
        left_out: Some(OmissionReason::Told),
        same_as: None,
        tokens: 0,
        text: String::new(),
        redactions: 0,
        quotes: Vec::new(),
    }
}

/// Adds a row to a receipt and to the total of its section.
pub(super) fn add_row(receipt: &mut Receipt, row: ReceiptItem) {
    let place = receipt.sections.binary_search_by_key(&row.section, |total| total.section);
    let place = place.unwrap_or_else(|place| {
        receipt.sections.insert(place, SectionTotal { section: row.section, tokens: 0, shown: 0, left_out: 0 });
        place
    });
    let total = &mut receipt.sections[place];
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
