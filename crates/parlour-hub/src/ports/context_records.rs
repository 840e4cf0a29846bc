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
    async fn keep_injection(&self, injection: Injection) -> Result<(), Failure>;

    /// Lists what was given to a run, oldest first.
    async fn injections(&self, run: &RunId, page: &PageRequest) -> Result<Page<Injection>, Failure>;

    /// The summary of this span of a conversation, if one is kept that was made of exactly these sources.
    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure>;

    /// Keeps a summary in place of the one that was kept for this span. An unknown conversation is refused (`NotFound`).
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
