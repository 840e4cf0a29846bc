use async_trait::async_trait;
use parlour_core::{
    context::Injection,
    id::{ConversationId, RunId},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// What the context engine has made: injections that were given to runs, and summaries. They are records of the hub, no
/// changes of a project, and stand in no log.
#[async_trait]
pub trait ContextRecords: Send + Sync {
    /// Keeps what was given to a run. Of one run the newest `INJECTIONS_PER_RUN_MAX` are kept, the others are forgotten.
    /// An unknown run is refused (`NotFound`); keeping the same id again changes nothing.
    ///
    /// No text lives on here that is gone elsewhere: when a message is edited or removed, or was since the injection was
    /// made, whatever shows it loses its text as a whole, and the item of the message loses its own. The same holds for
    /// summaries up to a later message of the conversation, which may quote it. What the items say otherwise stays.
    async fn keep_injection(&self, injection: Injection) -> Result<(), Failure>;

    /// Lists what was given to a run, in the order in which it was kept. An unknown run was given nothing.
    async fn injections(&self, run: &RunId, page: &PageRequest) -> Result<Page<Injection>, Failure>;

    /// The summary of this span of a conversation, if one is kept that was made of exactly these sources. It is gone as
    /// soon as one of its messages is edited or removed.
    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure>;

    /// Keeps a summary in place of the one that was kept for this span. An unknown conversation is refused (`NotFound`).
    /// Of one conversation the newest `SUMMARIES_PER_CONVERSATION_MAX` are kept, the others are forgotten.
    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure>;
}

/// A span of a conversation, and what it held when it was summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySpan {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The number of its first message.
    pub first_seq: u64,
    /// The number of its last message.
    pub last_seq: u64,
    /// A hash over its messages as they may be shown: another one after every edit and removal, and under other rules of
    /// redaction.
    pub digest: [u8; 32],
}

/// A summary that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSummary {
    /// The text.
    pub text: String,
    /// The model that wrote it; nothing for verbatim lines.
    pub by: Option<String>,
}
