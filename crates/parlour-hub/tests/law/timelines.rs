//! Timelines of all conversations: some follow every event, some were loaded at some moment and hear old events again.

use std::collections::HashMap;

use parlour_core::{
    event::Event,
    id::ConversationId,
    message::Message,
    message_list::{ListUpdate, LoadedRange, MessageList},
};
use parlour_hub::ports::HistoryRange;
use parlour_testkit::World;

use crate::{fixture::LawFixture, readers::AddressedEvent};

/// More messages than a sequence posts.
const ALL: usize = 200;

/// The timelines of one sequence.
#[derive(Default)]
pub(crate) struct Timelines {
    live: HashMap<ConversationId, MessageList>,
    /// Timelines with the offset from which they hear everything again.
    loaded: Vec<(u64, MessageList)>,
}

impl Timelines {
    /// Loads every conversation there is, to follow it from now on.
    pub(crate) async fn begin(&mut self, fixture: &LawFixture) {
        for id in fixture.conversations() {
            let messages = history(&fixture.world, &id).await;
            self.live.insert(id.clone(), MessageList::new(id, messages, LoadedRange::Newest));
        }
    }

    /// Lets the timelines that follow take events, and compares those that have changed with the history.
    pub(crate) async fn follow(&mut self, fixture: &LawFixture, told: &[AddressedEvent]) {
        for id in fixture.conversations() {
            let new = || MessageList::new(id.clone(), Vec::new(), LoadedRange::Newest);
            let message_list = self.live.entry(id.clone()).or_insert_with(new);
            let outcomes: Vec<_> = told.iter().map(|one| take(message_list, &one.event)).collect();
            if outcomes.contains(&ListUpdate::Done) {
                check(&fixture.world, message_list).await;
            }
        }
    }

    /// Loads every conversation as it is now; it will hear everything after this offset, some of it again.
    pub(crate) async fn load(&mut self, fixture: &LawFixture, offset: u64) {
        for id in fixture.conversations() {
            let messages = history(&fixture.world, &id).await;
            self.loaded.push((offset, MessageList::new(id, messages, LoadedRange::Newest)));
        }
    }

    /// Tells the loaded timelines all events, as the log shows them now, and compares all with the history.
    pub(crate) async fn catch_up(self, world: &World, events: &[Event]) {
        for message_list in self.live.values() {
            check(world, message_list).await;
        }
        for (offset, mut message_list) in self.loaded {
            for event in events.iter().filter(|event| event.position.offset() > offset) {
                take(&mut message_list, event);
            }
            check(world, &message_list).await;
        }
    }
}

fn take(message_list: &mut MessageList, event: &Event) -> ListUpdate {
    let outcome = message_list.apply(event);
    let is_whole = matches!(outcome, ListUpdate::Done | ListUpdate::Known | ListUpdate::Elsewhere);
    assert!(is_whole, "{outcome:?} after {event:?}");
    outcome
}

async fn check(world: &World, message_list: &MessageList) {
    let shown: Vec<Message> = message_list.messages().cloned().map(sorted).collect();
    let expected: Vec<Message> = history(world, message_list.conversation_id()).await.into_iter().map(sorted).collect();
    assert_eq!(shown, expected, "{}", message_list.conversation_id());
}

/// The order of reactions is not told by events.
fn sorted(mut message: Message) -> Message {
    for reaction in &mut message.reactions {
        reaction.members.sort();
    }
    message.reactions.sort_by(|one, other| one.emoji.cmp(&other.emoji));
    message
}

async fn history(world: &World, id: &ConversationId) -> Vec<Message> {
    world.store().messages(id, HistoryRange::After(0), ALL).await.expect("messages")
}
