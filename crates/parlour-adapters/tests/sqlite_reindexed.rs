//! A database whose index of words was written before it knew places finds the same as one that was written today.

mod sqlite_contradictions;
mod sqlite_fixture;

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
use parlour_testkit::Caller;
use rusqlite::Connection;
use sqlite_contradictions::contradictions;
use sqlite_fixture::{Stage, connection, number};

/// The version that knew no places.
const VERSION_BEFORE: i64 = 8;
/// Finds the messages that are marked with a place.
const MARKED: &str = "SELECT COUNT(*) FROM message_text WHERE message_text MATCH char(0xE001) || '*'";

/// What was written, and who asks for it.
struct Written {
    stage: Stage,
    coder: AgentId,
    readers: Vec<Principal>,
}

/// A project with open and private words, in channels, a thread and a dm; some were edited, some removed. All words are
/// plain and small, so that the index of old is written here as it was then.
async fn write_all() -> Written {
    let stage = Stage::new().await;
    let (world, mara, tour) = (&stage.world, &stage.mara, &stage.tour);
    let bela = world.member("Bela", tour).await;
    let coder = world.agent("Coder", tour).await;
    let secret = world.private_channel("secret", tour, &[mara, &coder]).await;
    let above = world.post(mara, &stage.general, "harbour lamp").await;
    let thread = world.thread(&stage.general, &above).await;
    let dm = world.dm(tour, &[mara, &bela]).await;
    world.post(mara, &thread, "harbour thread").await;
    world.post(mara, &secret, "harbour whisper").await;
    world.post(&bela, &dm, "harbour dm").await;
    let edited = world.post(mara, &stage.general, "harbour before").await;
    world.edit(mara, &edited, "ledger after").await;
    let removed = world.post(mara, &stage.general, "harbour removed").await;
    world.remove(mara, &removed).await;
    for place in [&stage.general, &secret, &stage.general] {
        world.clock().advance(1_000);
        world.call(mara, place, &coder).await;
    }
    // More than are looked at of one word: what is read elsewhere is then found by the marks of its place alone.
    world.post(mara, &stage.general, "granite aloud").await;
    for number in 0..=limits::FIND_CANDIDATES_MAX {
        world.post(mara, &secret, &format!("granite {number}")).await;
    }
    let readers = vec![mara.principal(), bela.principal(), coder.principal()];
    Written { coder: coder.id.clone(), readers, stage }
}

/// Writes the database back to what it was before: no marks of places, and nothing that came with them.
fn make_old(db: &Connection) {
    db.execute_batch(
        "DROP TABLE called_place;
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

/// Everything that is found by words, and where the agent was called, for each reader.
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
        let called = store.called_places(project, coder, alone, 9).await.expect("places");
        findings.push(format!("{} sees it called in {called:?}", reader.name));
    }
    findings
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, SqliteOptions::default()).expect("open")
}

#[tokio::test]
async fn an_index_without_places_is_made_again_and_finds_what_a_new_one_finds() {
    let Written { stage, coder, readers } = write_all().await;
    let project = stage.tour.id.clone();
    let fresh = findings(&stage.store, &project, &coder, &readers).await;
    assert!(fresh.iter().any(|found| found == "Bela finds [\"granite\"]: [\"granite aloud\"]"), "{fresh:#?}");
    stage.store.close();

    let folder = stage.folder.path();
    let marked = number(&connection(folder), MARKED);
    make_old(&connection(folder));
    assert_eq!((number(&connection(folder), MARKED), marked > 0), (0, true));

    let store = open(folder);
    assert_eq!(findings(&store, &project, &coder, &readers).await, fresh);
    store.close();
    assert_eq!(number(&connection(folder), MARKED), marked);
    assert_eq!(contradictions(&connection(folder)), [""; 0]);
    assert_eq!(findings(&open(folder), &project, &coder, &readers).await, fresh, "and is made once");
}

#[tokio::test]
async fn what_is_written_after_an_old_index_was_made_again_is_found_beside_it() {
    let stage = Stage::new().await;
    stage.world.post(&stage.mara, &stage.general, "harbour old").await;
    stage.store.close();
    make_old(&stage.connection());
    let store = open(stage.folder.path());
    let world = sqlite_fixture::world(&store);
    let draft = world.draft(&stage.mara, &stage.general, "harbour new").under_id(&"msg_new".parse().expect("id"));
    world.send(&stage.mara, &draft).await;
    let words = ["harbour".to_owned()];
    let found = store.find_any(&stage.tour.id, &[stage.mara.principal()], &words, 9).await.expect("found");
    assert_eq!(found.into_iter().map(|message| message.body).collect::<Vec<_>>(), ["harbour new", "harbour old"]);
}
