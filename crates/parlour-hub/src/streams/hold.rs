use parlour_core::{
    Timestamp, access::Principal, audience::AccessRoot, id::MemberId, message::Message, policy::StreamRules,
    post::PostMessage,
};

use super::{StreamBook, opening::Opening};
use crate::{Failure, Hub, ports::PostContext};

/// A place in the book for a stream whose message is being stored. Dropped, the place is free again.
pub(crate) struct StreamHold {
    book: StreamBook,
    member: MemberId,
    rules: StreamRules,
    root: AccessRoot,
}

impl Hub {
    /// Keeps a place for the stream of a post before that is stored, so that a stored one always has room.
    pub(crate) async fn hold_stream(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
    ) -> Result<Option<StreamHold>, Failure> {
        if !request.stream {
            return Ok(None);
        }
        let rules = self.stream_rules(post_context.conversation.project_id()).await?;
        let (book, member) = (self.streams.clone(), caller.member.clone());
        match book.change(|open| open.hold(&member)) {
            Ok(()) => Ok(Some(StreamHold { book, member, rules, root: AccessRoot::of(&post_context.conversation) })),
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

impl StreamHold {
    /// Opens the stream of a message that was stored. Readers hear of it when the fan-out has told the message.
    pub(crate) fn open(self, message: &Message, now: Timestamp) {
        if let Some(opening) = Opening::of(message, self.rules.clone(), self.root.clone()) {
            self.book.change(|open| open.open(opening, now));
        }
    }
}

impl Drop for StreamHold {
    fn drop(&mut self) {
        self.book.change(|open| open.release(&self.member));
    }
}
