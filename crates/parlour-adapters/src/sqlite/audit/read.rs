//! Reads of the audit log, and the `Audits` port.

use async_trait::async_trait;
use parlour_core::{
    audit::{AuditEntry, AuditFilter, AuditHash, AuditHead, SealedEntry},
    limits,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    ports::{AuditNote, Audits},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::{
    SqliteStore,
    audit::{
        self, load_head,
        pack::{Packed, unpack},
        resolve::Resolver,
    },
    error::{StoreError, StoreResult},
    lookup::{as_i64, bad_page_key, page_number},
    rows::ReadColumn,
};

#[async_trait]
impl Audits for SqliteStore {
    async fn note(&self, note: AuditNote) -> Result<(), Failure> {
        let operation = format!("note {}", note.action);
        self.write(operation, move |tx| tx.audit(note)).await
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

/// The rows up to the one with entry ?1, newest first; all rows if there is none.
pub(in crate::sqlite) const NEWEST_FIRST: &str = "SELECT last_no, hash, entries
     FROM audit
     WHERE last_no <= COALESCE(
         (SELECT last_no FROM audit WHERE last_no >= ?1 ORDER BY last_no LIMIT 1),
         9223372036854775807)
     ORDER BY last_no DESC";

/// The rows with entries after ?1, oldest first.
pub(in crate::sqlite) const OLDEST_FIRST: &str = "SELECT last_no, hash, entries
     FROM audit
     WHERE last_no > ?1
     ORDER BY last_no";

/// The entries of one commit.
struct Sealed {
    last_no: u64,
    hash: AuditHash,
    entries: Vec<Packed>,
}

impl Sealed {
    fn from_row(row: &Row<'_>) -> StoreResult<Self> {
        let (last_no, hash) = (row.count(0)?, AuditHash::from_bytes(row.get(1)?));
        let bytes = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        let entries = unpack(bytes)
            .map_err(|_| StoreError::Unreadable(format!("the row of the audit log that ends with entry {last_no}")))?;
        Ok(Self { last_no, hash, entries })
    }

    /// The entries with their numbers.
    fn numbered(&self) -> impl DoubleEndedIterator<Item = (u64, &Packed)> {
        let numbers = self.last_no.wrapping_sub(self.entries.len() as u64);
        self.entries.iter().enumerate().map(move |(index, entry)| (numbers.wrapping_add(index as u64 + 1), entry))
    }
}

/// The end of the log.
pub(in crate::sqlite) fn audit_head(db: &Connection) -> StoreResult<AuditHead> {
    load_head(db)
}

/// Lists matching entries, newest first. The page key is the number of the last entry that was checked.
pub(in crate::sqlite) fn list(
    db: &Connection,
    filter: &AuditFilter,
    page: &PageRequest,
) -> StoreResult<Page<AuditEntry>> {
    let before = page_begin(db, page)?;
    let mut resolver = Resolver::new(db);
    let (mut items, mut checked, mut last_no) = (Vec::new(), 0, before);
    let mut statement = db.prepare_cached(NEWEST_FIRST)?;
    let mut rows = statement.query([as_i64(before - 1)])?;
    while let Some(row) = rows.next()? {
        let sealed = Sealed::from_row(row)?;
        for (no, packed) in sealed.numbered().rev().filter(|(no, _)| *no < before) {
            if items.len() == page.limit() || checked == limits::AUDIT_CANDIDATES_MAX {
                return Ok(Page { items, next: Some(last_no.to_string()) });
            }
            items.extend(resolver.matching(no, packed, filter)?);
            (checked, last_no) = (checked + 1, no);
        }
    }
    Ok(Page { items, next: None })
}

/// The number below which a page begins.
fn page_begin(db: &Connection, page: &PageRequest) -> StoreResult<u64> {
    let head = load_head(db)?;
    let Some(no) = page_number(page)? else { return Ok(head.no + 1) };
    let is_valid = (2..=as_i64(head.no)).contains(&no);
    let key = page.after().unwrap_or_default();
    if is_valid { Ok(no.unsigned_abs()) } else { Err(bad_page_key(key)) }
}

/// The entries after this number, oldest first: at most `AUDIT_ENTRIES_PER_READ_MAX` and the rest of the last commit.
pub(in crate::sqlite) fn audit_after(db: &Connection, after: u64) -> StoreResult<Vec<SealedEntry>> {
    let mut resolver = Resolver::new(db);
    let mut found = Vec::new();
    let mut statement = db.prepare_cached(OLDEST_FIRST)?;
    let mut rows = statement.query([as_i64(after)])?;
    while let Some(row) = rows.next()? {
        let sealed = Sealed::from_row(row)?;
        for (no, packed) in sealed.numbered().filter(|(no, _)| *no > after) {
            let seal = (no == sealed.last_no).then_some(sealed.hash);
            found.push(SealedEntry { entry: resolver.entry(no, packed)?, seal });
        }
        if found.len() >= limits::AUDIT_ENTRIES_PER_READ_MAX {
            break;
        }
    }
    Ok(found)
}

/// Checks the last commit of the log when the store is opened; returns what is wrong.
pub(in crate::sqlite) fn end_flaw(db: &Connection) -> StoreResult<Option<String>> {
    let head = load_head(db)?;
    let mut statement = db.prepare_cached(
        "SELECT last_no, hash
         FROM audit
         WHERE last_no < ?1
         ORDER BY last_no DESC
         LIMIT 1",
    )?;
    let before = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
    let before = statement.query_row(params![as_i64(head.no)], before).optional()?;
    let mut chain = before.map_or_else(AuditHead::default, |(no, hash)| AuditHead {
        no: no.unsigned_abs(),
        hash: AuditHash::from_bytes(hash),
    });
    for SealedEntry { entry, .. } in audit_after(db, chain.no)? {
        if entry.no != chain.no + 1 {
            return Ok(Some(format!("entry {} follows entry {}", entry.no, chain.no)));
        }
        chain = chain.after(entry.line().as_bytes());
    }
    Ok((chain != head).then(|| format!("the last entries, up to {}, do not fit their seal", head.no)))
}
