//! Questions of blocking messages: the board, answers, and taking back.

use parlour_core::{
    id::{MessageId, ProjectId},
    message::Message,
    paging::Page,
    question::{AnswerRequest, OpenQuestion},
};

use super::{
    Client,
    query::{PageAt, Query},
};
use crate::ClientError;

/// Which open questions are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// Those that address the caller, in all projects.
    #[default]
    Me,
    /// Those of one project that address the caller.
    MeIn(ProjectId),
    /// All of one project that the caller may read.
    AnybodyIn(ProjectId),
}

impl Client {
    /// Reads a page of open questions, the soonest to expire first.
    pub async fn questions(&self, asked: &Asked, page: &PageAt) -> Result<Page<OpenQuestion>, ClientError> {
        let (project, is_whole) = match asked {
            Asked::Me => (None, false),
            Asked::MeIn(project) => (Some(project), false),
            Asked::AnybodyIn(project) => (Some(project), true),
        };
        let query = Query::page(page).with("project_id", project).with_flag("whole_project", is_whole);
        self.get("/questions", &query.pairs()).await
    }

    /// Answers a question, or says that the caller will not. It is never repeated by itself: a question is answered
    /// once, so the second time would be refused.
    pub async fn answer(&self, id: &MessageId, request: &AnswerRequest) -> Result<Message, ClientError> {
        self.post(&format!("/messages/{id}/answer"), request).await
    }

    /// Reads a message as soon as its question is closed, or after so many seconds as it is.
    pub async fn await_answer(&self, id: &MessageId, seconds: u64) -> Result<Message, ClientError> {
        let query = Query::default().with("seconds", Some(seconds));
        self.get(&format!("/messages/{id}/answer"), &query.pairs()).await
    }

    /// Takes a question back.
    pub async fn withdraw(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.act(&format!("/messages/{id}/withdraw")).await
    }
}
