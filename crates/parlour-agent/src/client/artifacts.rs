//! Stored files.

use std::time::Duration;

use parlour_core::{
    artifact::Artifact,
    id::{ConversationId, ProjectId},
    limits,
};
use reqwest::{Method, header::CONTENT_TYPE};

use super::{Client, address};
use crate::{ClientError, link::Upload};

/// How long an upload may take: the hub's own bound and a little for the way.
const UPLOAD_TIME_MAX: Duration = Duration::from_secs(limits::UPLOAD_SECONDS_MAX as u64 + 5);

impl Client {
    /// Keeps a file that the readers of its conversation may see.
    ///
    /// It is tried once: a repeated upload makes a second artifact, though equal contents are stored once.
    pub async fn upload(&self, project: &ProjectId, file: &Upload) -> Result<Artifact, ClientError> {
        let Upload { conversation_id, filename, media_type, content } = file;
        let query = upload_query(project, filename, conversation_id);
        let url = address::join(&self.base, "/artifacts", &query);
        let request = self
            .http
            .request(Method::POST, url.clone())
            .timeout(UPLOAD_TIME_MAX)
            .header(CONTENT_TYPE, media_type)
            .body(content.clone());
        self.deliver(request, &url).await?.read()
    }
}

fn upload_query<'a>(
    project: &'a ProjectId,
    filename: &'a str,
    conversation: &'a ConversationId,
) -> [(&'static str, &'a str); 3] {
    [("project_id", project.as_str()), ("filename", filename), ("conversation_id", conversation.as_str())]
}
