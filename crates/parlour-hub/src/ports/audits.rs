use async_trait::async_trait;
use parlour_core::{
    audit::AuditEntry,
    deed::Deed,
    id::ProjectId,
    paging::{Page, PageRequest},
};

use crate::Failure;

/// What is to be noted in the audit log although nothing was changed: most often a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Who tried it, when and by which way.
    pub deed: Deed,
    /// What was tried.
    pub action: String,
    /// In which project.
    pub project_id: Option<ProjectId>,
    /// On what.
    pub subject: Option<String>,
    /// `done`, or the code of the refusal.
    pub result: String,
}

/// The audit log. Every change of the store writes its entry in the same transaction; nothing else ever changes it.
#[async_trait]
pub trait Audits: Send + Sync {
    /// Notes something that changed nothing.
    async fn note(&self, note: Note) -> Result<(), Failure>;

    /// Lists the entries, newest first.
    async fn audit(&self, page: &PageRequest) -> Result<Page<AuditEntry>, Failure>;
}
