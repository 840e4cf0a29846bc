//! What can be asked for, in the words of the API's contracts. Posting has its type in the domain.

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

/// A request to make a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewProject {
    /// The name, unique on the hub.
    pub name: Name,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A request to make a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewChannel {
    /// The project.
    pub project_id: ProjectId,
    /// The name, unique in the project.
    pub name: Name,
    /// What is talked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Who sees it.
    pub visibility: Visibility,
}

/// A request to add an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewAgent {
    /// The project it is to belong to.
    pub project_id: ProjectId,
    /// The name it is mentioned by.
    pub name: Name,
    /// What it can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Where it can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// What it is told to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What answers for it when the hub is to run it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// What it says differently from its project about what models see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<AgentContext>,
    /// What its token may be used for; all that agents do without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<JoinRole>,
}

/// A request to give a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewTask {
    /// The project.
    pub project_id: ProjectId,
    /// What is to be done, in a line.
    pub title: String,
    /// What is to be done, at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who is to do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<MemberId>,
    /// The task that it follows or is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<TaskId>,
    /// The thread where it is talked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
}

/// A request to add a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewPerson {
    /// The name, unique on the hub.
    pub name: Name,
    /// Whether the person is to be an administrator.
    pub is_admin: bool,
}

/// A request for a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IssueToken {
    /// For whom; absent means for the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_id: Option<MemberId>,
    /// How it is to be shown.
    pub kind: TokenKind,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it may be used for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// Which program is to write with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<ActsAs>,
    /// After how many seconds it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// The SHA-256 of the certificate, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_sha256: Option<String>,
    /// The trusted issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// What that issuer calls the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A request for a password. It is never shown, not even to a debugger.
#[derive(Clone, Serialize)]
pub struct NewPassword {
    /// The one before, where there is one and the person itself asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The password.
    pub password: String,
}

/// A request for an invite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewInvite {
    /// What those who join may do.
    pub role: JoinRole,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// How many agents may join by it.
    pub uses_max: u32,
    /// After how many seconds it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
}

/// A request of an agent to join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Join {
    /// The code of the invite.
    pub code: String,
    /// The name that it wants to be mentioned by.
    pub name: Name,
    /// What it can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Where it can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// What it is told to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What it says differently from its project about what models see.
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
    /// Who has read them; absent means the caller.
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
