//! Opening and closing the database.

mod sqlite_fixture;

use std::fs;

use parlour_adapters::{OpenError, SqliteOptions, SqliteStore};
use parlour_core::{Code, call::CallReason, id::MessageId};
use parlour_hub::ports::{Directory, Log};
use sqlite_fixture::{Stage, connection, number, world};

#[test]
fn a_missing_folder_is_made() {
    let folder = tempfile::tempdir().expect("folder");
    let inner = folder.path().join("a/b");
    SqliteStore::open(&inner, SqliteOptions::default()).expect("open");
    assert!(inner.join("parlour.db").is_file());
}

#[test]
fn a_folder_that_is_a_file_is_named_in_the_error() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("file");
    let error = SqliteStore::open(&file, SqliteOptions::default()).err().expect("no folder");
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains(&*file.to_string_lossy()));
}

#[test]
fn a_database_that_cannot_be_opened_is_named_in_the_error() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("parlour.db")).expect("a folder in the place of the file");
    let error = SqliteStore::open(folder.path(), SqliteOptions::default()).err().expect("no file");
    assert!(matches!(error, OpenError::Open { .. }), "{error:?}");
    assert!(error.to_string().contains("parlour.db"));
}

#[test]
fn a_read_only_folder_is_refused_with_its_path() {
    let folder = tempfile::tempdir().expect("folder");
    let mut rights = fs::metadata(folder.path()).expect("rights").permissions();
    rights.set_readonly(true);
    fs::set_permissions(folder.path(), rights).expect("read-only");
    if fs::write(folder.path().join("probe"), "x").is_ok() {
        return; // Administrators of the machine write everywhere, so nothing can be shown.
    }
    let error = SqliteStore::open(folder.path(), SqliteOptions::default()).err().expect("read-only");
    assert!(error.to_string().contains("parlour.db"), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("parlour.db");
    let text = "this is no database ".repeat(100);
    fs::write(&path, &text).expect("file");
    assert!(SqliteStore::open(folder.path(), SqliteOptions::default()).is_err());
    assert_eq!(fs::read_to_string(&path).expect("still there"), text);
}

#[test]
fn a_database_of_a_newer_program_is_refused_politely() {
    let folder = tempfile::tempdir().expect("folder");
    connection(folder.path()).pragma_update(None, "user_version", 1_000).expect("version");
    let error = SqliteStore::open(folder.path(), SqliteOptions::default()).err().expect("newer");
    assert!(error.to_string().contains("made by a newer Parlour"), "{error}");
    assert_eq!(number(&connection(folder.path()), "PRAGMA user_version"), 1_000);
}

#[tokio::test]
async fn reopening_keeps_everything() {
    let stage = Stage::new().await;
    let coder = stage.world.agent("Coder", &stage.tour).await;
    let root = stage.world.post(&stage.mara, &stage.general, "Hello").await;
    let thread = stage.world.thread(&stage.general, &root).await;
    let draft = stage.world.draft(&stage.mara, &thread, "@Coder look").mentioning(&coder);
    stage.world.send(&stage.mara, &draft.calling(&coder, CallReason::Mention)).await;
    stage.world.edit(&stage.mara, &root, "Hello again").await;
    let before = stage.world.snapshot(&stage.tour, &[&stage.mara, &coder]).await;
    stage.store.close();

    let again = SqliteStore::open(stage.folder.path(), SqliteOptions::default()).expect("open again");
    assert_eq!(world(&again).snapshot(&stage.tour, &[&stage.mara, &coder]).await, before);
}

#[tokio::test]
async fn the_log_keeps_its_epoch_when_the_store_is_reopened() {
    let stage = Stage::new().await;
    let end = stage.store.end_of_log(&stage.tour.id).await.expect("end");
    stage.store.close();
    let again = SqliteStore::open(stage.folder.path(), SqliteOptions::default()).expect("open again");
    assert_eq!(again.end_of_log(&stage.tour.id).await.expect("end"), end);
}

#[tokio::test]
async fn a_client_id_is_known_again_after_a_restart_whatever_its_form() {
    let stage = Stage::new().await;
    let drafts = ["msg_own-id", "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"].map(|text| {
        let id: MessageId = text.parse().expect("id");
        stage.world.draft(&stage.mara, &stage.general, "once").under_id(&id)
    });
    let mut first = Vec::new();
    for draft in &drafts {
        first.push(stage.world.append(&stage.tour.id, &stage.mara, draft.write()).await.expect("first"));
    }
    stage.store.close();
    let again = SqliteStore::open(stage.folder.path(), SqliteOptions::default()).expect("open again");
    for (draft, first) in drafts.iter().zip(first) {
        let second = world(&again).append(&stage.tour.id, &stage.mara, draft.write()).await.expect("second");
        assert_eq!((second.change, second.position), (first.change, first.position));
    }
}

#[tokio::test]
async fn a_closed_store_says_that_it_is_stopping() {
    let stage = Stage::new().await;
    stage.store.close();
    let write = stage.post("late");
    let refused = stage.world.append(&stage.tour.id, &stage.mara, write).await.expect_err("closed");
    assert_eq!(refused.refusal().expect("refusal").code, Code::Stopping);
    let refused = stage.store.project(&stage.tour.id).await.expect_err("closed");
    assert_eq!(refused.refusal().expect("refusal").code, Code::Stopping);
}

#[tokio::test]
async fn what_was_queued_is_written_before_the_store_ends() {
    let stage = Stage::new().await;
    // Each write is queued by the first look at its future, and then given up.
    for number in 0..50 {
        let write = stage.post(&format!("message {number}"));
        let mut append = std::pin::pin!(stage.world.append(&stage.tour.id, &stage.mara, write));
        let _ = futures_poll(append.as_mut()).await;
    }
    stage.store.close();
    assert_eq!(number(&stage.connection(), "SELECT COUNT(*) FROM message"), 50);
}

/// Looks at a future once.
async fn futures_poll<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn closing_leaves_no_write_ahead_log_behind() {
    let stage = Stage::new().await;
    stage.world.post(&stage.mara, &stage.general, "Hello").await;
    stage.store.close();
    let wal = stage.folder.path().join("parlour.db-wal");
    assert!(!wal.exists(), "everything is in the one file");
}

#[test]
fn a_closed_store_is_one_file() {
    let folder = tempfile::tempdir().expect("folder");
    for _ in 0..25 {
        SqliteStore::open(folder.path(), SqliteOptions::default()).expect("opened").close();
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).expect("folder").map(|file| file.expect("file").file_name()).collect();
        assert_eq!(files, ["parlour.db"], "nothing is left in a log beside it");
    }
}

#[cfg(unix)]
#[test]
fn the_files_of_a_store_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("folder");
    let _store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("opened");
    for name in ["parlour.db", "parlour.db-wal", "parlour.db-shm"] {
        let rights = fs::metadata(folder.path().join(name)).expect(name).permissions().mode();
        assert_eq!(rights & 0o777, 0o600, "{name}");
    }
}
