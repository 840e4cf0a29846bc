use parlour_core::{
    Timestamp, access::Principal, audience::AccessRoot, id::MemberId, message::Message, policy::StreamRules,
    post::PostMessage,
};

use super::{StreamRegistry, new_stream::NewStream};
use crate::{Failure, Hub, ports::PostContext};

/// A place in the book for a stream whose message is being stored. Dropped, the place is free again.
pub(crate) struct StreamReservation {
    book: StreamRegistry,
    member: MemberId,
    rules: StreamRules,
    root: AccessRoot,
}

impl Hub {
    /// Keeps a place for the stream of a post before that is stored, so that a stored one always has room.
    pub(crate) async fn reserve_stream(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
    ) -> Result<Option<StreamReservation>, Failure> {
        if !request.stream {
            return Ok(None);
        }
        let rules = self.stream_rules(post_context.conversation.project_id()).await?;
        let (book, member) = (self.streams.clone(), caller.member.clone());
        match book.update(|open| open.reserve(&member)) {
            Ok(()) => Ok(Some(StreamReservation { book, member, rules, root: AccessRoot::of(&post_context.conversation) })),
            // A repeated post needs no room: it only asks for the first answer.
            Err(_) if self.is_posted(request).await? => Ok(None),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn is_posted(&self, request: &PostMessage) -> Result<bool, Failure> {
        match &request.id {
            None => Ok(false),
            Some(id) => Ok(self.store.message(id).await?.is_some()),
        }
    }
}

impl StreamReservation {
    /// Opens the stream of a message that was stored. Readers hear of it when the fan-out has told the message.
    pub(crate) fn open(self, message: &Message, now: Timestamp) {
        if let Some(new_stream) = NewStream::of(message, self.rules.clone(), self.root.clone()) {
            self.book.update(|open| open.open(new_stream, now));
        }
    }
}

impl Drop for StreamReservation {
    fn drop(&mut self) {
        self.book.update(|open| open.release(&self.member));
    }
}
