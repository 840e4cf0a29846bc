//! The write path is deterministic: the same writes in the same order give equal stores, however they are grouped into
//! commits.

mod random_writes;
mod sqlite_fixture;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{audit::AuditHead, position::StartTag, write::Entry};
use parlour_hub::ports::Audits;
use parlour_testkit::{RecordedWrite, TestStore};
use proptest::prelude::*;
use random_writes::{RandomWrites, steps};
use rusqlite::{Connection, types::Value};
use sqlite_fixture::{SqliteFixture, connection, test_store};

/// Tables whose rows depend on which writes were committed together. `stored` compares their content in another form:
/// the audit log entry by entry, the text index word by word.
const GROUPED: [&str; 6] =
    ["audit", "message_text", "message_text_config", "message_text_data", "message_text_docsize", "message_text_idx"];

/// The whole content of a store: the rows of every table, the words of the text index and the audit log.
struct StoredContent {
    tables: BTreeMap<String, Vec<String>>,
    words: Vec<String>,
    audit: Vec<String>,
    head: AuditHead,
}

impl StoredContent {
    /// The rows, words and entries that only one of the two stores has.
    fn differences(&self, other: &Self) -> Vec<String> {
        let of_tables = self.tables.keys().chain(other.tables.keys()).flat_map(|name| {
            let (mine, others) = (self.tables.get(name), other.tables.get(name));
            only_one(mine.map_or(&[], Vec::as_slice), others.map_or(&[], Vec::as_slice))
                .map(move |row| format!("{name}: {row}"))
        });
        let words = only_one(&self.words, &other.words).map(|word| format!("text index: {word}"));
        let audit = only_one(&self.audit, &other.audit).map(|line| format!("audit log: {line}"));
        let heads = (self.head != other.head).then(|| format!("{:?} and {:?}", self.head, other.head));
        of_tables.chain(words).chain(audit).chain(heads).collect()
    }
}

fn only_one<'a>(mine: &'a [String], others: &'a [String]) -> impl Iterator<Item = &'a String> {
    let lacking = |rows: &'a [String], others: &'a [String]| rows.iter().filter(move |row| !others.contains(row));
    let is_reordered = mine != others && mine.len() == others.len();
    lacking(mine, others).chain(lacking(others, mine)).chain(mine.first().filter(move |_| is_reordered))
}

async fn stored(store: &SqliteStore, db: &Connection) -> StoredContent {
    let names = rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
    let names = names.into_iter().map(|row| row.trim_matches(['[', ']']).replace("Text(\"", "").replace("\")", ""));
    let tables = names.filter(|name| !GROUPED.contains(&name.as_str()));
    let tables = tables.map(|name| (name.clone(), rows(db, &format!("SELECT * FROM {name}")))).collect();
    db.execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word USING fts5vocab(main, message_text, instance)")
        .expect("a view of the text index");
    let words = rows(db, "SELECT term, doc FROM temp.word");
    let (mut audit, mut last) = (Vec::new(), 0);
    loop {
        let entries = store.audit_after(last).await.expect("entries");
        if entries.is_empty() {
            let head = store.audit_head().await.expect("head");
            return StoredContent { tables, words, audit, head };
        }
        last = entries.last().map_or(last, |sealed| sealed.entry.no);
        audit.extend(entries.iter().map(|sealed| sealed.entry.line()));
    }
}

/// The rows of a statement as sorted texts.
fn rows(db: &Connection, sql: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).expect(sql);
    let columns = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let values: Vec<Value> = (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        Ok(format!("{values:?}"))
    };
    let mut rows: Vec<String> =
        statement.query_map([], row).expect(sql).collect::<Result<_, _>>().expect("readable rows");
    rows.sort();
    rows
}

/// How a part of the writes is sent to the second store.
#[derive(Clone, Debug)]
enum Batch {
    /// Each write waits for the answer to the previous one.
    OneByOne(usize),
    /// All writes concurrently, so that the store forms the groups.
    AtOnce(usize),
    /// Runs of entries as series, each in one transaction.
    Series(usize),
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let batch = prop_oneof![
        (1..9usize).prop_map(Batch::OneByOne),
        (2..60usize).prop_map(Batch::AtOnce),
        (2..60usize).prop_map(Batch::Series),
    ];
    proptest::collection::vec(batch, 1..6)
}

