use async_trait::async_trait;
use parlour_core::{
    context::Injection,
    id::RunId,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    ports::{ContextRecords, KeptSummary, SummarySpan},
};

use crate::sqlite::SqliteStore;

#[async_trait]
impl ContextRecords for SqliteStore {
    async fn keep_injection(&self, injection: Injection) -> Result<(), Failure> {
        drop(injection);
        Ok(())
    }

    async fn injections(&self, run: &RunId, page: &PageRequest) -> Result<Page<Injection>, Failure> {
        let _ = (run, page);
        Ok(Page { items: Vec::new(), next: None })
    }

    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure> {
        let _ = span;
        Ok(None)
    }

    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure> {
        drop((span, summary));
        Ok(())
    }
}
