//! A hub whose newest event is later than the clock of the system, as after the clock was set back.

mod support;

use std::path::Path;

use parlour_core::Timestamp;
use rusqlite::Connection;
use serde_json::Value;
use support::Hub;

const DAY_MS: u64 = 24 * 3_600_000;

/// Moves the newest event of each log this much later, in the store of a hub that is not running.
fn move_newest_events(folder: &Path, ms: u64) {
    let store = Connection::open(folder.join("data/parlour.db")).expect("the store");
    let moved = store.execute(
        "UPDATE event
         SET at_ms = ?1 + COALESCE(at_ms, (SELECT created_ms FROM message WHERE no = event.message_no)),
             actor_no = COALESCE(actor_no, (SELECT author_no FROM message WHERE no = event.message_no))
         WHERE offset = (SELECT MAX(offset) FROM event AS other WHERE other.project_no = event.project_no)",
        [i64::try_from(ms).expect("a short time")],
    );
    assert!(moved.expect("changed") > 0);
}

fn time(value: &Value) -> Timestamp {
    value.as_str().and_then(|text| text.parse().ok()).expect("a time")
}

#[test]
fn the_time_of_the_hub_continues_from_its_newest_event_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let before = time(&hub.json("post general 'before'")["created_at"]);
    hub.stop();
    move_newest_events(folder.path(), 3 * DAY_MS);
    let hub = Hub::start(folder.path());
    let after = time(&hub.json("post general 'after'")["created_at"]);
    assert!(after >= before.plus_millis(3 * DAY_MS), "{after} follows {before}");
    assert!(hub.log().contains("the newest event is later than the clock of the system"), "{}", hub.log());
}

#[test]
fn expired_tokens_and_invites_stay_expired_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    let secret = |line: &str, field: &str| hub.json(line)[field].as_str().expect(line).to_owned();
    let signed = secret("token create --expires 1d", "secret");
    let stored = secret("token create --static --expires 1d", "secret");
    let invite = secret("invite --expires 1d", "code");
    hub.stop();
    move_newest_events(folder.path(), 2 * DAY_MS);
    let mut hub = Hub::start(folder.path());
    let join = hub.run(&format!("join {}/#{invite} Late", hub.url));
    assert!(join.code == Some(1) && join.stderr.contains("PARLOUR-A09"), "{}", join.stderr);
    for token in [signed, stored] {
        hub.token = token;
        let refused = hub.run("project list");
        assert!(refused.code == Some(1) && refused.stderr.contains("PARLOUR-A01"), "{}", refused.stderr);
    }
}
