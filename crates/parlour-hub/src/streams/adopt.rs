use parlour_core::{
    Refusal,
    id::{MessageId, ProjectId},
    message::Message,
    policy::StreamRules,
};

use super::{StreamRegistry, new_stream::NewStream};
use crate::{Failure, Hub, live::Feeds, ports::SavedStream};

impl StreamRegistry {
    /// Tells readers of a message that streams by `put`, and notes in the same step that they know it: an answer that
    /// ends right after its message was heard has its pieces told before its end.
    pub(crate) fn announce_with(&self, feeds: &Feeds, id: &MessageId, put: impl FnOnce()) {
        self.update_and_publish(feeds, |open| {
            put();
            open.announce(id);
        });
    }
}

impl Hub {
    /// Notes that readers have been told of a message that streams, and opens its stream if nobody has: whoever posted
    /// it may have gone away before it could. It never fails: what cannot be opened now is opened by its first chunk.
    pub(crate) async fn announce_stream(&self, message: &Message) {
        if self.streams.update_and_publish(&self.feeds, |open| open.announce(&message.id)) {
            return;
        }
        if let Err(failure) = self.open_stream(message, None).await {
            tracing::warn!(message = %message.id, cause = %failure, "a stream could not be opened");
        }
    }

    /// Opens the stream of a message that readers are about to be told of. It never fails either.
    pub(crate) async fn prepare_stream(&self, message: &Message) {
        if let Err(failure) = self.open_unannounced(message, None).await {
            tracing::warn!(message = %message.id, cause = %failure, "a stream could not be opened");
        }
    }

    /// Opens the stream of a message that was stored some time ago, unless it is open, with what was kept of it.
    pub(crate) async fn open_stream(&self, message: &Message, kept: Option<SavedStream>) -> Result<(), Failure> {
        if self.streams.producer(&message.id).is_some() {
            return Ok(());
        }
        self.open_unannounced(message, kept).await?;
        self.streams.update_and_publish(&self.feeds, |open| open.announce(&message.id));
        Ok(())
    }

    async fn open_unannounced(&self, message: &Message, kept: Option<SavedStream>) -> Result<(), Failure> {
        if self.streams.producer(&message.id).is_some() {
            return Ok(());
        }
        let rules = self.stream_rules(&message.project_id).await?;
        let root = self.root_of(&message.to).await?;
        let Some(new_stream) = NewStream::of(message, rules, root) else { return Ok(()) };
        let new_stream = match kept {
            None => new_stream,
            Some(kept) => NewStream { text: kept.text, steps: kept.steps, ..new_stream },
        };
        let now = self.clock.now();
        self.streams.update(|open| open.open(new_stream, now));
        Ok(())
    }

    /// How a project wants its answers streamed at this moment.
    pub(super) async fn stream_rules(&self, project: &ProjectId) -> Result<StreamRules, Failure> {
        let found = self.store.project(project).await?;
        Ok(found.ok_or_else(|| Refusal::not_found("project", project))?.policy.streams)
    }
}
