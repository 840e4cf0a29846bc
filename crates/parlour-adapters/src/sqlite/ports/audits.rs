use async_trait::async_trait;
use parlour_core::{
    audit::AuditEntry,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure, Fault,
    ports::{Audits, Note},
};

use crate::sqlite::SqliteStore;

#[async_trait]
impl Audits for SqliteStore {
    async fn note(&self, _note: Note) -> Result<(), Failure> {
        Err(Fault::new("note", "not there yet").into())
    }

    async fn audit(&self, _page: &PageRequest) -> Result<Page<AuditEntry>, Failure> {
        Err(Fault::new("read the audit log", "not there yet").into())
    }
}
