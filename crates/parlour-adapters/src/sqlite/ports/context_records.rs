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

use crate::sqlite::{
    SqliteStore,
    injections::{InjectionRow, keep_injection},
    read::context_records,
    summaries::keep_summary,
};

#[async_trait]
impl ContextRecords for SqliteStore {
    async fn keep_injection(&self, injection: Injection) -> Result<(), Failure> {
        let row = InjectionRow::from(injection);
        self.write("keep an injection".to_owned(), move |tx| keep_injection(tx, &row)).await
    }

    async fn injections(&self, run: &RunId, page: &PageRequest) -> Result<Page<Injection>, Failure> {
        let (run, page) = (run.clone(), page.clone());
        self.read("list injections", move |db| context_records::injections(db, &run, &page)).await
    }

    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure> {
        let span = span.clone();
        self.read("read a summary", move |db| context_records::summary(db, &span)).await
    }

    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure> {
        self.write("keep a summary".to_owned(), move |tx| keep_summary(tx, &span, &summary)).await
    }
}
