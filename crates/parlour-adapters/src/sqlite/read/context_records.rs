//! Reads of injections and summaries, and the `ContextRecords` port.

use async_trait::async_trait;
use parlour_core::{
    context::{Injection, Receipt},
    id::RunId,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    ports::{ContextRecords, KeptSummary, SummarySpan},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::{
    SqliteStore,
    error::{StoreError, StoreResult},
    injections::{InjectionRow, keep_injection},
    lookup::{as_i64, conversation_no, number, page_start, probe},
    rows::{
        ReadColumn,
        codes::{delivery_path, format},
    },
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
        self.read("list injections", move |db| injections(db, &run, &page)).await
    }

    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure> {
        let span = span.clone();
        self.read("read a summary", move |db| summary(db, &span)).await
    }

    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure> {
        self.write("keep a summary".to_owned(), move |tx| keep_summary(tx, &span, &summary)).await
    }
}

/// Lists the injections of a run, oldest first.
pub(in crate::sqlite) fn injections(db: &Connection, run: &RunId, page: &PageRequest) -> StoreResult<Page<Injection>> {
    let run_no = number(db, "SELECT no\nFROM run\nWHERE id = ?1", [run.as_str()])?.unwrap_or(0);
    let start = page_start(page, |key| {
        number(db, "SELECT no\nFROM injection\nWHERE id = ?1 AND run_no = ?2", params![key, run_no])
    })?;
    let mut statement = db.prepare_cached(OF_RUN)?;
    let found = statement.query_and_then([run_no, start, probe(page)], |row| injection_from(db, row))?;
    let found = found.collect::<StoreResult<Vec<_>>>()?;
    Ok(Page::from_probe(found, page.limit(), |injection: &Injection| injection.id.to_string()))
}

pub(super) const OF_RUN: &str = "SELECT injection.no, injection.id, project.id, run.id, member.id, injection.at_ms,
         injection.door, injection.format, injection.text, injection.receipt
     FROM injection
     JOIN run ON run.no = injection.run_no
     JOIN project ON project.no = run.project_no
     JOIN member ON member.no = run.agent_no
     WHERE injection.run_no = ?1 AND injection.no > ?2
     ORDER BY injection.no
     LIMIT ?3";

fn injection_from(db: &Connection, row: &Row<'_>) -> StoreResult<Injection> {
    Ok(Injection {
        id: row.parsed(1)?,
        project_id: row.parsed(2)?,
        run_id: row.parsed(3)?,
        agent_id: row.parsed(4)?,
        at: row.time(5)?,
        delivered_via: delivery_path(row.get(6)?)?,
        format: format(row.get(7)?)?,
        text: row.get(8)?,
        receipt: with_texts(db, row.get(0)?, row.json(9)?)?,
    })
}

/// Adds the stored texts to the items of a receipt. Deleted texts stay empty.
fn with_texts(db: &Connection, injection_no: i64, mut receipt: Receipt) -> StoreResult<Receipt> {
    let mut statement = db.prepare_cached(TEXTS)?;
    let mut rows = statement.query([injection_no])?;
    while let Some(row) = rows.next()? {
        let index = usize::try_from(row.get::<_, i64>(0)?).ok();
        let item = index.and_then(|index| receipt.items.get_mut(index));
        let lost = || StoreError::Unreadable(format!("injection {injection_no} has a text for no item"));
        item.ok_or_else(lost)?.text = row.get(1)?;
    }
    Ok(receipt)
}

pub(super) const TEXTS: &str = "SELECT place, text
     FROM injection_text
     WHERE injection_no = ?1";

/// The summary of a span, if it was made from the same sources.
pub(in crate::sqlite) fn summary(db: &Connection, span: &SummarySpan) -> StoreResult<Option<KeptSummary>> {
    let conversation_no = conversation_no(db, &span.conversation_id)?.unwrap_or(0);
    let params = params![conversation_no, as_i64(span.first_seq), as_i64(span.last_seq), span.digest];
    let kept = |row: &Row<'_>| Ok(KeptSummary { text: row.get(0)?, by: row.get(1)? });
    Ok(db.prepare_cached(SUMMARY)?.query_row(params, kept).optional()?)
}

pub(super) const SUMMARY: &str = "SELECT text, model
     FROM summary
     WHERE conversation_no = ?1 AND first_seq = ?2 AND last_seq = ?3 AND digest = ?4";
