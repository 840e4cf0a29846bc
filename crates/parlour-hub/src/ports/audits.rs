use async_trait::async_trait;
use parlour_core::{
    attribution::Attribution,
    audit::{AuditEntry, AuditFilter, AuditHead, SealedEntry},
    id::ProjectId,
    paging::{Page, PageRequest},
};

use crate::Failure;

/// An entry of the audit log before the store numbers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditNote {
    pub attribution: Attribution,
    /// The name of the operation.
    pub action: String,
    pub project_id: Option<ProjectId>,
    /// The id of the affected thing, or two ids separated by `/`.
    pub subject: Option<String>,
    /// `done`, or the code of a refusal.
    pub result: String,
}

/// The audit log.
///
/// - Every change of the store writes exactly one entry in the same transaction: either both are on disk or neither. A
///   write that is refused, fails or changes nothing writes no entry.
/// - Nothing else changes the log. No entry is ever removed, even after the thing, the events of its project or the
///   token are gone.
/// - Entries are numbered 1, 2, 3 … without gaps and chained by `AuditHead::after`. The last entry of each commit
///   carries its seal.
/// - An entry contains ids and names, never a body, a label, a secret or the hash of a secret.
#[async_trait]
pub trait Audits: Send + Sync {
    /// Records something that changed nothing, usually a refusal. The entry is on disk when the call returns.
    async fn note(&self, note: AuditNote) -> Result<(), Failure>;

    /// Lists the entries that match the filter, newest first; a page key is an entry number.
    ///
    /// One call examines at most `AUDIT_CANDIDATES_MAX` entries, so a page may be short or empty and still have a
    /// `next`.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<AuditEntry>, Failure>;

    /// Reads the entries after this number, oldest first, with their seals: at most `AUDIT_ENTRIES_PER_READ_MAX` and the
    /// rest of the last commit. Returns none at the end of the log.
    async fn audit_after(&self, no: u64) -> Result<Vec<SealedEntry>, Failure>;

    /// The end of the log.
    async fn audit_head(&self) -> Result<AuditHead, Failure>;
}
