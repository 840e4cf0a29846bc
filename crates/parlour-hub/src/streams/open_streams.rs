//! All open streams as a state machine without I/O.

use std::collections::{HashMap, VecDeque};

use parlour_core::{
    Code, Refusal, Timestamp,
    audience::Audience,
    id::{MemberId, MessageId, ProjectId},
    limits,
    message::State,
    step::Step,
    stream::Running,
};

use crate::{
    ports::SavedStream,
    streams::{
        StreamLease,
        open_stream::{NewStream, OpenStream, PendingFrame},
    },
    timers::{DueQueue, ExpiredLease, Leases},
};

/// How long after the first change texts are saved.
const SAVE_MS: u64 = limits::STREAM_SAVE_SECONDS as u64 * 1_000;
/// How long after a failure an end or a save is retried.
const RETRY_MS: u64 = SAVE_MS;

/// All open streams: a state machine without I/O. The caller passes the time.
///
/// Frames to publish are collected until `take_pending_frames`.
#[derive(Debug, Default)]
pub(crate) struct OpenStreams {
    streams: HashMap<MessageId, OpenStream>,
    /// Number of open streams and reservations by member.
    per_member: HashMap<MemberId, usize>,
    /// Reservations for messages that are being stored.
    held: usize,
    /// When windows end.
    windows: DueQueue<MessageId>,
    leases: Leases<MessageId>,
    save_at: Option<Timestamp>,
    /// The streams that ended most recently, so that a late request does not open them again.
    ended: VecDeque<MessageId>,
    pending_frames: Vec<PendingFrame>,
}

/// The next deadline of each kind; none where nothing is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NextTimes {
    /// When a window ends.
    pub(super) window: Option<Timestamp>,
    /// When a lease is checked.
    pub(super) lease: Option<Timestamp>,
    /// When changed texts are saved.
    pub(super) save: Option<Timestamp>,
}

impl OpenStreams {
    pub(super) fn get(&self, id: &MessageId) -> Option<&OpenStream> {
        self.streams.get(id)
    }

    /// Reserves room for a stream of this member, or refuses.
    pub(super) fn reserve(&mut self, member: &MemberId) -> Result<(), Refusal> {
        let of_member = self.per_member.get(member).copied().unwrap_or(0);
        let bounds = [
            (of_member, limits::STREAMS_PER_MEMBER_MAX, "you write"),
            (self.streams.len() + self.held, limits::STREAMS_MAX, "all members together write"),
        ];
        for (count, most, who) in bounds {
            if count >= most {
                let detail = format!("{who} {count} answers at once; at most {most} may be open");
                return Err(Refusal::new(Code::Full, detail).at("stream"));
            }
        }
        self.held += 1;
        self.count(member);
        Ok(())
    }

    /// Releases a reservation.
    pub(super) fn release(&mut self, member: &MemberId) {
        self.held -= 1;
        self.uncount(member);
    }

    /// Opens a stream unless it is open or has ended. The message is stored, so there is always room.
    pub(super) fn open(&mut self, new_stream: NewStream, now: Timestamp) {
        let id = new_stream.message_id.clone();
        if self.streams.contains_key(&id) || self.ended.contains(&id) {
            return;
        }
        self.count(&new_stream.author);
        let lease_until = self.leases.renew(&id, new_stream.rules.lease_seconds, now);
        self.streams.insert(id, OpenStream::new(new_stream, lease_until));
    }

    /// Marks that the message was published; returns whether the stream is open.
    pub(super) fn announce(&mut self, id: &MessageId) -> bool {
        let Some(stream) = self.streams.get_mut(id) else { return false };
        stream.announce(&mut self.pending_frames);
        self.note_window(id);
        true
    }

    /// Marks the messages of all open streams as published.
    pub(super) fn announce_all(&mut self) {
        let ids: Vec<MessageId> = self.streams.keys().cloned().collect();
        for id in ids {
            self.announce(&id);
        }
    }

    /// Applies a change of the producer to an open stream and renews its lease.
    pub(crate) fn write<T>(
        &mut self,
        id: &MessageId,
        now: Timestamp,
        act: impl FnOnce(&mut OpenStream, &mut Vec<PendingFrame>) -> Result<T, Refusal>,
    ) -> Option<Result<(T, StreamLease), Refusal>> {
        let stream = self.streams.get_mut(id)?;
        let window = stream.window_until();
        let outcome = stream.check_grows().and_then(|()| act(stream, &mut self.pending_frames)).map(|done| {
            stream.lease_until = self.leases.renew(id, stream.lease_seconds(), now);
            (done, stream.lease())
        });
        if stream.is_changed() {
            self.save_at.get_or_insert_with(|| now.plus_millis(SAVE_MS));
        }
        self.forget_window(id, window);
        self.note_window(id);
        Some(outcome)
    }

