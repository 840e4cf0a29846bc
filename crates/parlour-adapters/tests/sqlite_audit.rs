//! Manual changes of the audit log in the database file, and their detection.

mod sqlite_fixture;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    Code,
    attribution::Attribution,
    audit::{AuditFlaw, AuditHead, DONE, Verifier},
    write::Write,
};
use parlour_hub::ports::{AuditNote, Audits};
use rusqlite::Connection;
use sqlite_fixture::{SqliteFixture, connection, number, try_append};
use tokio::task::JoinSet;

/// Drops the triggers that protect the log.
const DISARM: &str = "PRAGMA foreign_keys = OFF;
     DROP TRIGGER audit_is_not_changed;
     DROP TRIGGER audit_is_not_deleted;
     DROP TRIGGER audit_only_grows;
     DROP TRIGGER audit_word_is_not_changed;";

async fn verify(store: &SqliteStore, noted: Option<AuditHead>) -> Result<AuditHead, AuditFlaw> {
    let mut verifier = Verifier::new(noted);
    loop {
        let entries = store.audit_after(verifier.head().no).await.expect("entries");
        if entries.is_empty() {
            return verifier.finish();
        }
        for entry in entries {
            verifier.check(entry.line().as_bytes())?;
        }
    }
}

/// A fixture with five messages; their entries are 4 to 8.
async fn with_posts() -> SqliteFixture {
    let fixture = SqliteFixture::new().await;
    for number in 0..5 {
        let write = fixture.post(&format!("message {number}"));
        try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, write).await.expect("posted");
    }
    assert_eq!(verify(&fixture.store, None).await.map(|head| head.no), Ok(8));
    fixture
}

/// Verifies the log after a manual change of the database.
async fn after(tampering: &str) -> Result<AuditHead, AuditFlaw> {
    let fixture = with_posts().await;
    let db = fixture.connection();
    db.execute_batch(DISARM).expect("disarmed");
    db.execute_batch(tampering).expect(tampering);
    verify(&fixture.store, None).await
}

#[tokio::test]
async fn a_change_of_rows_that_an_entry_refers_to_is_detected() {
    let changes = [
        "UPDATE message SET author_no = author_no + 1 WHERE no = 2",
        "UPDATE message SET created_ms = created_ms + 1 WHERE no = 2",
        "UPDATE message SET id = 'msg_other' WHERE no = 2",
        "DELETE FROM message WHERE no = 2",
        "UPDATE message SET conversation_no = 404 WHERE no = 2",
    ];
    for change in changes {
        assert_eq!(after(change).await, Err(AuditFlaw::Broken { first: 5, last: 5 }), "{change}");
    }
}

#[tokio::test]
async fn a_change_of_author_names_and_words_is_detected() {
    for change in [
        "UPDATE author SET name = 'Mallory' WHERE name = 'Mara'",
        "UPDATE audit_word SET text = 'people.removed' WHERE text = 'people.created'",
        "UPDATE audit_word SET text = 'live' WHERE text = 'host'",
    ] {
        assert!(after(change).await.is_err(), "{change}");
    }
}

#[tokio::test]
async fn a_deleted_row_is_detected_at_its_number() {
    assert_eq!(after("DELETE FROM audit WHERE last_no = 6").await, Err(AuditFlaw::Missing { missing: 6, found: 7 }));
}

#[tokio::test]
async fn swapped_rows_are_detected() {
    let swap = "UPDATE audit SET entries = (SELECT other.entries FROM audit AS other WHERE other.last_no = 6)
         WHERE last_no = 5";
    assert_eq!(after(swap).await, Err(AuditFlaw::Broken { first: 5, last: 5 }));
}

#[tokio::test]
async fn an_added_row_is_detected() {
    let added = "INSERT INTO audit SELECT 9, hash, entries FROM audit WHERE last_no = 5";
    assert_eq!(after(added).await, Err(AuditFlaw::Broken { first: 9, last: 9 }));
}

