//! Files of the task and the conversation as candidates.

use std::sync::Arc;

use parlour_core::{
    artifact::{Artifact, ContentHash},
    context::{Reason, Section, SubjectType},
    id::{ArtifactId, MessageId},
    limits,
    mention::Roster,
};
use tokio::io::AsyncReadExt as _;

use super::{Card, Gatherer, related::author};
use crate::{Failure, Fault, context::ContextService};

/// Files in one pack.
const FILES_MAX: usize = 30;
/// Bytes of a file that are read: enough for the characters of one candidate.
const TEXT_BYTES_MAX: usize = 4 * limits::CONTEXT_ITEM_CHARS_MAX;
/// File texts that are cached.
pub(in crate::context) const CACHED_FILES_MAX: usize = 500;

/// Text formats whose media type does not start with `text/`.
const TEXT_TYPES: &[&str] = &[
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/javascript",
    "application/typescript",
    "application/sql",
    "application/x-sh",
    "application/graphql",
];

impl Gatherer<'_> {
    /// Adds the files of the task, of the conversation, and of messages there.
    pub(super) async fn add_files(&mut self) -> Result<(), Failure> {
        let roster = self.service.projects.roster(&self.query.project.id).await?;
        for artifact in self.files().await? {
            let Some(card) = self.file_card(artifact, &roster).await? else { continue };
            self.gathered.add_card(card);
        }
        Ok(())
    }

    /// Newest first, each once.
    async fn files(&mut self) -> Result<Vec<Artifact>, Failure> {
        let mut files = self.attached_files().await?;
        let (conversation, task) = (self.query.conversation_id(), self.query.task.as_ref().map(|task| task.id.clone()));
        if conversation.is_some() || task.is_some() {
            let (project, readers) = (&self.query.project.id, self.viewer.readers());
            let related = self.service.store.related_artifacts(
                project,
                conversation.as_ref(),
                task.as_ref(),
                &readers,
                FILES_MAX,
            );
            files.extend(related.await?);
        }
        files.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
        files.dedup_by(|one, other| one.id == other.id);
        files.truncate(FILES_MAX);
        Ok(files)
    }

    /// The files attached to messages of the conversation, the task, and the messages to answer.
    async fn attached_files(&self) -> Result<Vec<Artifact>, Failure> {
        let conversation = self.query.conversation_id();
        let mut attached: Vec<(u64, MessageId, ArtifactId)> = Vec::new();
        for found in self.gathered.messages() {
            let message = &found.message;
            let is_near = Some(&message.to) == conversation.as_ref() || found.distance == 0;
            if is_near {
                let ids = message.artifacts.iter().cloned();
                attached.extend(ids.map(|id| (message.seq, message.id.clone(), id)));
            }
        }
        attached.sort_by(|one, other| other.cmp(one));
        let mut files = Vec::new();
        for (_, _, id) in attached.into_iter().take(FILES_MAX) {
            files.extend(self.service.store.artifact(&id).await?);
        }
        Ok(files)
    }

    /// The card of a file that the viewer may see.
    async fn file_card(&mut self, artifact: Artifact, roster: &Roster) -> Result<Option<Card>, Failure> {
        if artifact.project_id != self.query.project.id {
            return Ok(None);
        }
        if let Some(conversation) = &artifact.conversation_id
            && !self.viewer.may_read(&self.service.access, conversation).await?
        {
            return Ok(None);
        }
        let content =
            if is_text(&artifact.media_type) { self.service.file_text(&artifact.sha256).await? } else { "".into() };
        let is_of_task = self.query.task.as_ref().is_some_and(|task| artifact.task_id.as_ref() == Some(&task.id));
        let head = format!("{} ({}, {} bytes)", artifact.filename, artifact.media_type, artifact.size);
        Ok(Some(Card {
            subject_type: SubjectType::Artifact,
            id: artifact.id.to_string(),
            section: Section::Artifacts,
            from: author(&artifact.created_by, roster),
            text: format!("{head}\n{content}").trim_end().to_owned(),
            reason: Reason::Artifact,
            distance: u8::from(!is_of_task),
            conversation_id: artifact.conversation_id,
        }))
    }
}

impl ContextService {
    /// The beginning of a stored text file; empty if the content is gone.
    async fn file_text(&self, hash: &ContentHash) -> Result<Arc<str>, Failure> {
        let load = async {
            let Some(content) = self.blobs.open(hash, 0).await? else { return Ok(None) };
            let mut bytes = Vec::new();
            let read = content.take(TEXT_BYTES_MAX as u64).read_to_end(&mut bytes).await;
            read.map_err(|error| Fault::new(format!("read the content {hash}"), error))?;
            let text = String::from_utf8_lossy(&bytes);
            let text: String = text.chars().take(limits::CONTEXT_ITEM_CHARS_MAX).collect();
            Ok(Some(Arc::from(text)))
        };
        Ok(self.caches.files.get_or_load(hash, load).await?.unwrap_or_else(|| "".into()))
    }
}

fn is_text(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_suffixed = essence.ends_with("+json") || (essence.ends_with("+xml") && essence != "image/svg+xml");
    essence.starts_with("text/") || is_suffixed || TEXT_TYPES.contains(&essence.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_files_are_recognised_by_media_type() {
        for media_type in ["text/plain", "text/markdown; charset=utf-8", "Application/JSON", "application/ld+json"] {
            assert!(is_text(media_type), "{media_type}");
        }
        for media_type in ["image/png", "image/svg+xml", "application/pdf", "application/octet-stream", "texture/x"] {
            assert!(!is_text(media_type), "{media_type}");
        }
    }
}
