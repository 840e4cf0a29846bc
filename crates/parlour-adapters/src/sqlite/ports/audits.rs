use async_trait::async_trait;
use parlour_core::{
    audit::{AuditEntry, AuditFilter, AuditHead, SealedEntry},
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    ports::{AuditNote, Audits},
};

use crate::sqlite::{SqliteStore, audit};

#[async_trait]
impl Audits for SqliteStore {
    async fn note(&self, note: AuditNote) -> Result<(), Failure> {
        let operation = format!("note {}", note.action);
        self.write(operation, move |tx| {
            tx.audit(note);
            Ok(())
        })
        .await
    }

    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<AuditEntry>, Failure> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read("list the audit log", move |db| audit::list(db, &filter, &page)).await
    }

    async fn audit_after(&self, no: u64) -> Result<Vec<SealedEntry>, Failure> {
        self.read("export the audit log", move |db| audit::audit_after(db, no)).await
    }

    async fn audit_head(&self) -> Result<AuditHead, Failure> {
        self.read("read the head of the audit log", audit::audit_head).await
    }
}