    /// Stops the growth of a stream while an end is attempted; returns its text and steps.
    pub(super) fn close(&mut self, id: &MessageId, state: State) -> Option<(String, Vec<Step>)> {
        let stream = self.streams.get_mut(id)?;
        let window = stream.window_until();
        stream.close(state, &mut self.pending_frames);
        let text_and_steps = stream.text_and_steps();
        self.forget_window(id, window);
        Some(text_and_steps)
    }

    /// Continues a stream whose end has failed.
    pub(super) fn reopen(&mut self, id: &MessageId) {
        if let Some(stream) = self.streams.get_mut(id) {
            stream.reopen();
            self.note_window(id);
        }
    }

    /// Removes a stream that has ended.
    pub(super) fn remove(&mut self, id: &MessageId) {
        let Some(stream) = self.streams.remove(id) else { return };
        self.forget_window(id, stream.window_until());
        self.leases.remove(id);
        self.uncount(stream.author());
        self.ended.push_back(id.clone());
        if self.ended.len() > limits::STREAMS_MAX {
            self.ended.pop_front();
        }
    }

    /// The open streams of a project as published so far.
    pub(super) fn running(&self, project: &ProjectId) -> Vec<(Audience, Running)> {
        let mut found: Vec<_> = self.streams.values().filter(|one| one.project_id() == project).collect();
        // Ids grow with age.
        found.sort_unstable_by_key(|stream| stream.lease().message_id);
        found.into_iter().map(OpenStream::published_state).collect()
    }

    /// Publishes the text of windows that have ended.
    pub(super) fn flush_due_windows(&mut self, now: Timestamp) {
        for id in self.windows.take_due(now) {
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.flush(&mut self.pending_frames);
            }
        }
    }

    /// Streams with an expired lease. A stream that does not end now is checked again.
    pub(super) fn take_expired(&mut self, now: Timestamp) -> Vec<ExpiredLease<MessageId>> {
        let mut expired = self.leases.take_expired(now);
        for one in &expired {
            self.leases.check_again(one, now.plus_millis(RETRY_MS));
        }
        expired.retain(|one| self.streams.get(&one.key).is_some_and(|stream| !stream.is_closing()));
        expired
    }

    /// Streams that changed since the last save, with their change counts. They count as changed until `mark_saved`.
    pub(super) fn take_unsaved(&mut self) -> Vec<(SavedStream, u64)> {
        self.save_at = None;
        self.streams.values().filter_map(OpenStream::unsaved).collect()
    }

    /// Marks that these streams were saved with these change counts.
    pub(super) fn mark_saved(&mut self, kept: &[(MessageId, u64)]) {
        for (id, changes) in kept {
            if let Some(stream) = self.streams.get_mut(id) {
                stream.mark_saved(*changes);
            }
        }
    }

    /// Schedules another save after a failure.
    pub(super) fn retry_save(&mut self, now: Timestamp) {
        self.save_at.get_or_insert_with(|| now.plus_millis(RETRY_MS));
    }

    pub(super) fn next_times(&self) -> NextTimes {
        NextTimes { window: self.windows.next(), lease: self.leases.next_check(), save: self.save_at }
    }

    /// Removes and returns the frames to publish, in order.
    pub(super) fn take_pending_frames(&mut self) -> Vec<PendingFrame> {
        std::mem::take(&mut self.pending_frames)
    }

    fn note_window(&mut self, id: &MessageId) {
        if let Some(at) = self.streams.get(id).and_then(OpenStream::window_until) {
            self.windows.add(at, id);
        }
    }

    fn forget_window(&mut self, id: &MessageId, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.windows.remove(at, id);
        }
    }

    fn count(&mut self, member: &MemberId) {
        *self.per_member.entry(member.clone()).or_default() += 1;
    }

    fn uncount(&mut self, member: &MemberId) {
        if let Some(count) = self.per_member.get_mut(member) {
            *count -= 1;
            if *count == 0 {
                self.per_member.remove(member);
            }
        }
    }
}

#[cfg(test)]
mod tests;
