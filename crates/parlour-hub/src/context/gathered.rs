//! What was gathered: each thing once, with all the reasons for it.

use std::collections::{BTreeMap, BTreeSet};

use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::{ConversationId, MessageId},
    limits,
    message::Message,
    model_visibility,
};

/// Everything that comes into question for a pack.
#[derive(Default)]
pub(crate) struct Gathered {
    messages: BTreeMap<MessageId, Sighting>,
    cards: Vec<Card>,
    /// The number of the last message of each conversation that was read from its end.
    pub(super) last_seqs: BTreeMap<ConversationId, u64>,
}

/// A message, and why it comes into question.
pub(crate) struct Sighting {
    pub(crate) message: Message,
    pub(crate) reasons: BTreeSet<Reason>,
    /// Steps from the agent, or its task, in the project graph.
    pub(crate) distance: u8,
}

/// Something that was not said: a project, an agent, a task, a file.
pub(crate) struct Card {
    pub(crate) subject_type: SubjectType,
    pub(crate) id: String,
    pub(crate) section: Section,
    pub(crate) from: Option<Author>,
    pub(crate) text: String,
    pub(crate) reason: Reason,
    pub(crate) distance: u8,
    /// The conversation that it belongs to.
    pub(crate) place: Option<ConversationId>,
}

impl Gathered {
    /// Notes a message, if a model may see it and there is room for one more.
    pub(super) fn see(&mut self, message: Message, reason: Reason, distance: u8) {
        if !model_visibility::may_reach_model(&message) {
            return;
        }
        let is_full = self.len() >= limits::CONTEXT_CANDIDATES_MAX;
        match self.messages.get_mut(&message.id) {
            Some(known) => {
                known.reasons.insert(reason);
                known.distance = known.distance.min(distance);
            }
            None if is_full => {}
            None => {
                let reasons = BTreeSet::from([reason]);
                self.messages.insert(message.id.clone(), Sighting { message, reasons, distance });
            }
        }
    }

    /// Notes several messages that stand in one conversation, from its end.
    pub(super) fn see_end(&mut self, messages: Vec<Message>, reason: Reason, distance: u8) {
        if let Some(newest) = messages.iter().max_by_key(|message| message.seq) {
            self.last_seqs.insert(newest.to.clone(), newest.seq);
        }
        for message in messages {
            self.see(message, reason, distance);
        }
    }

    pub(super) fn add_card(&mut self, card: Card) {
        if self.len() < limits::CONTEXT_CANDIDATES_MAX {
            self.cards.push(card);
        }
    }

    pub(super) fn get(&self, id: &MessageId) -> Option<&Sighting> {
        self.messages.get(id)
    }

    /// The messages, by id.
    pub(super) fn sightings(&self) -> impl Iterator<Item = &Sighting> {
        self.messages.values()
    }

    pub(super) fn sightings_mut(&mut self) -> impl Iterator<Item = &mut Sighting> {
        self.messages.values_mut()
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter()
    }

    /// The messages, by id, and everything else, in the order in which it was noted.
    pub(super) fn into_parts(self) -> (Vec<Sighting>, Vec<Card>) {
        (self.messages.into_values().collect(), self.cards)
    }

    fn len(&self) -> usize {
        self.messages.len() + self.cards.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_gathered_than_a_pack_may_be_chosen_from() {
        let mut gathered = Gathered::default();
        for number in 0..limits::CONTEXT_CANDIDATES_MAX + 10 {
            gathered.add_card(Card {
                subject_type: SubjectType::Task,
                id: number.to_string(),
                section: Section::Neighbours,
                from: None,
                text: String::new(),
                reason: Reason::Peer,
                distance: 1,
                place: None,
            });
        }
        assert_eq!(gathered.into_parts().1.len(), limits::CONTEXT_CANDIDATES_MAX);
    }
}
