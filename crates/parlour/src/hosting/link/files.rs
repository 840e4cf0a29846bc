//! Keeping files.

use std::io::Cursor;

use parlour_agent::link::{LinkError, Upload};
use parlour_core::id::ArtifactId;
use parlour_hub::use_cases::NewArtifact;

use super::{LocalLink, tried};

impl LocalLink {
    pub(super) async fn keep_file(&self, file: Upload) -> Result<ArtifactId, LinkError> {
        let caller = self.caller();
        let Upload { conversation_id, filename, media_type, content } = file;
        let request = NewArtifact {
            project_id: self.project.clone(),
            filename,
            media_type,
            conversation_id: Some(conversation_id),
            task_id: None,
        };
        let keep = || self.hub.create_artifact(&caller, request.clone(), Box::pin(Cursor::new(content.clone())));
        Ok(tried(keep).await?.id)
    }
}
