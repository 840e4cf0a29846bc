//! Messages, streamed answers, inboxes, deliveries, artifacts and DMs.

use std::time::Duration;

use parlour_core::{
    artifact::Artifact,
    conversation::Dm,
    delivery::{Delivery, DeliveryState, DeliveryStep},
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId},
    inbox::{Digest, InboxCounts, InboxEntry, InboxFilter, InboxOrder, Unread},
    limits,
    live::{AddChunk, Cancel, Complete, Fail},
    message::Message,
    paging::Page,
    post::PostMessage,
    step::{FinishStep, StartStep, Step},
};
use reqwest::{Method, header::CONTENT_TYPE};
use serde_json::json;

use super::{Client, PageAt, QueryParams};
use crate::{
    ClientError,
    answers::{InboxPage, Lease, Posted, ReadOutcome, SearchHit},
    link::Upload,
    requests::{ReadMessages, ReportDeliveries},
};

/// A part of a conversation; by default the newest messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryRange {
    /// Only messages before this number, message or time, newest first.
    pub before: Option<String>,
    /// Only messages after this number, message or time, oldest first.
    pub since: Option<String>,
    /// `next` of the page before.
    pub cursor: Option<String>,
    pub limit: Option<usize>,
}

impl Client {
    /// Posts a message with this id, which replaces one in the request.
    ///
    /// The call is retried while the hub is unreachable or busy; the id makes that idempotent.
    pub async fn post_message(&self, id: &MessageId, request: &PostMessage) -> Result<Posted, ClientError> {
        let request = PostMessage { id: Some(id.clone()), ..request.clone() };
        self.retry.run(|| self.post("/messages", &request)).await
    }

    /// Reads a message.
    pub async fn message(&self, id: &MessageId) -> Result<Message, ClientError> {
        self.get(&format!("/messages/{id}"), &[]).await
    }

    /// Reads a message with the redaction that models get.
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

    /// Finds messages of a project that contain all words of `text`, newest first.
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

/// The path prefix of this kind of conversation.
fn folder(id: &ConversationId) -> &'static str {
    match id {
        ConversationId::Channel(_) => "channels",
        ConversationId::Thread(_) => "threads",
        ConversationId::Dm(_) => "dms",
    }
}

fn given<'a>(query: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
    query.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect()
}

impl Client {
    /// Adds a piece to an answer and renews its lease.
    pub async fn add_chunk(&self, id: &MessageId, chunk: &AddChunk) -> Result<Lease, ClientError> {
        self.post(&format!("/messages/{id}/chunks"), chunk).await
    }

    /// Renews the lease of an answer.
    pub async fn beat_stream(&self, id: &MessageId) -> Result<Lease, ClientError> {
        self.act(&format!("/messages/{id}/beat")).await
    }

    /// Ends an answer as complete.
    pub async fn complete_stream(&self, id: &MessageId, end: &Complete) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/complete"), end).await
    }

    /// Ends an answer as failed.
    pub async fn fail_stream(&self, id: &MessageId, end: &Fail) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/fail"), end).await
    }

    /// Stops an answer: the caller's own, or, for a person, any in a conversation that they may write in.
    pub async fn cancel_stream(&self, id: &MessageId, end: &Cancel) -> Result<Posted, ClientError> {
        self.post(&format!("/messages/{id}/cancel"), end).await
    }

    /// Begins a step of an answer.
    pub async fn start_step(&self, id: &MessageId, step: &StartStep) -> Result<Step, ClientError> {
        self.post(&format!("/messages/{id}/steps"), step).await
    }

    /// Ends a step of an answer.
    pub async fn finish_step(&self, id: &MessageId, step: &str, end: &FinishStep) -> Result<Step, ClientError> {
        self.post(&format!("/messages/{id}/steps/{step}/finish"), end).await
    }
}

impl Client {
    /// Reads a page of an agent's unread messages.
    pub async fn inbox(&self, agent: &AgentId, filter: &InboxFilter, page: &PageAt) -> Result<InboxPage, ClientError> {
        let order = Some(filter.order).filter(|order| *order != InboxOrder::default());
        let query = QueryParams::page(page)
            .with_word("importance", filter.importance)
            .with_flag("mentions", filter.only_mentions)
            .with_flag("blocking", filter.only_blocking)
            .with("conversation_id", filter.conversation_id.as_ref())
            .with_word("order", order);
        self.get(&format!("/agents/{agent}/inbox"), &query.pairs()).await
    }

