use std::{fs, path::Path};

use parlour_testkit::broken_stream;

use super::*;

/// Every file below the folder, by its path from there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below the folder").to_owned());
            }
        }
    }
    found
}

fn reader(content: &'static [u8]) -> BlobReader {
    Box::pin(content)
}

#[tokio::test]
async fn a_content_is_one_file_named_by_its_hash() {
    let folder = tempfile::tempdir().expect("folder");
    let blobs = FileBlobs::open(folder.path()).expect("open");
    for _ in 0..2 {
        blobs.put(reader(b"abc"), 3).await.expect("put");
    }
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(files(folder.path()), [Path::new("blobs/ba").join(hash)]);
}

#[tokio::test]
async fn a_refused_or_broken_upload_leaves_no_file() {
    let folder = tempfile::tempdir().expect("folder");
    let blobs = FileBlobs::open(folder.path()).expect("open");
    blobs.put(reader(b"abc"), 2).await.expect_err("too large");
    blobs.put(broken_stream(b"half"), 100).await.expect_err("broken");
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_cancelled_upload_leaves_no_file() {
    let folder = tempfile::tempdir().expect("folder");
    let blobs = FileBlobs::open(folder.path()).expect("open");
    let (mut sender, content) = tokio::io::duplex(8);
    sender.write_all(b"half").await.expect("first bytes");
    let mut put = blobs.put(Box::pin(content), 100);
    // The text is longer than the pipe, so this side ends only after the upload has started to read.
    let write = async { sender.write_all(&[0; 64]).await };
    tokio::select! {
        _ = &mut put => panic!("the content has not ended"),
        written = write => written.expect("the upload reads"),
    }
    drop(put);
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn opening_removes_temporary_files_and_keeps_contents() {
    let folder = tempfile::tempdir().expect("folder");
    let stored = FileBlobs::open(folder.path()).expect("open").put(reader(b"abc"), 3).await.expect("put");
    fs::write(folder.path().join("blobs/incoming/.tmpHalf"), "half").expect("leftover");
    let blobs = FileBlobs::open(folder.path()).expect("open again");
    assert_eq!(files(folder.path()).len(), 1);
    assert!(blobs.open(&stored.hash, 0).await.expect("open content").is_some());
}

fn code(failure: &Failure) -> Option<Code> {
    failure.refusal().map(|refusal| refusal.code)
}

/// Also when only the last write fails, whose error appears after the content has been read.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_refuses_the_upload_as_unavailable() {
    const LARGE: &[u8] = &[7; 3 * CHUNK_BYTES_MAX];
    for content in [&b"abc"[..], LARGE] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device without room");
        let failure = receive(Box::pin(content), u64::MAX, full).await.expect_err("full");
        assert_eq!(code(&failure), Some(Code::StoreUnavailable), "{} bytes", content.len());
    }
}

#[tokio::test]
async fn a_missing_folder_refuses_the_upload_as_unavailable() {
    let folder = tempfile::tempdir().expect("folder");
    let blobs = FileBlobs::open(folder.path()).expect("open");
    fs::remove_dir(folder.path().join("blobs/incoming")).expect("removed");
    let failure = blobs.put(reader(b"abc"), 3).await.expect_err("no folder");
    assert_eq!(code(&failure), Some(Code::StoreUnavailable));
}

#[tokio::test]
async fn the_fault_names_a_folder_that_cannot_be_created() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("blobs"), "a file instead of the folder").expect("file");
    let failure = FileBlobs::open(folder.path()).expect_err("a file instead of the folder");
    assert!(failure.to_string().contains("open the contents in"), "{failure}");
}

#[cfg(unix)]
#[tokio::test]
async fn files_and_folders_are_private_to_the_user_of_the_hub() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let blobs = FileBlobs::open(folder.path()).expect("open");
    blobs.put(reader(b"abc"), 3).await.expect("put");
    let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    let file = folder.path().join(&files(folder.path())[0]);
    assert_eq!(mode(&file), 0o600);
    for path in ["blobs", "blobs/ba", "blobs/incoming"] {
        assert_eq!(mode(&folder.path().join(path)), 0o700, "{path}");
    }
}
