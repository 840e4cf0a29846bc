//! A project as a whole.

use parlour_core::{
    Refusal,
    access::Principal,
    audience::{AccessRoot, Audience},
    id::ProjectId,
    message::State,
    scope::Scope,
    snapshot::Snapshot,
    stream::Running,
};

use crate::{Failure, Hub};

impl Hub {
    /// Reads a project as the caller sees it, with the position to go on from, running answers and who is there.
    pub async fn snapshot(&self, caller: &Principal, project: &ProjectId) -> Result<Snapshot, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, project).await?;
        let found = self.store.snapshot(project, caller).await?;
        let snapshot = found.ok_or_else(|| Refusal::not_found("project", project))?;
        let streams = self.running_in(&snapshot).await?;
        Ok(Snapshot { streams, presence: self.presence.presence_in(project), ..snapshot })
    }

    /// The answers that are being written where the reader of the snapshot may read, by the ids of their messages.
    async fn running_in(&self, snapshot: &Snapshot) -> Result<Vec<Running>, Failure> {
        let running = self.streams.registry.with_running(&snapshot.project.id, |running| running);
        let mut seen = Vec::new();
        for (_, stream) in running.into_iter().filter(|(audience, _)| is_inside(snapshot, audience)) {
            // The book forgets a stream a little later than the store knows its end. If the snapshot has that end
            // already, no event would ever take the stream away again.
            let message = self.store.message(&stream.message_id).await?;
            if message.is_some_and(|message| message.state == State::Streaming) {
                seen.push(stream);
            }
        }
        seen.sort_by(|one, other| one.message_id.cmp(&other.message_id));
        Ok(seen)
    }
}

/// Whether the reader of the snapshot, as it stands there, is within the audience.
fn is_inside(snapshot: &Snapshot, audience: &Audience) -> bool {
    match audience {
        Audience::Project => true,
        Audience::Only(member) => *member == snapshot.reader,
        Audience::Readers(root) | Audience::ReadersAnd(root, _) => match root {
            AccessRoot::Channel(id) => snapshot.channels.iter().any(|channel| channel.id == *id),
            AccessRoot::Dm(participants) => participants.contains(&snapshot.reader),
        },
    }
}
