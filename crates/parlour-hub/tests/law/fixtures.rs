//! Recorded stories for reducers in other languages: what a client held, what it heard, and what it holds then.
//!
//! They stand in `parlour-core/tests/fixtures/live`, where the core is held to them too. Run with
//! `PARLOUR_WRITE_FIXTURES=1` to record them anew after a change of the format, and read the difference.

mod stories;
mod working;

use std::{path::PathBuf, sync::Arc};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{
    audience::PrivateChannelMembers,
    event::Event,
    message_list::{ListUpdate, MessageList},
    snapshot::{Applied, Snapshot},
    stream::{Chunk, Running},
};
use parlour_testkit::{Caller, World};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use self::stories::Cast;
use crate::readers::AddressedEvent;

/// The name that stands for the life of a log, which differs from run to run.
const EPOCH: &str = "A0";

/// A story being recorded, from the moment at which its reader took a snapshot.
struct Recorder {
    cast: Cast,
    before: Snapshot,
    private_members: PrivateChannelMembers,
    committed: mpsc::Receiver<Event>,
    _folder: TempDir,
}

impl Recorder {
    /// Sets the stage and takes the snapshot of the person who reads.
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
        let cast = Cast::new(World::new(Arc::new(store))).await;
        let before = cast.snapshot().await;
        let private_members = cast.private_members().await;
        let committed = cast.world.store().watch();
        Self { cast, before, private_members, committed, _folder: folder }
    }

    /// What the reader heard live since then.
    async fn heard_live(&mut self) -> Vec<Event> {
        let mut heard = Vec::new();
        while let Ok(event) = self.committed.try_recv() {
            self.private_members.apply(&event.change);
            let told = AddressedEvent::new(&self.cast.world, event).await;
            heard.extend(told.heard_by(&self.cast.reader.member(), &self.private_members));
        }
        heard
    }

    /// What the reader hears when it comes back now.
    async fn heard_late(&self) -> Vec<Event> {
        let (world, after) = (&self.cast.world, self.before.position.offset());
        let private_members = self.cast.private_members().await;
        let mut heard = Vec::new();
        for event in world.store().events_after(&self.cast.tour.id, after, 1_000).await.expect("events") {
            let told = AddressedEvent::new(world, event).await;
            heard.extend(told.heard_by(&self.cast.reader.member(), &private_members));
        }
        heard
    }

    /// Applies what was heard, holds the outcome to the law, and keeps all of it under this name.
    async fn keep(self, name: &str, about: &str, events: Vec<Event>) {
        let mut after = self.before.clone();
        let outcomes: Vec<Applied> = events.iter().map(|event| after.apply(event)).collect();
        if outcomes.iter().all(|outcome| *outcome == Applied::Done) {
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

/// One thing that a timeline is told.
enum Heard {
    Event(Event),
    Chunk(Chunk),
    Stream(Running),
}

impl Heard {
    fn tell(&self, message_list: &mut MessageList) -> ListUpdate {
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

/// Tells a timeline everything, and keeps what it was, what it was told and what it is then.
fn keep_timeline(name: &str, about: &str, mut message_list: MessageList, heard: &[Heard], epoch: &str) {
    let (id, before) = (message_list.conversation_id().clone(), messages(&message_list));
    let outcomes: Vec<Value> = heard.iter().map(|one| outcome(one.tell(&mut message_list))).collect();
    let told: Vec<Value> = heard.iter().map(Heard::json).collect();
    let recorded = json!({
        "about": about, "conversation_id": id, "messages": before, "told": told, "outcomes": outcomes,
        "expected": messages(&message_list),
    });
    check_file(name, &recorded, epoch);
}

fn messages(message_list: &MessageList) -> Value {
    json!(message_list.messages().collect::<Vec<_>>())
}

fn outcome(followed: ListUpdate) -> Value {
    match followed {
        ListUpdate::Missing { after } => json!({ "missing": { "after": after } }),
        other => json!(format!("{other:?}").to_lowercase()),
    }
}

/// Compares what was recorded with the file, or writes the file.
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
    // The order of fields is a matter of how serde_json was built.
    let as_value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    assert_eq!(as_value(&kept), as_value(&text), "{name}.json is not what happens now");
}
