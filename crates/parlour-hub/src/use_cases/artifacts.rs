//! Artifacts: uploading, reading and listing files.

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
    Failure, Fault, Hub,
    failure::{replace_refusal, unexpected_change},
    ports::BlobReader,
};

/// A request to keep a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArtifact {
    /// The project.
    pub project_id: ProjectId,
    /// The file name.
    pub filename: String,
    /// What it is said to be.
    pub media_type: String,
    /// The conversation whose readers may see it; without one, every member of the project.
    pub conversation_id: Option<ConversationId>,
    /// The task that it came out of.
    pub task_id: Option<TaskId>,
}

/// A file on its way to a reader.
pub struct ArtifactDownload {
    /// What it is.
    pub artifact: Artifact,
    /// Its content.
    pub content: BlobReader,
}

impl Hub {
    /// Keeps a file of at most `ARTIFACT_BYTES_MAX` bytes. The content is durable before the record is.
    pub async fn create_artifact(
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
            conversation_id: request.conversation_id,
            task_id: request.task_id,
            created_by: caller.member.clone(),
            created_at: self.clock.now(),
        };
        match self.writer.append(caller, &project.id, Write::CreateArtifact(artifact)).await?.change {
            Change::ArtifactCreated(artifact) => Ok(*artifact),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads what is known of a file.
    pub async fn artifact(&self, caller: &Principal, id: &ArtifactId) -> Result<Artifact, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let refuse = || Refusal::not_found("artifact", id);
        let artifact = self.store.artifact(id).await?.ok_or_else(refuse)?;
        self.access.require_visible_project(caller, &artifact.project_id, refuse()).await?;
        if let Some(conversation) = &artifact.conversation_id {
            self.access.load_visible_conversation(caller, conversation).await.map_err(replace_refusal(refuse()))?;
        }
        Ok(artifact)
    }

    /// Opens a file for reading.
    pub async fn download_artifact(&self, caller: &Principal, id: &ArtifactId) -> Result<ArtifactDownload, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let artifact = self.artifact(caller, id).await?;
        let lost = || Fault::new(format!("open the content of {id}"), "the file is not in the blob folder");
        let content = self.blobs.open(&artifact.sha256).await?.ok_or_else(lost)?;
        Ok(ArtifactDownload { artifact, content })
    }

    /// Lists the files of a project that the caller may see.
    pub async fn artifacts(
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
        if let Some(id) = &request.conversation_id {
            let refuse = || Refusal::not_found("conversation", id).at("conversation_id");
            let (conversation, _) =
                self.access.load_visible_conversation(caller, id).await.map_err(replace_refusal(refuse()))?;
            if *conversation.project_id() != request.project_id {
                return Err(refuse().into());
            }
        }
        if let Some(id) = &request.task_id
            && self.store.task(id).await?.is_none_or(|task| task.project_id != request.project_id)
        {
            return Err(Refusal::not_found("task", id).at("task_id").into());
        }
        Ok(())
    }
}
