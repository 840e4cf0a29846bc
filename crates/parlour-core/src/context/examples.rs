//! Builders of receipts and injections for tests.

use super::{
    ContextFormat, Injection, Level, OmissionReason, Reason, Receipt, ReceiptItem, Section, SectionTotal, SubjectType,
    TokenCounting,
};
use crate::{
    Timestamp,
    delivery::DeliveryPath,
    id::{AgentId, InjectionId, ProjectId, RunId},
};

/// A message that is shown in full, for as many tokens as its text has bytes.
pub(super) fn shown(id: &str, text: &str) -> ReceiptItem {
    ReceiptItem {
        subject_type: SubjectType::Message,
        id: id.into(),
        section: Section::Threads,
        conversation_id: None,
        seq: None,
        from: None,
        reasons: vec![Reason::Unread],
        score: 1_000,
        level: Some(Level::Full),
        left_out: None,
        same_as: None,
        tokens: text.len() as u64,
        text: text.into(),
        redactions: 0,
        quotes: Vec::new(),
    }
}

/// A message that is left out.
pub(super) fn left_out(id: &str, why: OmissionReason) -> ReceiptItem {
    ReceiptItem { level: None, left_out: Some(why), tokens: 0, text: String::new(), ..shown(id, "") }
}

/// A receipt of these items, with 10 tokens around them.
pub(super) fn receipt(items: Vec<ReceiptItem>) -> Receipt {
    let mut sections: Vec<Section> = items.iter().map(|item| item.section).collect();
    sections.sort();
    sections.dedup();
    let total = |section: Section| {
        let here = || items.iter().filter(move |item| item.section == section);
        let shown = here().filter(|item| item.level.is_some()).count() as u64;
        let tokens = here().map(|item| item.tokens).sum();
        SectionTotal { section, tokens, shown, left_out: here().count() as u64 - shown }
    };
    let sections: Vec<_> = sections.into_iter().map(total).collect();
    Receipt {
        budget: 512,
        used: 10 + sections.iter().map(|total| total.tokens).sum::<u64>(),
        frame: 10,
        counting: TokenCounting { encoding: "o200k".into(), is_exact: true },
        sections,
        items,
        unlisted: 0,
        redactions: Vec::new(),
        invisible: 0,
    }
}

/// An injection of a run.
pub(super) fn injection(items: Vec<ReceiptItem>) -> Injection {
    Injection {
        id: InjectionId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        run_id: RunId::from_bits(1),
        agent_id: AgentId::from_bits(1),
        delivered_via: DeliveryPath::Hook,
        format: ContextFormat::Injection,
        at: Timestamp::from_millis(0),
        text: Some("all of it".into()),
        receipt: receipt(items),
    }
}
