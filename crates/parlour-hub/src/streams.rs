//! The book of streams: the answers that are being written, and when each has to be told, kept or ended.
//!
//! A message that streams is in the store from the beginning; its growing text is only here. Pieces are gathered for a
//! window and then told as one chunk, under the lock of the book, so that a reader who joins under the same lock sees
//! neither a hole nor a double. An end is decided by the store alone; the book only stops the growth while it is tried.

mod adopt;
mod alarms;
mod end_attempt;
mod drive;
mod end;
mod reserve;
mod left;
mod open_stream;
mod open_streams;
mod new_stream;
mod steps;

use std::sync::Arc;

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal,
    audience::Audience,
    id::{ConversationId, MemberId, MessageId, ProjectId},
    message::{Message, State},
    stream::Running,
};

use self::{alarms::Alarms, open_streams::OpenStreams};
pub(crate) use self::{
    end_attempt::EndAttempt,
    end::StreamEnd,
    open_stream::{OpenStream, PendingFrame},
};
use crate::{Failure, Hub, live::Feeds};

/// The book of streams. Copies are the same book.
#[derive(Clone, Default)]
pub(crate) struct StreamRegistry(Arc<Shared>);

#[derive(Default)]
struct Shared {
    open: Mutex<OpenStreams>,
    alarms: Alarms,
}

impl StreamRegistry {
    /// Runs `look` with the open answers of a project as their readers know them. Nothing is told meanwhile, so
    /// whoever takes a place in the feed inside of `look` goes on exactly after these texts.
    pub(crate) fn with_running<T>(&self, project: &ProjectId, look: impl FnOnce(Vec<(Audience, Running)>) -> T) -> T {
        let open = self.0.open.lock();
        look(open.running(project))
    }

    /// Who writes this answer and where, while it is open.
    pub(crate) fn producer(&self, id: &MessageId) -> Option<(MemberId, ConversationId)> {
        let open = self.0.open.lock();
        open.get(id).map(|stream| (stream.author().clone(), stream.conversation_id().clone()))
    }

    /// Changes the book without telling anybody anything.
    fn update<T>(&self, act: impl FnOnce(&mut OpenStreams) -> T) -> T {
        let mut open = self.0.open.lock();
        let before = open.next_times();
        let outcome = act(&mut open);
        self.0.alarms.ring_for(before, open.next_times());
        outcome
    }

    /// Changes the book and tells readers what follows from it, in order and before anybody else can change it.
    pub(crate) fn update_and_publish<T>(&self, feeds: &Feeds, act: impl FnOnce(&mut OpenStreams) -> T) -> T {
        self.update(|open| {
            let outcome = act(open);
            for pending_frame in open.take_pending_frames() {
                feeds.publish_ephemeral(&pending_frame.project_id, pending_frame.audience, &pending_frame.frame);
            }
            outcome
        })
    }
}

impl Hub {
    /// Shows a message that streams with the text and the steps so far.
    pub(crate) async fn fill_streaming_text(&self, message: &mut Message) -> Result<(), Failure> {
        if message.state != State::Streaming {
            return Ok(());
        }
        let text_and_steps = self.streams.0.open.lock().get(&message.id).map(OpenStream::text_and_steps);
        match text_and_steps {
            Some(text_and_steps) => (message.body, message.steps) = text_and_steps,
            // It has ended since it was read: without a second look its text would seem to be gone.
            None => *message = self.store.message(&message.id).await?.unwrap_or_else(|| message.clone()),
        }
        Ok(())
    }

    /// Drops a stream whose message has ended; whatever of it was not told yet never is.
    pub(crate) fn forget_stream(&self, id: &MessageId) {
        self.streams.update(|open| open.remove(id));
    }
}

/// Refuses to write on at an answer that has ended in this way.
pub(crate) fn refuse_ended(id: &MessageId, state: State) -> Refusal {
    let how = match state {
        State::Streaming => "being ended",
        State::Complete => "complete",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Interrupted => "interrupted",
    };
    Refusal::new(Code::StreamEnded, format!("the answer {id} is {how}: nothing can be added to it"))
}

#[cfg(test)]
mod tests;