#[tokio::test]
async fn a_truncated_log_is_detected_by_a_recorded_head() {
    let fixture = with_posts().await;
    let noted = fixture.store.audit_head().await.expect("head");
    let db = fixture.connection();
    db.execute_batch(DISARM).expect("disarmed");
    db.execute_batch("DELETE FROM audit WHERE last_no > 6").expect("cut");
    assert_eq!(verify(&fixture.store, Some(noted)).await, Err(AuditFlaw::Shorter { last: 6, noted: 8 }));
}

#[tokio::test]
async fn triggers_refuse_changes_of_the_log() {
    let fixture = with_posts().await;
    let db = fixture.connection();
    for sql in [
        "UPDATE audit SET hash = zeroblob(32)",
        "DELETE FROM audit WHERE last_no = 3",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit SELECT last_no, zeroblob(32), entries FROM audit WHERE last_no = 3",
        "UPDATE audit_word SET text = 'x'",
        "DELETE FROM audit_word",
    ] {
        let error = db.execute(sql, []).expect_err(sql);
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_of_one_group_share_a_row_and_a_refused_write_has_no_entry() {
    let fixture = SqliteFixture::new().await;
    let (before, rows) = (3, "SELECT COUNT(*) FROM audit");
    assert_eq!(
        (number(&fixture.connection(), rows), verify(&fixture.store, None).await.map(|head| head.no)),
        (3, Ok(before))
    );
    // While another connection holds the lock, all writes wait and become one group, or two.
    let lock = fixture.connection();
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    let mut writes = JoinSet::new();
    for number in 0..12 {
        let write = match number % 3 {
            0 => Write::RemoveMessage("msg_none".parse().expect("id")),
            _ => fixture.post(&format!("message {number}")),
        };
        let (test_store, mara, tour) = (fixture.test_store.clone(), fixture.mara.clone(), fixture.tour.clone());
        writes.spawn(async move { try_append(&test_store, &tour.id, &mara, write).await.is_ok() });
    }
    lock.execute_batch("ROLLBACK").expect("unlock");
    assert_eq!(writes.join_all().await.into_iter().filter(|is_good| *is_good).count(), 8);
    assert_eq!(verify(&fixture.store, None).await.map(|head| head.no), Ok(before + 8));
    let rows = number(&fixture.connection(), rows);
    assert!(rows < 3 + 8, "{rows} rows");
}

#[tokio::test]
async fn the_chain_continues_after_a_restart() {
    let fixture = with_posts().await;
    let noted = fixture.store.audit_head().await.expect("head");
    fixture.store.close();
    let store = SqliteStore::open(fixture.folder.path(), SqliteOptions::default()).expect("open");
    let note = AuditNote {
        attribution: Attribution::of_host(fixture.test_store.now()),
        action: "x".into(),
        project_id: None,
        subject: None,
        result: DONE.into(),
    };
    store.note(note).await.expect("noted");
    assert_eq!(verify(&store, Some(noted)).await.map(|head| head.no), Ok(9));
}

#[tokio::test]
async fn the_chain_continues_after_writes_that_the_disk_refused() {
    let options = SqliteOptions { file_bytes_max: Some(900 * 1024), ..SqliteOptions::default() };
    let fixture = SqliteFixture::with(options).await;
    let mut taken = 0;
    let refused = loop {
        let write = fixture.post(&"a long text ".repeat(500));
        match try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, write).await {
            Ok(_) => taken += 1,
            Err(code) => break code,
        }
    };
    assert_eq!(refused, Code::StoreUnavailable);
    assert_eq!(verify(&fixture.store, None).await.map(|head| head.no), Ok(3 + taken));
    let short = fixture.post("short");
    let more = u64::from(try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, short).await.is_ok());
    assert_eq!(verify(&fixture.store, None).await.map(|head| head.no), Ok(3 + taken + more));
}

#[tokio::test]
async fn a_post_costs_a_few_bytes_of_the_log() {
    let fixture = with_posts().await;
    let bytes = |db: &Connection| number(db, "SELECT LENGTH(entries) FROM audit ORDER BY last_no DESC LIMIT 1");
    assert_eq!(bytes(&connection(fixture.folder.path())), 2);
}