    /// Counts the unread messages of an agent.
    pub async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/counts"), &[]).await
    }

    /// Reads a page of the unread counts of an agent by conversation.
    pub async fn digests(&self, agent: &AgentId, page: &PageAt) -> Result<Page<Digest>, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/digests"), &QueryParams::page(page).pairs()).await
    }

    /// Reads a page of the unread messages that address the calling person, newest first.
    pub async fn project_inbox(&self, project: &ProjectId, page: &PageAt) -> Result<Page<InboxEntry>, ClientError> {
        self.get(&format!("/projects/{project}/inbox"), &QueryParams::page(page).pairs()).await
    }

    /// Marks messages as read. The call is idempotent and retried while the hub is unreachable or busy.
    pub async fn read_messages(&self, request: &ReadMessages) -> Result<ReadOutcome, ClientError> {
        self.retry.run(|| self.post("/inbox/read", request)).await
    }

    /// The read state of the token owner in a project.
    pub async fn unread(&self, project: &ProjectId) -> Result<Unread, ClientError> {
        self.get(&format!("/projects/{project}/unread"), &[]).await
    }
}

impl Client {
    /// The delivery states of a message, one for each recipient.
    pub async fn deliveries(&self, id: &MessageId) -> Result<Vec<Delivery>, ClientError> {
        self.read_deliveries(id, &QueryParams::default()).await
    }

    /// Waits until all deliveries, or the one to this recipient, reach a state or never can; returns the current states
    /// after `seconds`.
    pub async fn await_deliveries(
        &self,
        id: &MessageId,
        state: DeliveryState,
        recipient: Option<&MemberId>,
        seconds: u64,
    ) -> Result<Vec<Delivery>, ClientError> {
        let query = QueryParams::default().with_word("wait", Some(state)).with("recipient", recipient);
        self.read_deliveries(id, &query.with("seconds", Some(seconds))).await
    }

    /// Reports delivery states for messages of an agent (by default the caller) and returns the current states.
    ///
    /// Any number of messages is split into calls of a bounded size. The calls are idempotent and retried while the hub
    /// is unreachable or busy.
    pub async fn report_deliveries(
        &self,
        agent: Option<&AgentId>,
        messages: &[MessageId],
        step: &DeliveryStep,
    ) -> Result<Vec<Delivery>, ClientError> {
        let mut deliveries = Vec::with_capacity(messages.len());
        for some in messages.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
            let request = ReportDeliveries::new(agent, some, step);
            let page: Page<Delivery> = self.retry.run(|| self.post("/deliveries", &request)).await?;
            deliveries.extend(page.items);
        }
        Ok(deliveries)
    }

    async fn read_deliveries(&self, id: &MessageId, query: &QueryParams) -> Result<Vec<Delivery>, ClientError> {
        let page: Page<Delivery> = self.get(&format!("/messages/{id}/deliveries"), &query.pairs()).await?;
        Ok(page.items)
    }
}

/// The hub's own limit of an upload and some time for the network.
const UPLOAD_TIME_MAX: Duration = Duration::from_secs(limits::UPLOAD_SECONDS_MAX as u64 + 5);

impl Client {
    /// Uploads a file for the readers of a conversation.
    ///
    /// Not retried: a second upload creates a second artifact, though equal contents are stored once.
    pub async fn upload(&self, project: &ProjectId, file: &Upload) -> Result<Artifact, ClientError> {
        let Upload { conversation_id, filename, media_type, content } = file;
        let query = upload_query(project, filename, conversation_id);
        let url = super::endpoint_url(&self.base, "/artifacts", &query);
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

impl Client {
    /// Opens the DM with these members, or returns the existing one.
    pub async fn open_dm(&self, project: &ProjectId, participants: &[MemberId]) -> Result<Dm, ClientError> {
        self.post("/dms", &json!({ "project_id": project, "participants": participants })).await
    }

    /// Lists the DMs of the token owner in a project.
    pub async fn dms(&self, project: &ProjectId) -> Result<Page<Dm>, ClientError> {
        self.whole_list("/dms", &[("project_id", project.as_str())]).await
    }
}
