//! Request bodies of the native API. The body of a post is `parlour_core::post::PostMessage`.

use parlour_core::{
    context::AgentContext,
    conversation::Visibility,
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    engine::Engine,
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId, RunId, TaskId, ThreadId},
    name::Name,
    scope::{JoinRole, Scopes},
    token::{ActsAs, TokenKind},
};
use serde::Serialize;

/// The body of `POST /projects`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewProject {
    /// The name, unique on the hub.
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The body of `POST /channels`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewChannel {
    pub project_id: ProjectId,
    /// The name, unique in the project.
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    pub visibility: Visibility,
}

/// The body of `POST /agents`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewAgent {
    pub project_id: ProjectId,
    /// The name for mentions, unique in the project.
    pub name: Name,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// The system prompt of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The engine, if the hub runs the agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Context settings that override those of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
    /// The role of its token; by default all that agents may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<JoinRole>,
}

/// The body of `POST /tasks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewTask {
    pub project_id: ProjectId,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<MemberId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<TaskId>,
    /// The thread that discusses the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
}

/// The body of `POST /people`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewPerson {
    /// The name, unique on the hub.
    pub name: Name,
    pub is_admin: bool,
}

/// The body of `POST /tokens`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IssueToken {
    /// The owner; by default the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_id: Option<MemberId>,
    pub kind: TokenKind,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// The program that will use the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<ActsAs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// The SHA-256 of a client certificate, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The subject of the member in tokens of that issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A new password. It has no `Debug`, so it cannot reach a log.
#[derive(Clone, Serialize)]
pub struct NewPassword {
    /// The current password; required if a person changes their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    pub password: String,
}

/// The credential of a person: name and password, or the code of a sign-in link. It has no `Debug`, so it cannot reach a
/// log.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum SignIn {
    Password { name: String, password: String },
    Link { code: String },
}

/// The body of a new invite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewInvite {
    pub role: JoinRole,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// How many agents may join with it.
    pub uses_max: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
}

/// The body of `POST /join`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Join {
    /// The code of the invite.
    pub code: String,
    pub name: Name,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
}

/// The report of what was done with messages of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportDeliveries {
    /// The agent; absent means the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The messages.
    pub message_ids: Vec<MessageId>,
    /// How far they have come: queued, injected, seen or failed.
    pub state: DeliveryState,
    /// How they entered the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveryPath>,
    /// The run whose prompt they entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A request to mark messages as read: these, or what is unread in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadMessages {
    /// The reader; by default the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub message_ids: Vec<MessageId>,
    /// Instead of single messages: what is unread in this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// Only up to this message of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<MessageId>,
}

impl ReportDeliveries {
    /// The report of one step of these messages.
    pub(crate) fn new(agent: Option<&AgentId>, messages: &[MessageId], step: &DeliveryStep) -> Self {
        Self {
            agent_id: agent.cloned(),
            message_ids: messages.to_vec(),
            state: step.state,
            delivered_via: step.delivered_via,
            run_id: step.run_id.clone(),
            why: step.why.clone(),
        }
    }
}
