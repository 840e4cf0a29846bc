//! Recorded live client sessions: the initial state and the received input give the recorded final state.
//!
//! The tests of the hub record them from a real store. Clients in other languages read the same files.

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
    #[serde(rename = "told")]
    inputs: Vec<ClientInput>,
    outcomes: Vec<Value>,
    expected: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClientInput {
    Event(Event),
    Chunk(Chunk),
    Stream(StreamSnapshot),
}

/// The stories with a wanted name, each with its name.
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
        let outcomes: Vec<Value> = story.inputs.iter().map(|input| outcome(apply(&mut message_list, input))).collect();
        assert_eq!(outcomes, story.outcomes, "{name}");
        assert_eq!(message_list.messages().cloned().collect::<Vec<_>>(), story.expected, "{name}");
    }
}

fn apply(message_list: &mut MessageList, input: &ClientInput) -> ListUpdate {
    match input {
        ClientInput::Event(event) => message_list.apply(event),
        ClientInput::Chunk(chunk) => message_list.apply_chunk(chunk),
        ClientInput::Stream(running) => message_list.apply_stream(running),
    }
}

fn outcome(update: ListUpdate) -> Value {
    match update {
        ListUpdate::Missing { after } => json!({ "missing": { "after": after } }),
        other => json!(format!("{other:?}").to_lowercase()),
    }
}
