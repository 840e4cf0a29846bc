//! Recorded stories for clients in other languages: the initial state, the received input and the final state.
//!
//! They are in `parlour-core/tests/fixtures/live`, and the core is tested with them too. Run with
//! `PARLOUR_WRITE_FIXTURES=1` to record them again after a change of the format, and review the difference.

mod runs;
mod stories;

use std::{path::PathBuf, sync::Arc};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    audience::PrivateChannelMembers,
    event::Event,
    message_list::{ListUpdate, MessageList},
    snapshot::{Snapshot, SnapshotUpdate},
    stream::{Chunk, StreamSnapshot},
};
use parlour_testkit::{TestMember, TestStore};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use self::stories::Cast;
use crate::readers::AddressedEvent;

/// Replaces the epoch of the log, which differs from run to run.
const EPOCH: &str = "A0";

/// A story that is being recorded, from the first snapshot of its reader on.
struct Recorder {
    cast: Cast,
    before: Snapshot,
    private_members: PrivateChannelMembers,
    committed: mpsc::Receiver<Event>,
    _folder: TempDir,
}

impl Recorder {
    /// Creates the project and takes the first snapshot of the reader.
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
        let cast = Cast::new(TestStore::new(Arc::new(store))).await;
        let before = cast.snapshot().await;
        let private_members = cast.private_members().await;
        let committed = cast.test_store.store().watch();
        Self { cast, before, private_members, committed, _folder: folder }
    }

    /// The events that the reader received live since then.
    async fn received_live(&mut self) -> Vec<Event> {
        let mut received = Vec::new();
        while let Ok(event) = self.committed.try_recv() {
            self.private_members.apply(&event.change);
            let event = AddressedEvent::new(&self.cast.test_store, event).await;
            received.extend(event.as_received_by(&self.cast.reader.member(), &self.private_members));
        }
        received
    }

    /// The events that the reader receives when it resumes now.
    async fn received_on_resume(&self) -> Vec<Event> {
        let (test_store, after) = (&self.cast.test_store, self.before.position.offset());
        let private_members = self.cast.private_members().await;
        let mut received = Vec::new();
        for event in test_store.store().events_after(&self.cast.tour.id, after, 1_000).await.expect("events") {
            let event = AddressedEvent::new(test_store, event).await;
            received.extend(event.as_received_by(&self.cast.reader.member(), &private_members));
        }
        received
    }

    /// Applies the received events, compares the result with a fresh snapshot, and records the story.
    async fn record(self, name: &str, about: &str, events: Vec<Event>) {
        let mut after = self.before.clone();
        let outcomes: Vec<SnapshotUpdate> = events.iter().map(|event| after.apply(event)).collect();
        if outcomes.iter().all(|outcome| *outcome == SnapshotUpdate::Done) {
            let fresh = self.cast.snapshot().await;
            assert_eq!(Snapshot { position: fresh.position.clone(), ..after.clone() }, fresh, "{name}");
        }
        let outcomes: Vec<String> = outcomes.iter().map(|outcome| format!("{outcome:?}").to_lowercase()).collect();
        let recorded = json!({
            "about": about, "snapshot": self.before, "events": events, "outcomes": outcomes, "expected": after,
        });
        check_file(name, &recorded, self.before.position.epoch());
    }
}

/// One input of a message list.
enum ListInput {
    Event(Event),
    Chunk(Chunk),
    Stream(StreamSnapshot),
}

impl ListInput {
    fn apply(&self, message_list: &mut MessageList) -> ListUpdate {
        match self {
            Self::Event(event) => message_list.apply(event),
            Self::Chunk(chunk) => message_list.apply_chunk(chunk),
            Self::Stream(running) => message_list.apply_stream(running),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Event(event) => json!({ "event": event }),
            Self::Chunk(chunk) => json!({ "chunk": chunk }),
            Self::Stream(running) => json!({ "stream": running }),
        }
    }
}

/// Applies all input to a message list, and records the story.
fn record_list(name: &str, about: &str, mut message_list: MessageList, received: &[ListInput], epoch: &str) {
    let (id, before) = (message_list.conversation_id().clone(), messages(&message_list));
    let outcomes: Vec<Value> = received.iter().map(|one| outcome(one.apply(&mut message_list))).collect();
    let inputs: Vec<Value> = received.iter().map(ListInput::json).collect();
    let recorded = json!({
        "about": about, "conversation_id": id, "messages": before, "told": inputs, "outcomes": outcomes,
        "expected": messages(&message_list),
    });
    check_file(name, &recorded, epoch);
}

fn messages(message_list: &MessageList) -> Value {
    json!(message_list.messages().collect::<Vec<_>>())
}

fn outcome(update: ListUpdate) -> Value {
    match update {
        ListUpdate::Missing { after } => json!({ "missing": { "after": after } }),
        other => json!(format!("{other:?}").to_lowercase()),
    }
}

/// Compares the recording with the file, or writes the file.
fn check_file(name: &str, recorded: &Value, epoch: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../parlour-core/tests/fixtures/live");
    let path = folder.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(recorded).expect("json") + "\n";
    let text = text.replace(&format!("\"{epoch}-"), &format!("\"{EPOCH}-"));
    if std::env::var_os("PARLOUR_WRITE_FIXTURES").is_some() {
        std::fs::create_dir_all(&folder).expect("folder");
        std::fs::write(&path, &text).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    // The order of fields depends on the features of `serde_json`.
    let as_value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    assert_eq!(as_value(&kept), as_value(&text), "{name}.json is not what happens now");
}
