//! Answers that carry more than one thing; all others are the domain's own types.

use parlour_core::{
    Timestamp,
    audit::AuditHead,
    call::HoldRule,
    id::{AgentId, MemberId, MessageId, ProjectId},
    inbox::InboxEntry,
    invite::Invite,
    member::{Agent, Person},
    mention::MentionProblem,
    message::Message,
    name::Name,
    position::Position,
    project::Project,
    token::Token,
};
use serde::{Deserialize, Serialize};

/// A message that was posted, with what its sender should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// Where its event stands in the project's log.
    pub position: Position,
    /// Names in the text that called nobody.
    #[serde(default)]
    pub mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_problem: Option<AnswerProblem>,
}

/// Why a message does not answer the question that it replies to. It was posted all the same, and the question stays
/// open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerProblem {
    /// A stable code.
    pub code: String,
    /// Which rule it breaks.
    pub detail: String,
}

/// The end of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditHeadAnswer {
    /// The number of the last entry and the hash of the chain up to it.
    pub head: AuditHead,
}

/// What the loop guard has stopped in a conversation and not let go yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopGuard {
    /// The stops, newest first.
    pub stops: Vec<GuardStop>,
}

/// A stop of the loop guard that still stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardStop {
    /// By which rule.
    pub rule: HoldRule,
    /// Who is stopped.
    pub agents: Vec<AgentId>,
    /// When time alone lifts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The host message that tells it.
    pub message_id: MessageId,
    /// When.
    pub at: Timestamp,
}

/// How an open answer stands after its producer gave a sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The answer.
    pub message_id: MessageId,
    /// How many characters (Unicode code points) its text has: the start of the next chunk.
    pub chars: u64,
    /// When it ends as interrupted, unless its producer gives another sign.
    pub lease_until: Timestamp,
}

/// An answer that has ended, with what its producer should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// Where its end stands in the project's log; absent when the hub's answer was lost and the message read instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Names in the text that called nobody.
    #[serde(default)]
    pub mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to.
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

/// An agent that was added, with its token. The token is told only here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedAgent {
    /// The agent.
    #[serde(flatten)]
    pub agent: Agent,
    /// Its bearer token.
    pub token: String,
}

/// A person who was added, with its token. The token is told only here.
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

/// A token that was issued. Its secret is told only here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedToken {
    /// The token.
    #[serde(flatten)]
    pub token: Token,
    /// What to show; certificates and tokens of other issuers are shown themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// An invite that was made. Its code is told only here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedInvite {
    /// The invite.
    #[serde(flatten)]
    pub invite: Invite,
    /// The code to join by.
    pub code: String,
}

/// An agent that has joined. Its token is told only here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// The agent.
    pub agent: Agent,
    /// The project that it has joined.
    pub project: Project,
    /// Its bearer token.
    pub token: String,
}

/// A link by which somebody signs in once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLink {
    /// The code of the link.
    pub code: String,
    /// The page to open, with the code, after the address of the hub.
    pub path: String,
}

/// A key with which tokens are signed from now on.
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

/// What came of marking messages as read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOutcome {
    /// How many are read now that were not before.
    pub read: u64,
    /// How many had been read before.
    pub already: u64,
    /// How many of the wanted ones are left for another call.
    pub left: u64,
}

/// A message that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    /// A short piece of the text around the first match.
    pub snippet: String,
    /// The message.
    pub message: Message,
}

/// What the owner of a token may do beyond its memberships.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Makes people, and counts as a member of every project.
    Admin,
    /// A person like any other.
    Person,
    /// An agent, at home in one project.
    Agent,
}

/// How a hub is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `ok` when it can answer at all.
    pub status: String,
    /// The version of the hub.
    pub version: String,
}

/// Whom a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The member.
    pub member_id: MemberId,
    /// The member's name.
    pub name: Name,
    /// What it may do beyond its memberships.
    pub role: Role,
    /// The project that an agent is at home in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}
