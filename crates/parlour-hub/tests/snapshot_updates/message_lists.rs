//! Message lists of all conversations: live ones get every event once, loaded ones get earlier events again.

use std::collections::HashMap;

use parlour_core::{
    event::Event,
    id::ConversationId,
    message::Message,
    message_list::{ListUpdate, LoadedRange, MessageList},
};
use parlour_hub::ports::HistoryRange;
use parlour_testkit::TestStore;

use crate::{fixture::SnapshotFixture, readers::AddressedEvent};

/// More messages than a sequence posts.
const ALL: usize = 200;

/// The message lists of one sequence.
#[derive(Default)]
pub(crate) struct MessageLists {
    live: HashMap<ConversationId, MessageList>,
    /// Lists with the offset after which they get all events.
    loaded: Vec<(u64, MessageList)>,
}

impl MessageLists {
    /// Loads every conversation into a live list.
    pub(crate) async fn begin(&mut self, fixture: &SnapshotFixture) {
        for id in fixture.conversations() {
            let messages = history(&fixture.test_store, &id).await;
            self.live.insert(id.clone(), MessageList::new(id, messages, LoadedRange::Newest));
        }
    }

    /// Applies events to the live lists, and compares the changed ones with the history.
    pub(crate) async fn follow(&mut self, fixture: &SnapshotFixture, events_of_step: &[AddressedEvent]) {
        for id in fixture.conversations() {
            let new = || MessageList::new(id.clone(), Vec::new(), LoadedRange::Newest);
            let message_list = self.live.entry(id.clone()).or_insert_with(new);
            let outcomes: Vec<_> = events_of_step.iter().map(|one| apply(message_list, &one.event)).collect();
            if outcomes.contains(&ListUpdate::Done) {
                check(&fixture.test_store, message_list).await;
            }
        }
    }

    /// Loads every conversation as it is now. The lists will get all events after this offset, some of them again.
    pub(crate) async fn load(&mut self, fixture: &SnapshotFixture, offset: u64) {
        for id in fixture.conversations() {
            let messages = history(&fixture.test_store, &id).await;
            self.loaded.push((offset, MessageList::new(id, messages, LoadedRange::Newest)));
        }
    }

    /// Applies all events, as the log contains them now, to the loaded lists, and compares all lists with the history.
    pub(crate) async fn catch_up(self, test_store: &TestStore, events: &[Event]) {
        for message_list in self.live.values() {
            check(test_store, message_list).await;
        }
        for (offset, mut message_list) in self.loaded {
            for event in events.iter().filter(|event| event.position.offset() > offset) {
                apply(&mut message_list, event);
            }
            check(test_store, &message_list).await;
        }
    }
}

fn apply(message_list: &mut MessageList, event: &Event) -> ListUpdate {
    let outcome = message_list.apply(event);
    let is_whole = matches!(outcome, ListUpdate::Done | ListUpdate::Known | ListUpdate::Elsewhere);
    assert!(is_whole, "{outcome:?} after {event:?}");
    outcome
}

async fn check(test_store: &TestStore, message_list: &MessageList) {
    let shown: Vec<Message> = message_list.messages().cloned().map(sorted).collect();
    let expected: Vec<Message> =
        history(test_store, message_list.conversation_id()).await.into_iter().map(sorted).collect();
    assert_eq!(shown, expected, "{}", message_list.conversation_id());
}

/// A message with sorted reactions: events do not contain their order.
fn sorted(mut message: Message) -> Message {
    for reaction in &mut message.reactions {
        reaction.members.sort();
    }
    message.reactions.sort_by(|one, other| one.emoji.cmp(&other.emoji));
    message
}

async fn history(test_store: &TestStore, id: &ConversationId) -> Vec<Message> {
    test_store.store().messages(id, HistoryRange::After(0), ALL).await.expect("messages")
}
