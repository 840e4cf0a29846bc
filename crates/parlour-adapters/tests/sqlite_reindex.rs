//! Text indexes of earlier versions are rebuilt when the database is opened.

mod sqlite_fixture;
mod sqlite_invariants;

use std::path::Path;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    access::Principal,
    id::{AgentId, ProjectId},
    limits,
    paging::PageRequest,
    search_query::SearchQuery,
};
use parlour_hub::ports::{History, RelatedLookups};
use parlour_testkit::TestMember;
use rusqlite::Connection;
use sqlite_fixture::{SqliteFixture, connection, number};
use sqlite_invariants::violated_invariants;

/// The last version without marks of access roots.
const VERSION_BEFORE: i64 = 8;
/// Counts the messages with the mark of an access root.
const MARKED: &str = "SELECT COUNT(*) FROM message_text WHERE message_text MATCH char(0xE001) || '*'";

/// A written database and the readers that search it.
struct IndexedStore {
    fixture: SqliteFixture,
    coder: AgentId,
    readers: Vec<Principal>,
}

/// Writes messages in public and private channels, a thread and a DM; some are edited, some removed. All words are
/// ASCII and lower case, so that `make_old` can write the old index in SQL.
async fn write_all() -> IndexedStore {
    let fixture = SqliteFixture::new().await;
    let (test_store, mara, tour) = (&fixture.test_store, &fixture.mara, &fixture.tour);
    let bela = test_store.member("Bela", tour).await;
    let coder = test_store.agent("Coder", tour).await;
    let secret = test_store.private_channel("secret", tour, &[mara, &coder]).await;
    let above = test_store.post(mara, &fixture.general, "harbour lamp").await;
    let thread = test_store.thread(&fixture.general, &above).await;
    let dm = test_store.dm(tour, &[mara, &bela]).await;
    test_store.post(mara, &thread, "harbour thread").await;
    test_store.post(mara, &secret, "harbour whisper").await;
    test_store.post(&bela, &dm, "harbour dm").await;
    let edited = test_store.post(mara, &fixture.general, "harbour before").await;
    test_store.edit(mara, &edited, "ledger after").await;
    let removed = test_store.post(mara, &fixture.general, "harbour removed").await;
    test_store.remove(mara, &removed).await;
    for channel in [&fixture.general, &secret, &fixture.general] {
        test_store.clock().advance(1_000);
        test_store.call(mara, channel, &coder).await;
    }
    // More hidden hits than a search checks: readable messages are then found only by the mark of their access root.
    test_store.post(mara, &fixture.general, "granite aloud").await;
    for number in 0..=limits::FIND_CANDIDATES_MAX {
        test_store.post(mara, &secret, &format!("granite {number}")).await;
    }
    let readers = vec![mara.principal(), bela.principal(), coder.principal()];
    IndexedStore { coder: coder.id.clone(), readers, fixture }
}

/// Downgrades the database: removes the marks of access roots and everything that was added with them.
fn make_old(db: &Connection) {
    db.execute_batch(
        "DROP TABLE log_start;
         DROP TABLE hub_start;
         DROP TABLE called_place;
         DROP INDEX task_below;
         DROP INDEX task_in_batch;
         DROP INDEX artifact_of_task;
         DROP INDEX artifact_in;
         INSERT OR REPLACE INTO message_text (rowid, words)
         SELECT message.no, char(0xE000) || conversation.project_no || ' ' || message.body
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no
         WHERE message.removed_ms IS NULL;",
    )
    .expect("as before");
    db.pragma_update(None, "user_version", VERSION_BEFORE).expect("version");
}

