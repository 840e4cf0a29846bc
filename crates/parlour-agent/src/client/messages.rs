//! Posting, reading and finding messages.

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

use super::{Client, PageAt, Query};
use crate::{
    ClientError,
    answers::{InboxPage, Lease, Posted, ReadOutcome, SearchHit},
    link::Upload,
    requests::{ReadMessages, ReportDeliveries},
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

    /// Stops an answer: one's own, or as a person any in a conversation that one may write in.
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
        let query = Query::page(page)
            .with_word("importance", filter.importance)
            .with_flag("mentions", filter.only_mentions)
            .with_flag("blocking", filter.only_blocking)
            .with("conversation_id", filter.conversation_id.as_ref())
            .with_word("order", order);
        self.get(&format!("/agents/{agent}/inbox"), &query.pairs()).await
    }

    /// How much waits in an agent's inbox.
    pub async fn inbox_counts(&self, agent: &AgentId) -> Result<InboxCounts, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/counts"), &[]).await
    }

    /// Reads a page of what an agent has not read, by conversation.
    pub async fn digests(&self, agent: &AgentId, page: &PageAt) -> Result<Page<Digest>, ClientError> {
        self.get(&format!("/agents/{agent}/inbox/digests"), &Query::page(page).pairs()).await
    }

    /// Reads a page of the unread messages of a project that the calling person should not miss, newest first.
    pub async fn project_inbox(&self, project: &ProjectId, page: &PageAt) -> Result<Page<InboxEntry>, ClientError> {
        self.get(&format!("/projects/{project}/inbox"), &Query::page(page).pairs()).await
    }

    /// Marks messages as read. What is read already changes nothing, so the call is repeated while the hub cannot be
    /// reached or asks for patience.
    pub async fn read_messages(&self, request: &ReadMessages) -> Result<ReadOutcome, ClientError> {
        self.retry.run(|| self.post("/inbox/read", request)).await
    }

    /// What the owner of the token has not read in a project.
    pub async fn unread(&self, project: &ProjectId) -> Result<Unread, ClientError> {
        self.get(&format!("/projects/{project}/unread"), &[]).await
    }
}

impl Client {
    /// What has become of a message for each of its recipients.
    pub async fn deliveries(&self, id: &MessageId) -> Result<Vec<Delivery>, ClientError> {
        self.read_deliveries(id, &Query::default()).await
    }

    /// The same as soon as all of them, or the one to this recipient, have come so far or will not; after so many
    /// seconds as they are.
    pub async fn await_deliveries(
        &self,
        id: &MessageId,
        state: DeliveryState,
        recipient: Option<&MemberId>,
        seconds: u64,
    ) -> Result<Vec<Delivery>, ClientError> {
        let query = Query::default().with_word("wait", Some(state)).with("recipient", recipient);
        self.read_deliveries(id, &query.with("seconds", Some(seconds))).await
    }

    /// Reports what was really done with messages of an agent, the caller itself when none is named. Answers them as
    /// they are now.
    ///
    /// Any number is taken, in calls of a bounded size. What was reported before changes nothing, so the calls are
    /// repeated while the hub cannot be reached or asks for patience.
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

    async fn read_deliveries(&self, id: &MessageId, query: &Query) -> Result<Vec<Delivery>, ClientError> {
        let page: Page<Delivery> = self.get(&format!("/messages/{id}/deliveries"), &query.pairs()).await?;
        Ok(page.items)
    }
}

/// How long an upload may take: the hub's own bound and a little for the way.
const UPLOAD_TIME_MAX: Duration = Duration::from_secs(limits::UPLOAD_SECONDS_MAX as u64 + 5);

impl Client {
    /// Keeps a file that the readers of its conversation may see.
    ///
    /// It is tried once: a repeated upload makes a second artifact, though equal contents are stored once.
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
    /// Opens the dm with these members, or answers the one that is there.
    pub async fn open_dm(&self, project: &ProjectId, participants: &[MemberId]) -> Result<Dm, ClientError> {
        self.post("/dms", &json!({ "project_id": project, "participants": participants })).await
    }

    /// Lists the dms that the owner of the token has in a project.
    pub async fn dms(&self, project: &ProjectId) -> Result<Page<Dm>, ClientError> {
        self.whole_list("/dms", &[("project_id", project.as_str())]).await
    }
}
