//! A database of an earlier version is brought forward when it is opened, with all that it holds.

mod sqlite_fixture;

use std::path::Path;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    access::{Principal, Role},
    conversation::Conversation,
    event::Change,
    id::{AgentId, ConversationId, ProjectId},
    message::State,
    paging::PageRequest,
    search_query::SearchQuery,
};
use parlour_hub::{
    ports::{Conversations, Directory, History, Inboxes, Log, SavedStream, Streams},
    testkit::{Caller, World},
};
use sqlite_fixture::{connection, number, world};
use tempfile::TempDir;

/// A database that has taken only the first step, with data of that version.
fn version_1() -> TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let db = connection(folder.path());
    db.execute_batch(include_str!("../src/sqlite/migrations/0001_initial.sql")).expect("first step");
    db.execute_batch(include_str!("sqlite_upgrade/version_1.sql")).expect("data");
    db.pragma_update(None, "user_version", 1).expect("version");
    folder
}

fn open(folder: &Path) -> (SqliteStore, World) {
    let store = SqliteStore::open(folder, SqliteOptions::default()).expect("open");
    let world = world(&store);
    (store, world)
}

fn tour() -> ProjectId {
    "prj_tour".parse().expect("id")
}

fn general() -> ConversationId {
    "chn_general".parse().expect("id")
}

fn coder() -> AgentId {
    "agt_coder".parse().expect("id")
}

#[tokio::test]
async fn a_database_of_version_1_keeps_everything() {
    let folder = version_1();
    let (store, world) = open(folder.path());
    let history = world.history(&general()).await;
    assert_eq!(history.len(), 1);
    assert_eq!(
        (history[0].body.as_str(), history[0].state, history[0].steps.len()),
        ("hello old world", State::Complete, 0)
    );
    let inbox = store.inbox(&coder(), &PageRequest::first()).await.expect("inbox").items;
    assert_eq!(inbox.iter().map(|entry| &entry.message).collect::<Vec<_>>(), [&history[0]]);
    let project = store.project(&tour()).await.expect("read").expect("a project");
    assert_eq!((project.policy.streams.window_ms, project.policy.retention.event_days_max), (200, None));
    let caller = Principal::new(coder(), "Coder".parse().expect("name"), Role::Agent(tour()));
    let query = SearchQuery::parse("old world").expect("query");
    let found = store.search(&tour(), &caller, &query, &PageRequest::first()).await.expect("found").items;
    assert_eq!(found, history);
}

#[tokio::test]
async fn the_events_of_version_1_are_still_read() {
    let folder = version_1();
    let (store, world) = open(folder.path());
    let events = world.events(&tour()).await;
    let names: Vec<_> = events.iter().map(|event| event.change.name()).collect();
    let expected = ["projects.created", "channels.created", "channels.created", "messaging.posted", "messaging.read"];
    assert_eq!(names, expected);
    let Change::ChannelCreated(secret) = &events[2].change else { unreachable!("a channel") };
    assert_eq!((secret.channel.name.as_str(), secret.members.len()), ("secret", 0), "members were not noted then");
    let Change::Read(mark) = &events[4].change else { unreachable!("a mark") };
    assert_eq!((mark.seq, mark.unread), (1, 0));
    let range = store.log_range(&tour()).await.expect("range").expect("a log");
    assert_eq!((range.first, range.end.offset(), range.end.epoch()), (1, 5, "OLDEPOCH"));
}

#[tokio::test]
async fn a_stream_can_be_written_in_a_database_of_version_1() {
    let folder = version_1();
    let (store, world) = open(folder.path());
    assert_eq!(number(&connection(folder.path()), "PRAGMA user_version"), 2);
    assert_eq!(store.open_streams().await.expect("open"), []);
    let coder = store.agent(&coder()).await.expect("read").expect("an agent");
    let (channel, _) = store.conversation(&general(), &coder.member()).await.expect("read").expect("a channel");
    let Conversation::Channel(channel) = channel else { unreachable!("a channel") };
    let draft = world.draft(&coder, &channel, "");
    let begun = world.send(&coder, &draft.streaming()).await;
    let saved = SavedStream { message_id: begun.id.clone(), text: "so far".into(), steps: Vec::new() };
    store.save_streams(vec![saved.clone()]).await.expect("saved");
    assert_eq!(store.open_streams().await.expect("open"), [(begun.clone(), saved)]);
    let finished = world.finish(&coder, &begun, world.ending("done")).await;
    assert_eq!((finished.seq, finished.body.as_str()), (2, "done"));
    assert_eq!(store.end_of_log(&tour()).await.expect("end").expect("a log").offset(), 7);
    assert_eq!(number(&connection(folder.path()), "SELECT COUNT(*) FROM stream"), 0);
}
