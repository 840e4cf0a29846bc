//! The recorded stories of live clients still hold: what a client held and what it heard give what it holds then.
//!
//! They are recorded from a real store by the tests of the hub. Clients in other languages read the same files.

use std::{fs, path::Path};

use parlour_core::{
    event::Event,
    id::ConversationId,
    message::Message,
    message_list::{ListUpdate, LoadedRange, MessageList},
    snapshot::Snapshot,
    stream::{Chunk, StreamSnapshot},
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct SnapshotStory {
    snapshot: Snapshot,
    events: Vec<Event>,
    outcomes: Vec<String>,
    expected: Snapshot,
}

#[derive(Deserialize)]
struct MessageListStory {
    conversation_id: ConversationId,
    messages: Vec<Message>,
    told: Vec<Told>,
    outcomes: Vec<Value>,
    expected: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    Event(Event),
    Chunk(Chunk),
    Stream(StreamSnapshot),
}

/// The stories whose name begins so, each with its name.
fn stories<T: for<'de> Deserialize<'de>>(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, T)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/live");
    let entries = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let named = entries.map(|path| (path.file_stem().expect("name").to_string_lossy().into_owned(), path));
    let read = |(name, path): (String, _)| {
        let text = fs::read_to_string(path).expect("text");
        let story = serde_json::from_str(&text).expect(&name);
        (name, story)
    };
    named.filter(|(name, _)| is_wanted(name)).map(read).collect()
}

#[test]
fn recorded_snapshots_and_events_give_the_recorded_outcome() {
    let stories = stories::<SnapshotStory>(|name| !name.starts_with("message_list"));
    assert!(stories.len() >= 6, "there are stories");
    for (name, story) in stories {
        let mut snapshot = story.snapshot;
        let outcomes: Vec<String> =
            story.events.iter().map(|event| format!("{:?}", snapshot.apply(event)).to_lowercase()).collect();
        assert_eq!(outcomes, story.outcomes, "{name}");
        assert_eq!(snapshot, story.expected, "{name}");
    }
}

#[test]
fn recorded_message_lists_give_the_recorded_outcome() {
    let stories = stories::<MessageListStory>(|name| name.starts_with("message_list"));
    assert!(stories.len() >= 2, "there are stories");
    for (name, story) in stories {
        let mut message_list = MessageList::new(story.conversation_id, story.messages, LoadedRange::Newest);
        let outcomes: Vec<Value> = story.told.iter().map(|told| outcome(tell(&mut message_list, told))).collect();
        assert_eq!(outcomes, story.outcomes, "{name}");
        assert_eq!(message_list.messages().cloned().collect::<Vec<_>>(), story.expected, "{name}");
    }
}

fn tell(message_list: &mut MessageList, told: &Told) -> ListUpdate {
    match told {
        Told::Event(event) => message_list.apply(event),
        Told::Chunk(chunk) => message_list.apply_chunk(chunk),
        Told::Stream(running) => message_list.apply_stream(running),
    }
}

fn outcome(followed: ListUpdate) -> Value {
    match followed {
        ListUpdate::Missing { after } => json!({ "missing": { "after": after } }),
        other => json!(format!("{other:?}").to_lowercase()),
    }
}
