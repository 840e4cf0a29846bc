//! Opening and closing the database.

mod sqlite_fixture;

use std::fs;

use parlour_adapters::{OpenError, SqliteOptions, SqliteStore};
use parlour_core::{Code, call::CallReason, id::MessageId};
use parlour_hub::ports::{Directory, Log};
use sqlite_fixture::{SqliteFixture, connection, number, test_store};

#[test]
fn a_missing_folder_is_created() {
    let folder = tempfile::tempdir().expect("folder");
    let inner = folder.path().join("a/b");
    SqliteStore::open(&inner, SqliteOptions::default()).expect("open");
    assert!(inner.join("parlour.db").is_file());
}

#[test]
fn the_error_names_a_folder_that_is_a_file() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("file");
    let error = SqliteStore::open(&file, SqliteOptions::default()).err().expect("no folder");
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains(&*file.to_string_lossy()));
}

#[test]
fn the_error_names_a_database_that_cannot_be_opened() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("parlour.db")).expect("a folder instead of the file");
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
        return; // The super user can write everywhere, so the test proves nothing.
    }
    let error = SqliteStore::open(folder.path(), SqliteOptions::default()).err().expect("read-only");
    assert!(error.to_string().contains("parlour.db"), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("parlour.db");
    let text = "this is no database ".repeat(100);
    fs::write(&path, &text).expect("file");
    assert!(SqliteStore::open(folder.path(), SqliteOptions::default()).is_err());
    assert_eq!(fs::read_to_string(&path).expect("still there"), text);
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    connection(folder.path()).pragma_update(None, "user_version", 1_000).expect("version");
    let error = SqliteStore::open(folder.path(), SqliteOptions::default()).err().expect("newer");
    assert!(error.to_string().contains("made by a newer Parlour"), "{error}");
    assert_eq!(number(&connection(folder.path()), "PRAGMA user_version"), 1_000);
}

#[tokio::test]
async fn data_survives_reopening() {
    let fixture = SqliteFixture::new().await;
    let coder = fixture.test_store.agent("Coder", &fixture.tour).await;
    let root = fixture.test_store.post(&fixture.mara, &fixture.general, "Hello").await;
    let thread = fixture.test_store.thread(&fixture.general, &root).await;
    let draft = fixture.test_store.draft(&fixture.mara, &thread, "@Coder look").mentioning(&coder);
    fixture.test_store.send(&fixture.mara, &draft.calling(&coder, CallReason::Mention)).await;
    fixture.test_store.edit(&fixture.mara, &root, "Hello again").await;
    let before = fixture.test_store.snapshot(&fixture.tour, &[&fixture.mara, &coder]).await;
    fixture.store.close();

    let again = SqliteStore::open(fixture.folder.path(), SqliteOptions::default()).expect("open again");
    assert_eq!(test_store(&again).snapshot(&fixture.tour, &[&fixture.mara, &coder]).await, before);
}

#[tokio::test]
async fn the_log_keeps_its_epoch_when_the_store_is_reopened() {
    let fixture = SqliteFixture::new().await;
    let end = fixture.store.end_of_log(&fixture.tour.id).await.expect("end");
    fixture.store.close();
    let again = SqliteStore::open(fixture.folder.path(), SqliteOptions::default()).expect("open again");
    assert_eq!(again.end_of_log(&fixture.tour.id).await.expect("end"), end);
}

#[tokio::test]
async fn client_ids_of_any_form_are_idempotent_across_a_restart() {
    let fixture = SqliteFixture::new().await;
    let drafts = ["msg_own-id", "msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F"].map(|text| {
        let id: MessageId = text.parse().expect("id");
        fixture.test_store.draft(&fixture.mara, &fixture.general, "once").with_id(&id)
    });
    let mut first = Vec::new();
    for draft in &drafts {
        first.push(fixture.test_store.append(&fixture.tour.id, &fixture.mara, draft.write()).await.expect("first"));
    }
    fixture.store.close();
    let again = SqliteStore::open(fixture.folder.path(), SqliteOptions::default()).expect("open again");
    for (draft, first) in drafts.iter().zip(first) {
        let second = test_store(&again).append(&fixture.tour.id, &fixture.mara, draft.write()).await.expect("second");
        assert_eq!((second.change, second.position), (first.change, first.position));
    }
}

#[tokio::test]
async fn a_closed_store_refuses_calls_as_stopping() {
    let fixture = SqliteFixture::new().await;
    fixture.store.close();
    let write = fixture.post("late");
    let refused = fixture.test_store.append(&fixture.tour.id, &fixture.mara, write).await.expect_err("closed");
    assert_eq!(refused.refusal().expect("refusal").code, Code::Stopping);
    let refused = fixture.store.project(&fixture.tour.id).await.expect_err("closed");
    assert_eq!(refused.refusal().expect("refusal").code, Code::Stopping);
}

#[tokio::test]
async fn queued_writes_are_written_before_the_store_closes() {
    let fixture = SqliteFixture::new().await;
    // The first poll of each future queues its write; then the future is dropped.
    for number in 0..50 {
        let write = fixture.post(&format!("message {number}"));
        let mut append = std::pin::pin!(fixture.test_store.append(&fixture.tour.id, &fixture.mara, write));
        let _ = poll_once(append.as_mut()).await;
    }
    fixture.store.close();
    assert_eq!(number(&fixture.connection(), "SELECT COUNT(*) FROM message"), 50);
}

/// Polls a future once.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn closing_removes_the_write_ahead_log() {
    let fixture = SqliteFixture::new().await;
    fixture.test_store.post(&fixture.mara, &fixture.general, "Hello").await;
    fixture.store.close();
    let wal = fixture.folder.path().join("parlour.db-wal");
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
