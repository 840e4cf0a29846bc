use parlour_core::{Refusal, id::ProjectId, message::Message, policy::StreamRules};

use super::opening::Opening;
use crate::{Failure, Hub, ports::SavedStream};

impl Hub {
    /// Notes that readers have been told of a message that streams, and opens its stream if nobody has: whoever posted it may have
    /// gone away before it could. It never fails: a stream that cannot be opened now is opened by its first chunk.
    pub(crate) async fn adopt_stream(&self, message: &Message) {
        if self.streams.change_and_tell(&self.feeds, |open| open.announce(&message.id)) {
            return;
        }
        if let Err(failure) = self.open_stream(message, None).await {
            tracing::warn!(message = %message.id, cause = %failure, "a stream could not be opened");
        }
    }

    /// Opens the stream of a message that was stored some time ago, unless it is open, with what was kept of it.
    pub(crate) async fn open_stream(&self, message: &Message, kept: Option<SavedStream>) -> Result<(), Failure> {
        if self.streams.producer(&message.id).is_some() {
            return Ok(());
        }
        let rules = self.stream_rules(&message.project_id).await?;
        let root = self.root_of(&message.to).await?;
        let Some(opening) = Opening::of(message, rules, root) else { return Ok(()) };
        let opening = match kept {
            None => opening,
            Some(kept) => Opening { text: kept.text, steps: kept.steps, ..opening },
        };
        let now = self.clock.now();
        self.streams.change_and_tell(&self.feeds, |open| {
            open.open(opening, now);
            open.announce(&message.id);
        });
        Ok(())
    }

    /// How a project wants its answers streamed at this moment.
    pub(super) async fn stream_rules(&self, project: &ProjectId) -> Result<StreamRules, Failure> {
        let found = self.store.project(project).await?;
        Ok(found.ok_or_else(|| Refusal::not_found("project", project))?.policy.streams)
    }
}
