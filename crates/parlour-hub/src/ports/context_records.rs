use async_trait::async_trait;
use parlour_core::{
    context::Injection,
    id::{ConversationId, RunId},
    paging::{Page, PageRequest},
};

use crate::Failure;

/// Output of the context engine: injections of runs, and summaries. They are no changes of a project and appear in no
/// log.
#[async_trait]
pub trait ContextRecords: Send + Sync {
    /// Stores an injection of a run and deletes all but the newest `INJECTIONS_PER_RUN_MAX` of the run. An unknown run is
    /// refused (`NotFound`); storing the same id again changes nothing.
    ///
    /// Deleted text does not survive here: when a message is edited or removed, or was since the injection was built,
    /// every injection that contains it loses its whole text, and the item of the message loses its own. The same holds
    /// for summaries up to a later message of the conversation, which may quote it. Other fields of the items stay.
    async fn keep_injection(&self, injection: Injection) -> Result<(), Failure>;

    /// Lists the injections of a run in the order of storing; none for an unknown run.
    async fn injections(&self, run: &RunId, page: &PageRequest) -> Result<Page<Injection>, Failure>;

    /// The stored summary of this span, if it was made from exactly these sources. It is deleted when one of its messages
    /// is edited or removed.
    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure>;

    /// Stores a summary, replacing the one for this span, and deletes all but the newest
    /// `SUMMARIES_PER_CONVERSATION_MAX` of the conversation. An unknown conversation is refused (`NotFound`).
    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure>;
}

/// A span of a conversation, and a hash of its content when it was summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySpan {
    pub conversation_id: ConversationId,
    /// Number of the first message.
    pub first_seq: u64,
    /// Number of the last message.
    pub last_seq: u64,
    /// A hash of its redacted messages; it changes with every edit, every removal and every change of the redaction
    /// rules.
    pub digest: [u8; 32],
}

/// A stored summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSummary {
    pub text: String,
    /// The model that wrote it; none for verbatim lines.
    pub by: Option<String>,
}
