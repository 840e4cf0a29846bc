//! Posting, reading and finding messages.

use parlour_core::{
    id::{ConversationId, MessageId, ProjectId},
    message::Message,
    paging::Page,
    post::PostMessage,
};

use super::Client;
use crate::{
    ClientError,
    answers::{Posted, SearchHit},
};

/// Which part of a conversation is wanted; without marks the newest messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryRange {
    /// Only what stands before this number, message or moment, newest first.
    pub before: Option<String>,
    /// Only what stands after this number, message or moment, oldest first.
    pub since: Option<String>,
    /// Where to go on, as a page before has said.
    pub cursor: Option<String>,
    /// How many messages at the most.
    pub limit: Option<usize>,
}

impl Client {
    /// Posts a message under this id, in place of any in the request.
    ///
    /// The call is repeated while the hub cannot be reached or asks for patience: the id makes that harmless.
    pub async fn post_message(&self, id: &MessageId, request: &PostMessage) -> Result<Posted, ClientError> {
        let request = PostMessage { id: Some(id.clone()), ..request.clone() };
        self.retry.run(|| self.post("/messages", &request)).await
    }

    /// Reads a message.
    pub async fn message(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.get(&format!("/messages/{id}"), &[]).await
    }

    /// Reads a message as a model may read it: without what the rules of the project take out.
    pub async fn message_view(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.get(&format!("/messages/{id}/view"), &[]).await
    }

    /// Reads a page of a conversation.
    pub async fn history(&self, id: &ConversationId, range: &HistoryRange) -> Result<Page<Message>, ClientError> {
        let limit = range.limit.map(|limit| limit.to_string());
        let marks = [
            ("before", range.before.as_deref()),
            ("since", range.since.as_deref()),
            ("cursor", range.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ];
        self.get(&format!("/{}/{id}/messages", folder(id)), &given(&marks)).await
    }

    /// Finds messages of a project that hold all words of `text`, newest first.
    pub async fn search(
        &self,
        project: &ProjectId,
        text: &str,
        limit: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<Page<SearchHit>, ClientError> {
        let limit = limit.map(|limit| limit.to_string());
        let query = [
            ("project_id", Some(project.as_str())),
            ("q", Some(text)),
            ("limit", limit.as_deref()),
            ("cursor", cursor),
        ];
        self.get("/search", &given(&query)).await
    }
}

/// The folder of the API that holds this sort of conversation.
fn folder(id: &ConversationId) -> &'static str {
    match id {
        ConversationId::Channel(_) => "channels",
        ConversationId::Thread(_) => "threads",
        ConversationId::Dm(_) => "dms",
    }
}

/// Those parameters that have a value.
fn given<'a>(query: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
    query.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect()
}
