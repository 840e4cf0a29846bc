//! Artifacts: uploading, reading and listing files.

use std::sync::Arc;

use parlour_core::{
    Refusal,
    access::Principal,
    artifact::Artifact,
    event::Change,
    id::{ArtifactId, ConversationId, ProjectId, TaskId},
    limits,
    paging::{Page, PageRequest},
    scope::Scope,
    write::Write,
};

use crate::{
    Failure, Fault,
    access::Access,
    event_writer::EventWriter,
    failure::{replace_refusal, unexpected_change},
    infrastructure::Infrastructure,
    ports::{BlobReader, Blobs, Clock, Ids, Store},
};

/// A request to store a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArtifact {
    pub project_id: ProjectId,
    pub filename: String,
    /// As stated by the uploader.
    pub media_type: String,
    /// Only the readers of this conversation see it, wherever it is attached. It is required: a file without one would be
    /// visible to the whole project as soon as it is uploaded, before it is attached in a private channel.
    pub conversation_id: ConversationId,
    /// The task that produced it.
    pub task_id: Option<TaskId>,
}

/// A file that the caller may read.
pub struct ArtifactDownload {
    pub artifact: Artifact,
    blobs: Arc<dyn Blobs>,
}

impl ArtifactDownload {
    /// Opens the content at the byte `start`.
    pub async fn open(&self, start: u64) -> Result<BlobReader, Failure> {
        let Artifact { id, sha256, .. } = &self.artifact;
        let lost = || Fault::new(format!("open the content of {id}"), "the file is not in the blob folder");
        Ok(self.blobs.open(sha256, start).await?.ok_or_else(lost)?)
    }
}

/// Stores, lists and opens artifacts.
pub(crate) struct ArtifactService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) blobs: Arc<dyn Blobs>,
    pub(super) writer: EventWriter,
}

impl ArtifactService {
    pub(crate) fn new(parts: &Infrastructure) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            blobs: Arc::clone(&parts.ports.blobs),
            writer: parts.writer.clone(),
        }
    }
}

impl ArtifactService {
    /// Stores a file of at most `ARTIFACT_BYTES_MAX` bytes. The content is durable before the record is written.
    pub(crate) async fn create_artifact(
        &self,
        caller: &Principal,
        request: NewArtifact,
        content: BlobReader,
    ) -> Result<Artifact, Failure> {
        self.access.require_scope(caller, Scope::ArtifactsWrite)?;
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        self.check_artifact_refs(caller, &request).await?;
        parlour_core::artifact::check_filename(&request.filename)?;
        parlour_core::artifact::check_media_type(&request.media_type)?;
        let stored = self.blobs.put(content, limits::ARTIFACT_BYTES_MAX as u64).await?;
        let artifact = Artifact {
            id: ArtifactId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            filename: request.filename,
            media_type: request.media_type,
            size: stored.size,
            sha256: stored.hash,
            conversation_id: Some(request.conversation_id),
            task_id: request.task_id,
            created_by: caller.member.clone(),
            created_at: self.clock.now(),
        };
        match self.writer.append(caller, &project.id, Write::CreateArtifact(artifact)).await?.change {
            Change::ArtifactCreated(artifact) => Ok(*artifact),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads the record of a file.
    pub(crate) async fn artifact(&self, caller: &Principal, id: &ArtifactId) -> Result<Artifact, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_artifact(caller, id).await
    }

    /// Finds a file for reading.
    pub(crate) async fn download_artifact(
        &self,
        caller: &Principal,
        id: &ArtifactId,
    ) -> Result<ArtifactDownload, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let artifact = self.artifact(caller, id).await?;
        Ok(ArtifactDownload { artifact, blobs: Arc::clone(&self.blobs) })
    }

    /// Lists the files of a project that the caller may see.
    pub(crate) async fn artifacts(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Artifact>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.artifacts(project, caller, page).await
    }

    async fn check_artifact_refs(&self, caller: &Principal, request: &NewArtifact) -> Result<(), Failure> {
        let id = &request.conversation_id;
        let refuse = || Refusal::not_found("conversation", id).at("conversation_id");
        let (conversation, _) =
            self.access.load_visible_conversation(caller, id).await.map_err(replace_refusal(refuse()))?;
        if *conversation.project_id() != request.project_id {
            return Err(refuse().into());
        }
        if let Some(id) = &request.task_id
            && self.store.task(id).await?.is_none_or(|task| task.project_id != request.project_id)
        {
            return Err(Refusal::not_found("task", id).at("task_id").into());
        }
        Ok(())
    }
}
