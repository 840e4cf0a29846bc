//! Injections of runs.

use parlour_core::{
    context::{
        ContextFormat, Injection, Level, Reason, Receipt, ReceiptItem, Section, SectionTotal, SubjectType,
        TokenCounting,
    },
    delivery::DeliveryPath,
    id::InjectionId,
    message::Message,
    paging::PageRequest,
    run::Run,
};

use super::TestStore;

impl TestStore {
    /// An injection with these messages in full, not stored yet.
    pub fn injection(&self, run: &Run, messages: &[&Message]) -> Injection {
        self.injection_of(run, messages.iter().map(|message| full_item(message)).collect())
    }

    /// An injection with these items, not stored yet.
    pub fn injection_of(&self, run: &Run, items: Vec<ReceiptItem>) -> Injection {
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        let (text, count) = (texts.join("\n"), items.len() as u64);
        let tokens = items.iter().map(|item| item.tokens).sum();
        Injection {
            id: InjectionId::from_bits(self.bits()),
            project_id: run.project_id.clone(),
            run_id: run.id.clone(),
            agent_id: run.agent_id.clone(),
            delivered_via: DeliveryPath::Hook,
            format: ContextFormat::Injection,
            at: self.now(),
            text: Some(text),
            receipt: Receipt {
                budget: 512,
                used: tokens + 10,
                frame: 10,
                counting: TokenCounting { encoding: "o200k".into(), is_exact: true },
                sections: vec![SectionTotal { section: Section::Threads, tokens, shown: count, left_out: 0 }],
                items,
                unlisted: 0,
                redactions: Vec::new(),
                invisible: 0,
            },
        }
    }

    /// Stores an injection with these messages.
    pub async fn inject(&self, run: &Run, messages: &[&Message]) -> Injection {
        let injection = self.injection(run, messages);
        self.store.keep_injection(injection.clone()).await.expect("kept");
        injection
    }

    /// The first page of the injections of a run.
    pub async fn injections(&self, run: &Run) -> Vec<Injection> {
        self.store.injections(&run.id, &PageRequest::first()).await.expect("injections").items
    }
}

/// A message as a full item.
pub(crate) fn full_item(message: &Message) -> ReceiptItem {
    ReceiptItem {
        subject_type: SubjectType::Message,
        id: message.id.to_string(),
        section: Section::Threads,
        conversation_id: Some(message.to.clone()),
        seq: Some(message.seq),
        from: Some(message.from.clone()),
        reasons: vec![Reason::Unread],
        score: 1_000,
        level: Some(Level::Full),
        left_out: None,
        same_as: None,
        tokens: message.body.len() as u64,
        text: message.body.clone(),
        redactions: 0,
        quotes: Vec::new(),
    }
}

/// A summary of a conversation up to this message.
pub(crate) fn summary_item(message: &Message, text: &str) -> ReceiptItem {
    ReceiptItem { subject_type: SubjectType::Summary, text: text.into(), ..full_item(message) }
}
