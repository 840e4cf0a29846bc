use parlour_core::{
    Code,
    id::MessageId,
    message::{Message, State},
    step::Step,
    write::Appended,
};

use super::StreamRegistry;
use crate::{Failure, live::Feeds};

/// A stream whose end is being tried: its text does not grow. Dropped without an outcome, it goes on.
pub(crate) struct EndAttempt {
    book: StreamRegistry,
    message_id: MessageId,
    /// The text so far.
    pub(crate) text: String,
    /// The steps so far.
    pub(crate) steps: Vec<Step>,
    has_ended: bool,
}

impl StreamRegistry {
    /// Stops the growth of a message's stream while an end is tried; readers are told what they do not know yet.
    pub(crate) fn close(&self, feeds: &Feeds, message: &Message, state: State) -> Option<EndAttempt> {
        let message_id = message.id.clone();
        let (text, steps) = self.update_and_publish(feeds, |open| open.close(&message_id, state))?;
        Some(EndAttempt { book: self.clone(), message_id, text, steps, has_ended: false })
    }
}

impl EndAttempt {
    /// Takes what the store has answered: the stream is forgotten when it has ended, in this way or another.
    pub(crate) fn settle(mut self, outcome: &Result<Appended, Failure>) {
        self.has_ended = match outcome {
            Ok(_) => true,
            Err(failure) => is_already_ended(failure),
        };
    }
}

/// Whether a failed end tells that the stream has ended already, or that there is none.
pub(super) fn is_already_ended(failure: &Failure) -> bool {
    failure.refusal().is_some_and(|no| matches!(no.code, Code::StreamEnded | Code::Removed | Code::NotFound))
}

impl Drop for EndAttempt {
    fn drop(&mut self) {
        let (id, has_ended) = (&self.message_id, self.has_ended);
        self.book.update(|open| if has_ended { open.remove(id) } else { open.reopen(id) });
    }
}
