use async_trait::async_trait;
use parlour_core::{
    attribution::Attribution,
    audit::{AuditEntry, AuditFilter, AuditHead, SealedEntry},
    id::ProjectId,
    paging::{Page, PageRequest},
};

use crate::Failure;

/// What an entry of the audit log says, before the store gives it its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditNote {
    /// Who did or tried it, when and by which way.
    pub attribution: Attribution,
    /// What was done or tried.
    pub action: String,
    /// In which project.
    pub project_id: Option<ProjectId>,
    /// On what: an id, or two with a `/` between.
    pub subject: Option<String>,
    /// `done`, or the code of the refusal.
    pub result: String,
}

/// The audit log.
///
/// - Every change of the store writes exactly one entry, in the same transaction: either both are on the disk or none.
///   A write that finds everything as wanted, is refused or fails writes none.
/// - Nothing else changes the log, and nothing takes an entry away, also when the thing itself, its project's events or
///   the token are gone.
/// - Entries are numbered 1, 2, 3 … without gaps, and chained as `AuditHead::after` says. The last entry of each commit
///   carries its seal.
/// - An entry holds ids and names, never a body, a label, a secret or its hash.
#[async_trait]
pub trait Audits: Send + Sync {
    /// Notes something that changed nothing, most often a refusal; it is on the disk when it is answered.
    async fn note(&self, note: AuditNote) -> Result<(), Failure>;

    /// Lists the entries that are wanted, newest first; a page key is a number.
    ///
    /// One call looks at `AUDIT_CANDIDATES_MAX` entries at the most; a page may hold fewer items than asked for, or
    /// none, and still have a `next` to go on from.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<AuditEntry>, Failure>;

    /// Reads the entries after this number, oldest first, with their seals: `AUDIT_ENTRIES_PER_READ_MAX` and the rest of
    /// a commit at the most; none at the end of the log.
    async fn audit_after(&self, no: u64) -> Result<Vec<SealedEntry>, Failure>;

    /// The end of the log.
    async fn audit_head(&self) -> Result<AuditHead, Failure>;
}
