//! Unread counts: how messages change the read state.
//!
//! Counts follow the events, not the messages in them: an event from the log may contain a later state of its message,
//! and the events that led to it still follow.

use crate::{
    id::{ConversationId, MemberId},
    inbox::ReadMark,
    limits,
    message::Message,
    snapshot::{ReadState, Snapshot, SnapshotUpdate},
};

impl Snapshot {
    /// A message was posted: one more is unread, unless the reader wrote it.
    pub(super) fn count_post(&mut self, message: &Message) -> SnapshotUpdate {
        if self.reader.agent().is_some() || !self.holds(&message.to) {
            return SnapshotUpdate::Done;
        }
        let last_seq = self.reading_in(&message.to).map_or(0, |reading| reading.last_seq);
        if message.seq != last_seq + 1 {
            return SnapshotUpdate::Hole;
        }
        let reader = self.reader.clone();
        self.reading_or_new(&message.to).take_post(message, &reader);
        SnapshotUpdate::Done
    }

    /// The text of a message has changed, and perhaps whether it mentions the reader.
    pub(super) fn count_text(&mut self, message: &Message) -> SnapshotUpdate {
        let reader = self.reader.clone();
        match self.reading_in(&message.to) {
            Some(reading) if message.seq > reading.read_seq => reading.set_mention(message, &reader),
            _ => SnapshotUpdate::Done,
        }
    }

    /// A message was removed: it is no longer unread.
    pub(super) fn count_removal(&mut self, message: &Message) -> SnapshotUpdate {
        match self.reading_in(&message.to) {
            Some(reading) if message.seq > reading.read_seq => {
                reading.unread = reading.unread.saturating_sub(1);
                reading.drop_mention(message.seq)
            }
            _ => SnapshotUpdate::Done,
        }
    }

    /// A member has read up to a message.
    pub(super) fn count_read(&mut self, mark: &ReadMark) -> SnapshotUpdate {
        if mark.reader == self.reader
            && let Some(reading) = self.reading_in(&mark.conversation_id)
        {
            reading.read_seq = mark.seq.max(reading.read_seq);
            reading.unread = mark.unread;
            reading.mentions.retain(|seq| *seq > mark.seq);
        }
        SnapshotUpdate::Done
    }

    fn reading_in(&mut self, conversation: &ConversationId) -> Option<&mut ReadState> {
        self.reading.iter_mut().find(|reading| reading.conversation_id == *conversation)
    }

    fn reading_or_new(&mut self, conversation: &ConversationId) -> &mut ReadState {
        let found = self.reading.binary_search_by(|one| one.conversation_id.as_str().cmp(conversation.as_str()));
        let index = found.unwrap_or_else(|index| {
            self.reading.insert(index, ReadState::new(conversation.clone()));
            index
        });
        &mut self.reading[index]
    }
}

impl ReadState {
    /// The read state of a conversation without messages.
    fn new(conversation_id: ConversationId) -> Self {
        Self { conversation_id, last_seq: 0, read_seq: 0, unread: 0, mentions: Vec::new() }
    }

    fn take_post(&mut self, message: &Message, reader: &MemberId) {
        self.last_seq = message.seq;
        if message.from.member_id().as_ref() == Some(reader) {
            // The author of a message has read the messages above it.
            self.read_seq = message.seq;
            self.unread = 0;
            self.mentions.clear();
        } else {
            self.unread += 1;
            if mentions(message, reader) {
                self.add_mention(message.seq);
            }
        }
    }

    fn set_mention(&mut self, message: &Message, reader: &MemberId) -> SnapshotUpdate {
        if mentions(message, reader) {
            self.add_mention(message.seq);
            return SnapshotUpdate::Done;
        }
        self.drop_mention(message.seq)
    }

    fn add_mention(&mut self, seq: u64) {
        if let Err(index) = self.mentions.binary_search(&seq) {
            self.mentions.insert(index, seq);
            let surplus = self.mentions.len().saturating_sub(limits::SNAPSHOT_MENTIONS_MAX);
            self.mentions.drain(..surplus);
        }
    }

    /// Removes a mention. A full list needs a reload: an older mention may move up.
    fn drop_mention(&mut self, seq: u64) -> SnapshotUpdate {
        let Ok(index) = self.mentions.binary_search(&seq) else { return SnapshotUpdate::Done };
        let was_full = self.mentions.len() >= limits::SNAPSHOT_MENTIONS_MAX;
        self.mentions.remove(index);
        if was_full { SnapshotUpdate::Reload } else { SnapshotUpdate::Done }
    }
}

fn mentions(message: &Message, member: &MemberId) -> bool {
    message.removed_at.is_none() && message.mentions.contains(member)
}
