//! Response bodies of the native API that are not types of the domain.

use parlour_core::{
    Timestamp,
    audit::AuditHead,
    call::HoldRule,
    id::{AgentId, MemberId, MessageId, ProjectId, TokenId},
    inbox::InboxEntry,
    invite::Invite,
    member::{Agent, Person},
    mention::MentionProblem,
    message::Message,
    name::Name,
    position::Position,
    project::Project,
    token::{ActsAs, Token},
};
use serde::{Deserialize, Serialize};

/// The response to a post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// The position of its event in the project's log.
    pub position: Position,
    /// Mentions that matched no member.
    #[serde(default)]
    pub mention_problems: Vec<MentionProblem>,
    /// Why it is not a valid answer to the question that it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_problem: Option<AnswerProblem>,
}

/// Why a posted message is not a valid answer; the question stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerProblem {
    pub code: String,
    pub detail: String,
}

/// The head of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditHeadAnswer {
    /// The number of the last entry and the hash of the chain up to it.
    pub head: AuditHead,
}

/// The active stops of the loop guard in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopGuard {
    /// Newest first.
    pub stops: Vec<GuardStop>,
}

/// An active stop of the loop guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardStop {
    pub rule: HoldRule,
    pub agents: Vec<AgentId>,
    /// When the stop expires by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The host message about the stop.
    pub message_id: MessageId,
    pub at: Timestamp,
}

/// The state of a streamed answer after a chunk or heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub message_id: MessageId,
    /// The length of its text in Unicode code points: the start of the next chunk.
    pub chars: u64,
    /// When it is interrupted without another chunk or heartbeat.
    pub lease_until: Timestamp,
}

/// The response to the end of a streamed answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// The position of its end in the project's log; absent if the response was lost and the message was read instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Mentions that matched no member.
    #[serde(default)]
    pub mention_problems: Vec<MentionProblem>,
    /// Why it is not a valid answer to the question that it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_problem: Option<AnswerProblem>,
}

impl From<Posted> for Finished {
    fn from(posted: Posted) -> Self {
        let Posted { message, position, mention_problems, answer_problem } = posted;
        Self { message, position: Some(position), mention_problems, answer_problem }
    }
}

impl From<Message> for Finished {
    fn from(message: Message) -> Self {
        Self { message, position: None, mention_problems: Vec::new(), answer_problem: None }
    }
}

/// A new agent with its token, which no other response contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedAgent {
    /// The agent.
    #[serde(flatten)]
    pub agent: Agent,
    /// Its bearer token.
    pub token: String,
}

/// A new person with their token, which no other response contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedPerson {
    /// The person.
    #[serde(flatten)]
    pub person: Person,
    /// Its bearer token.
    pub token: String,
}

/// A token that replaces the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    /// The bearer token.
    pub token: String,
}

/// A new token with its secret, which no other response contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedToken {
    /// The token.
    #[serde(flatten)]
    pub token: Token,
    /// The secret; absent for certificates and tokens of other issuers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// A new invite with its code, which no other response contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedInvite {
    /// The invite.
    #[serde(flatten)]
    pub invite: Invite,
    pub code: String,
}

/// An agent that joined, with its token, which no other response contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// The agent.
    pub agent: Agent,
    /// The project that it has joined.
    pub project: Project,
    /// Its bearer token.
    pub token: String,
}

/// A one-time sign-in link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLink {
    /// The code of the link.
    pub code: String,
    /// The path of the page with the code.
    pub path: String,
}

/// The new signing key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RotatedKey {
    /// The id of the key.
    pub kid: String,
}

/// One page of an agent's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxPage {
    /// Unread messages, in the order that was asked for.
    pub items: Vec<InboxEntry>,
    /// Pass this back as `cursor` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many messages are unread in all.
    pub unread: u64,
}

/// The result of marking messages as read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOutcome {
    /// Messages that became read.
    pub read: u64,
    /// Messages that were already read.
    pub already: u64,
    /// Messages that are left for another call.
    pub left: u64,
}

/// A search result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The text around the first match.
    pub snippet: String,
    /// The message.
    pub message: Message,
}

/// The role of a token owner on the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Manages people, and is a member of every project.
    Admin,
    Person,
    /// An agent of one project.
    Agent,
}

/// The health of a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `ok` while the hub responds.
    pub status: String,
    /// The version of the hub.
    pub version: String,
}

/// The owner of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The member.
    pub member_id: MemberId,
    /// The member's name.
    pub name: Name,
    pub role: Role,
    /// The project that an agent is at home in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// What the token may be used for. Texts, because a newer hub may have more scopes.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// The program that posts with the token instead of the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<ActsAs>,
    /// The token of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// When the token expires; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}