/// Applies the writes in batches of these kinds in rotation; entries pass through their serialised form.
async fn apply(test_store: &TestStore, writes: &[RecordedWrite], batches: &[Batch]) {
    let mut rest: Vec<RecordedWrite> = writes.iter().map(reread).collect();
    for batch in batches.iter().cycle() {
        let (Batch::OneByOne(len) | Batch::AtOnce(len) | Batch::Series(len)) = batch;
        let now: Vec<RecordedWrite> = rest.drain(..(*len).min(rest.len())).collect();
        match batch {
            Batch::OneByOne(_) => {
                for write in now {
                    let _ = test_store.apply(write).await;
                }
            }
            Batch::AtOnce(_) => {
                // Pruning reads before it writes, so it follows only the writes that were answered before.
                let is_prune = |write: &RecordedWrite| matches!(write, RecordedWrite::PruneLogs(_));
                for part in now.split_inclusive(is_prune) {
                    let (last, others) = part.split_last().expect("a part is not empty");
                    let (others, last) = if is_prune(last) { (others, Some(last)) } else { (part, None) };
                    join_all(others.iter().cloned().map(|write| test_store.apply(write))).await;
                    join_all(last.cloned().map(|write| test_store.apply(write))).await;
                }
            }
            Batch::Series(_) => apply_series(test_store, now).await,
        }
        if rest.is_empty() {
            return;
        }
    }
}

/// The write as a store in another process receives it.
fn reread(write: &RecordedWrite) -> RecordedWrite {
    match write {
        RecordedWrite::Entry(entry) => {
            RecordedWrite::Entry(Box::new(Entry::from_json(&entry.to_json()).expect("own form")))
        }
        other => other.clone(),
    }
}

async fn apply_series(test_store: &TestStore, writes: Vec<RecordedWrite>) {
    let mut entries = Vec::new();
    for write in writes {
        match write {
            RecordedWrite::Entry(entry) => entries.push(*entry),
            other => {
                append_all(test_store, std::mem::take(&mut entries)).await;
                let _ = test_store.apply(other).await;
            }
        }
    }
    append_all(test_store, entries).await;
}

/// Appends the entries as series of one transaction each. A refused entry ends a series; the next one starts after it.
async fn append_all(test_store: &TestStore, mut entries: Vec<Entry>) {
    while !entries.is_empty() {
        let batch = test_store.store().append_all(entries.clone()).await.expect("a series");
        entries.drain(..batch.appended.len() + usize::from(batch.refusal.is_some()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_writes_give_equal_stores_in_any_grouping(steps in steps(), batches in batches()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        let (first, second) = runtime.block_on(async {
            let mut random = RandomWrites::new().await;
            for (number, step) in steps.into_iter().enumerate() {
                random.apply(step).await;
                if number % 8 == 0 {
                    let tag = StartTag::from_random([u8::try_from(number / 8).expect("few starts"); 8]);
                    random.fixture.test_store.apply(RecordedWrite::BeginStart(tag)).await.expect("begun");
                }
            }
            let fixture = &random.fixture;
            let first = stored(&fixture.store, &fixture.connection()).await;
            let folder = tempfile::tempdir().expect("folder");
            let options = SqliteOptions { readers: 1, ..SqliteOptions::default() };
            let store = SqliteStore::open(folder.path(), options).expect("open");
            apply(&test_store(&store), &fixture.test_store.recorded(), &batches).await;
            (first, stored(&store, &connection(folder.path())).await)
        });
        prop_assert_eq!(first.differences(&second), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_missing_row_of_any_table_is_a_difference() {
    let fixture = SqliteFixture::new().await;
    let coder = fixture.test_store.agent("Coder", &fixture.tour).await;
    let asked = fixture.test_store.ask(&fixture.mara, &fixture.general, &[&coder]).await;
    let run = fixture.test_store.start(&coder, None).await;
    fixture.test_store.pause_run(&coder, &run, &asked).await;
    let db = fixture.connection();
    db.execute_batch("PRAGMA foreign_keys = OFF").expect("pragma");
    let before = stored(&fixture.store, &db).await;
    let filled: Vec<&String> =
        before.tables.iter().filter(|(_, rows)| !rows.is_empty()).map(|(name, _)| name).collect();
    assert!(filled.len() > 15, "{filled:?}");
    // The triggers of the audit log protect its words.
    for name in filled.into_iter().filter(|name| *name != "audit_word") {
        db.execute_batch(&format!("BEGIN; DELETE FROM {name}")).expect(name);
        let differences = before.differences(&stored(&fixture.store, &db).await);
        assert!(differences.iter().any(|difference| difference.starts_with(&format!("{name}: "))), "{differences:?}");
        db.execute_batch("ROLLBACK").expect("undone");
    }
    db.execute_batch("DELETE FROM message_text").expect("emptied");
    let differences = before.differences(&stored(&fixture.store, &db).await);
    assert!(differences.iter().any(|difference| difference.starts_with("text index: ")), "{differences:?}");
}
