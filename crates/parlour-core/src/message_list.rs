//! Message lists: the messages of one conversation that a client has loaded, updated by events and chunks.
//!
//! This is the model for clients in other languages. Events and chunks may arrive twice, and events of the log may show
//! messages as they are now: after the last event the list equals the history. Only the order of reactions may differ,
//! because events do not contain it.

use std::collections::VecDeque;

use crate::{
    conversation::Thread,
    event::{Change, Event, ReactionMark},
    id::{ConversationId, MessageId},
    limits,
    message::{Message, State},
    question::Question,
    reaction::Reaction,
    stream::{Chunk, StreamSnapshot},
};

/// The loaded messages of one conversation: a contiguous part of its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageList {
    conversation_id: ConversationId,
    messages: VecDeque<Message>,
    reach: LoadedRange,
}

/// The range of the loaded messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadedRange {
    /// To the newest message, so new ones are added.
    Newest,
    /// To an older message.
    Older,
}

/// The result of applying an event to the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListUpdate {
    /// The list was changed.
    Done,
    /// The list already contained it.
    Known,
    /// It concerns no loaded message.
    Elsewhere,
    /// Messages are missing before it: read those after this number.
    Missing {
        /// The number of the last message that is loaded; 0 when there is none.
        after: u64,
    },
    /// A chunk does not match the current text: load the message or its stream again.
    Misplaced,
}

impl MessageList {
    /// A list of these messages, oldest first, as one read of the history returns them.
    pub fn new(conversation_id: ConversationId, messages: Vec<Message>, reach: LoadedRange) -> Self {
        let mut message_list = Self { conversation_id, messages: messages.into(), reach };
        message_list.trim();
        message_list
    }

    /// The conversation.
    pub fn conversation_id(&self) -> &ConversationId {
        &self.conversation_id
    }

    /// The range of the loaded messages.
    pub fn reach(&self) -> LoadedRange {
        self.reach
    }

    /// The messages, oldest first; at most `TIMELINE_MESSAGES_MAX`.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.messages.iter()
    }

    /// Applies an event.
    pub fn apply(&mut self, event: &Event) -> ListUpdate {
        match &event.change {
            Change::MessagePosted(message) => self.add(message),
            Change::MessageEdited(message) | Change::MessageFinished(message) | Change::MessageRemoved(message) => {
                self.replace(message)
            }
            Change::Reacted(mark) => self.change(&mark.message_id, |message| react(message, mark)),
            Change::Unreacted(mark) => self.change(&mark.message_id, |message| unreact(message, mark)),
            Change::QuestionChanged(mark) => self.change(&mark.message_id, |message| ask(message, &mark.question)),
            Change::ThreadCreated(thread) => self.change(&thread.root_message_id, |message| link(message, thread)),
            _ => ListUpdate::Elsewhere,
        }
    }

    /// Appends a chunk. Of a chunk that is partly there, with the same text, the rest is appended.
    pub fn apply_chunk(&mut self, chunk: &Chunk) -> ListUpdate {
        self.change(&chunk.message_id, |message| match message.state {
            State::Streaming => grow(&mut message.body, chunk),
            _ => ListUpdate::Known,
        })
    }

    /// Applies the state of an open stream: the whole text and the steps so far.
    pub fn apply_stream(&mut self, running: &StreamSnapshot) -> ListUpdate {
        self.change(&running.message_id, |message| {
            let is_newer = message.body != running.text || message.steps != running.steps;
            if message.state != State::Streaming || !is_newer {
                return ListUpdate::Known;
            }
            message.body.clone_from(&running.text);
            message.steps.clone_from(&running.steps);
            ListUpdate::Done
        })
    }

    fn add(&mut self, message: &Message) -> ListUpdate {
        if message.to != self.conversation_id || self.reach == LoadedRange::Older {
            return ListUpdate::Elsewhere;
        }
        let last = self.messages.back().map_or(0, |last| last.seq);
        if message.seq <= last {
            // The loaded message is at least as new as this one, and later events bring it up to date.
            return ListUpdate::Known;
        }
        if message.seq != last + 1 {
            return ListUpdate::Missing { after: last };
        }
        self.messages.push_back(message.clone());
        self.trim();
        ListUpdate::Done
    }

    fn replace(&mut self, newer: &Message) -> ListUpdate {
        self.change(&newer.id, |message| {
            if message == newer {
                return ListUpdate::Known;
            }
            message.clone_from(newer);
            ListUpdate::Done
        })
    }

    fn change(&mut self, id: &MessageId, change: impl FnOnce(&mut Message) -> ListUpdate) -> ListUpdate {
        // Most changes concern the newest messages.
        let found = self.messages.iter_mut().rev().find(|message| message.id == *id);
        found.map_or(ListUpdate::Elsewhere, change)
    }

    fn trim(&mut self) {
        let surplus = self.messages.len().saturating_sub(limits::TIMELINE_MESSAGES_MAX);
        self.messages.drain(..surplus);
    }
}

fn react(message: &mut Message, mark: &ReactionMark) -> ListUpdate {
    if message.removed_at.is_some() {
        return ListUpdate::Known;
    }
    match message.reactions.iter_mut().find(|reaction| reaction.emoji == mark.emoji) {
        Some(reaction) if reaction.members.contains(&mark.member_id) => return ListUpdate::Known,
        Some(reaction) => reaction.members.push(mark.member_id.clone()),
        None => {
            message.reactions.push(Reaction { emoji: mark.emoji.clone(), members: vec![mark.member_id.clone()] });
        }
    }
    ListUpdate::Done
}

fn unreact(message: &mut Message, mark: &ReactionMark) -> ListUpdate {
    let found = message.reactions.iter_mut().find(|reaction| reaction.emoji == mark.emoji);
    let Some(reaction) = found.filter(|reaction| reaction.members.contains(&mark.member_id)) else {
        return ListUpdate::Known;
    };
    reaction.members.retain(|member| *member != mark.member_id);
    message.reactions.retain(|reaction| !reaction.members.is_empty());
    ListUpdate::Done
}

fn ask(message: &mut Message, question: &Question) -> ListUpdate {
    if message.removed_at.is_some() || message.question.as_ref() == Some(question) {
        return ListUpdate::Known;
    }
    message.question = Some(question.clone());
    ListUpdate::Done
}

fn link(message: &mut Message, thread: &Thread) -> ListUpdate {
    if message.thread_id.as_ref() == Some(&thread.id) {
        return ListUpdate::Known;
    }
    message.thread_id = Some(thread.id.clone());
    ListUpdate::Done
}

/// Appends the part of a chunk that is beyond the text. A reader that joins during a stream may have a part of it.
fn grow(text: &mut String, chunk: &Chunk) -> ListUpdate {
    let Some(index) = byte_of_char(text, chunk.start) else { return ListUpdate::Misplaced };
    let there = &text[index..];
    if there.starts_with(chunk.text.as_str()) {
        return ListUpdate::Known;
    }
    let Some(rest) = chunk.text.strip_prefix(there) else { return ListUpdate::Misplaced };
    text.push_str(rest);
    ListUpdate::Done
}

/// The byte index of the character with this number, or of the end of the text.
fn byte_of_char(text: &str, number: u64) -> Option<usize> {
    let number = usize::try_from(number).ok()?;
    text.char_indices().map(|(index, _)| index).chain([text.len()]).nth(number)
}

#[cfg(test)]
mod tests;
