//! Readers that resume after a restart, and after the data folder was replaced by an older copy.

mod support;

use std::{fs, path::Path};

use parlour_core::position::Position;
use serde_json::Value;
use support::{Hub, running::RunningProcess};
use tempfile::TempDir;

/// Events that only the lost log has.
const LOST: usize = 3;

fn post(hub: &Hub, text: &str) -> Position {
    let posted = hub.json(&format!("post general '{text}'"));
    posted["position"].as_str().and_then(|text| text.parse().ok()).expect("a position")
}

/// The first frame that a reader gets after this position.
fn first_frame_after(hub: &Hub, position: &Position) -> Value {
    let since = position.to_string();
    let tail = RunningProcess::start(hub.command().args(["tail", "--json", "--since", &since]));
    serde_json::from_str(&tail.line()).expect("a frame")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn back_up(folder: &TempDir) {
    copy_folder(&folder.path().join("data"), &folder.path().join("backup"));
}

/// Replaces the data folder by the backup and starts the hub.
fn restore(folder: &TempDir) -> Hub {
    fs::remove_dir_all(folder.path().join("data")).expect("removed");
    fs::rename(folder.path().join("backup"), folder.path().join("data")).expect("restored");
    Hub::start(folder.path())
}

/// Loses events of this hub by a restore, and checks that a reader of them gets a gap, also after the restored log has
/// passed its offset.
fn check_restore(folder: &TempDir, hub: Hub, before_backup: &Position, reason: &str) {
    let lost = (0..LOST).map(|_| post(&hub, "lost")).next_back().expect("some");
    hub.stop();
    let hub = restore(folder);
    assert_eq!(first_frame_after(&hub, &lost)["type"], "gap", "before the restored log has passed the offset");
    let first = post(&hub, "new");
    let last = (0..2 * LOST).map(|_| post(&hub, "new")).next_back().expect("some");
    assert!(last.offset() > lost.offset() && last.epoch() == lost.epoch(), "{last} follows {lost}");
    let gap = first_frame_after(&hub, &lost);
    assert_eq!((&gap["type"], &gap["reason"]), (&"gap".into(), &reason.into()), "{gap}");
    assert_eq!(gap["position"], last.to_string());
    let next = first_frame_after(&hub, before_backup);
    assert_eq!(next["position"], first.to_string(), "nothing is missing after a position that the backup has");
}

#[test]
fn a_reader_of_events_that_a_restored_backup_lost_gets_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let before_backup = post(&hub, "saved");
    // Nothing is written meanwhile, so that the copy is consistent.
    back_up(&folder);
    check_restore(&folder, hub, &before_backup, "ahead");
}

#[test]
fn a_reader_of_a_start_that_the_backup_does_not_know_gets_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let before_backup = post(&hub, "saved");
    hub.stop();
    back_up(&folder);
    check_restore(&folder, Hub::start(folder.path()), &before_backup, "epoch");
}

#[test]
fn restarts_and_kills_leave_no_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Hub::start(folder.path());
    let mut positions = vec![post(&hub, "first")];
    for number in 0..4 {
        if number % 2 == 0 {
            hub.stop();
        } else {
            hub.kill();
        }
        hub = Hub::start(folder.path());
        positions.push(post(&hub, "next"));
        for pair in positions.windows(2) {
            let next = first_frame_after(&hub, &pair[0]);
            let position: Position = next["position"].as_str().and_then(|text| text.parse().ok()).expect("a position");
            assert_eq!((&next["type"], &position), (&"event".into(), &pair[1]), "{next}");
        }
    }
}

#[test]
fn a_position_without_a_start_tag_is_still_understood() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let first = post(&hub, "first");
    let second = post(&hub, "second");
    let untagged = first.issued_by(None);
    assert_eq!(first_frame_after(&hub, &untagged)["position"], second.to_string());
}
