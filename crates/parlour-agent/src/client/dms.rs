//! Direct conversations.

use parlour_core::{
    conversation::Dm,
    id::{MemberId, ProjectId},
    paging::Page,
};
use serde_json::json;

use super::Client;
use crate::ClientError;

impl Client {
    /// Opens the dm with these members, or answers the one that is there.
    pub async fn open_dm(&self, project: &ProjectId, participants: &[MemberId]) -> Result<Dm, ClientError> {
        self.post("/dms", &json!({ "project_id": project, "participants": participants })).await
    }

    /// Lists the dms that the owner of the token has in a project.
    pub async fn dms(&self, project: &ProjectId) -> Result<Page<Dm>, ClientError> {
        self.whole_list("/dms", &[("project_id", project.as_str())]).await
    }
}
