//! Typing members by conversation, until they are published.

use std::collections::HashMap;

use parlour_core::{
    Timestamp,
    audience::AccessRoot,
    conversation::Conversation,
    id::{ConversationId, MemberId, ProjectId},
    limits,
};

use crate::timers::DueQueue;

/// Typing members by conversation. A conversation is removed when it was published.
#[derive(Debug, Default)]
pub(crate) struct TypingRegistry {
    conversations: HashMap<ConversationId, Typists>,
    windows: DueQueue<ConversationId>,
}

/// Typing members of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typists {
    pub(crate) project: ProjectId,
    /// The audience.
    pub(crate) root: AccessRoot,
    pub(crate) members: Vec<MemberId>,
}

impl TypingRegistry {
    /// Records that a member is typing. Without room for another conversation it is ignored.
    pub(crate) fn note(&mut self, now: Timestamp, conversation: &Conversation, member: &MemberId) {
        let id = conversation.id();
        if !self.conversations.contains_key(&id) {
            if self.conversations.len() >= limits::TYPING_CONVERSATIONS_MAX {
                return;
            }
            self.windows.add(now.plus_millis(limits::PRESENCE_WINDOW_MS as u64), &id);
        }
        let typists = self.conversations.entry(id).or_insert_with(|| Typists {
            project: conversation.project_id().clone(),
            root: AccessRoot::of(conversation),
            members: Vec::new(),
        });
        if typists.members.len() < limits::TYPING_NAMES_MAX && !typists.members.contains(member) {
            typists.members.push(member.clone());
        }
    }

    /// Removes and returns the conversations to publish.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Vec<(ConversationId, Typists)> {
        let due = self.windows.take_due(now);
        due.into_iter().filter_map(|id| self.conversations.remove_entry(&id)).collect()
    }

    /// When a conversation is published next.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.windows.next()
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        conversation::{Dm, Thread},
        id::{ChannelId, DmId, MessageId, PersonId, ThreadId},
    };

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn person(number: u128) -> MemberId {
        PersonId::from_bits(number).into()
    }

    fn dm(number: u128) -> Conversation {
        Conversation::Dm(Dm {
            id: DmId::from_bits(number),
            project_id: ProjectId::from_bits(1),
            participants: vec![person(1), person(2)],
            created_at: at(0),
        })
    }

    #[test]
    fn typing_members_of_a_window_share_one_frame() {
        let mut registry = TypingRegistry::default();
        for (ms, who) in [(0, 1), (300, 2), (600, 1)] {
            registry.note(at(ms), &dm(1), &person(who));
        }
        assert_eq!((registry.take_due(at(999)), registry.next_due()), (Vec::new(), Some(at(1_000))));
        let due = registry.take_due(at(1_000));
        assert_eq!((due.len(), due[0].1.members.as_slice()), (1, [person(1), person(2)].as_slice()));
        assert_eq!((registry.take_due(at(9_000)), registry.next_due()), (Vec::new(), None));
    }

    #[test]
    fn names_and_conversations_are_bounded() {
        let mut registry = TypingRegistry::default();
        for who in 0..100 {
            registry.note(at(0), &dm(0), &person(who));
        }
        for number in 0..=limits::TYPING_CONVERSATIONS_MAX {
            registry.note(at(0), &dm(number as u128), &person(1));
        }
        let due = registry.take_due(at(1_000));
        assert_eq!(due.len(), limits::TYPING_CONVERSATIONS_MAX);
        assert!(due.iter().all(|(_, typists)| typists.members.len() <= limits::TYPING_NAMES_MAX));
    }

    #[test]
    fn the_audience_is_the_readers_of_the_conversation() {
        let mut registry = TypingRegistry::default();
        let thread = Thread {
            id: ThreadId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            channel_id: ChannelId::from_bits(9),
            root_message_id: MessageId::from_bits(1),
            created_by: Some(person(1)),
            created_at: at(0),
        };
        registry.note(at(0), &Conversation::Thread(thread), &person(1));
        assert_eq!(registry.take_due(at(1_000))[0].1.root, AccessRoot::Channel(ChannelId::from_bits(9)));
        registry.note(at(0), &dm(1), &person(1));
        assert_eq!(registry.take_due(at(1_000))[0].1.root, AccessRoot::Dm([person(1), person(2)].into()));
    }
}