/// The search results and the conversations with calls for each reader.
async fn findings(store: &SqliteStore, project: &ProjectId, coder: &AgentId, readers: &[Principal]) -> Vec<String> {
    let mut findings = Vec::new();
    for reader in readers {
        for text in ["harbour", "harb*", "ledger", "before", "removed", "granite aloud", "granite"] {
            let query = SearchQuery::parse(text).expect("a query");
            let found = store.search(project, reader, &query, &PageRequest::first()).await.expect("found");
            let bodies: Vec<String> = found.items.into_iter().map(|message| message.body).collect();
            findings.push(format!("{} searches {text}: {bodies:?}", reader.name));
        }
        let alone = std::slice::from_ref(reader);
        for words in [&["harbour", "ledger"][..], &["granite"], &["granite", "whisper"], &["removed"]] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let found = store.find_any(project, alone, &words, 9).await.expect("found");
            let bodies: Vec<String> = found.into_iter().map(|message| message.body).collect();
            findings.push(format!("{} finds {words:?}: {bodies:?}", reader.name));
        }
        let called = store.conversations_with_calls(project, coder, alone, 9).await.expect("conversations");
        findings.push(format!("{} sees it called in {called:?}", reader.name));
    }
    findings
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, SqliteOptions::default()).expect("open")
}

#[tokio::test]
async fn a_rebuilt_index_finds_the_same_messages_as_a_new_one() {
    let IndexedStore { fixture, coder, readers } = write_all().await;
    let project = fixture.tour.id.clone();
    let fresh = findings(&fixture.store, &project, &coder, &readers).await;
    assert!(fresh.iter().any(|found| found == "Bela finds [\"granite\"]: [\"granite aloud\"]"), "{fresh:#?}");
    fixture.store.close();

    let folder = fixture.folder.path();
    let marked = number(&connection(folder), MARKED);
    make_old(&connection(folder));
    assert_eq!((number(&connection(folder), MARKED), marked > 0), (0, true));

    let store = open(folder);
    assert_eq!(findings(&store, &project, &coder, &readers).await, fresh);
    store.close();
    assert_eq!(number(&connection(folder), MARKED), marked);
    assert_eq!(violated_invariants(&connection(folder)), [""; 0]);
    assert_eq!(findings(&open(folder), &project, &coder, &readers).await, fresh, "and is rebuilt once");
}

#[tokio::test]
async fn messages_from_before_and_after_a_rebuild_are_found() {
    let fixture = SqliteFixture::new().await;
    fixture.test_store.post(&fixture.mara, &fixture.general, "harbour old").await;
    fixture.store.close();
    make_old(&fixture.connection());
    let store = open(fixture.folder.path());
    let test_store = sqlite_fixture::test_store(&store);
    let draft =
        test_store.draft(&fixture.mara, &fixture.general, "harbour new").with_id(&"msg_new".parse().expect("id"));
    test_store.send(&fixture.mara, &draft).await;
    let words = ["harbour".to_owned()];
    let found = store.find_any(&fixture.tour.id, &[fixture.mara.principal()], &words, 9).await.expect("found");
    assert_eq!(found.into_iter().map(|message| message.body).collect::<Vec<_>>(), ["harbour new", "harbour old"]);
}

#[tokio::test]
async fn an_index_with_whole_unspaced_runs_is_split_when_it_is_opened() {
    let fixture = SqliteFixture::new().await;
    fixture.test_store.post(&fixture.mara, &fixture.general, "检查日志").await;
    fixture.store.close();
    let db = fixture.connection();
    db.execute_batch(
        "INSERT OR REPLACE INTO message_text (rowid, words)
         SELECT message.no, char(0xE000) || conversation.project_no || ' ' || char(0xE001) || conversation.access_no || ' '
             || message.body
         FROM message
         JOIN conversation ON conversation.no = message.conversation_no;",
    )
    .expect("as in version 10");
    db.pragma_update(None, "user_version", 10).expect("version");
    drop(db);
    let store = open(fixture.folder.path());
    let query = SearchQuery::parse("日志").expect("a query");
    let found = store.search(&fixture.tour.id, &fixture.mara.principal(), &query, &PageRequest::first()).await;
    assert_eq!(found.expect("found").items.len(), 1);
}
