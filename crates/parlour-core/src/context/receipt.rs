//! Receipts: what a pack shows at which length, what it leaves out, and why.

use serde::{Deserialize, Serialize};

use crate::{author::Author, id::ConversationId};

/// A part of a pack. The order is that of the text: what changes least comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// What the project is.
    Project,
    /// Parents and peers in the project graph: tasks and agents beside this one.
    Neighbours,
    /// The task.
    Task,
    /// Files, and what they say.
    Artifacts,
    /// Threads and channels that the agent or its task takes part in, and what is unread there.
    Threads,
    /// The conversation in which the agent is to answer; the message that it is to answer is its end.
    History,
}

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SubjectType {
    /// The project.
    Project,
    /// An agent.
    Agent,
    /// A task.
    Task,
    /// A file.
    Artifact,
    /// A message.
    Message,
    /// A summary of a conversation up to a message, whose id it has.
    Summary,
}

/// Why something came into question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is what the agent is to answer.
    Current,
    /// It blocks the agent.
    Blocking,
    /// It mentions the agent.
    Mention,
    /// It answers the agent.
    Reply,
    /// The agent has not read it.
    Unread,
    /// It stands in a thread that the agent takes part in.
    Thread,
    /// It belongs to the task.
    Task,
    /// It stands in a subscribed channel and speaks of the task or the project.
    Subscribed,
    /// It stands above the task or the project in the graph.
    Parent,
    /// It stands beside the agent or its task in the graph.
    Peer,
    /// It is a file of the task or the conversation.
    Artifact,
    /// It was said of late in the conversation.
    Recent,
    /// It was found by its words.
    Found,
}

/// At which length something is shown, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// All of it.
    Full,
    /// Its beginning and its end.
    HeadTail,
    /// Those of its sentences that matter here, word by word.
    Extract,
    /// One line of it.
    OneLine,
    /// Only how it can be fetched.
    Handle,
}

/// Why something is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// There was no room for it, not even in short.
    NoRoom,
    /// Other things matter more here.
    Irrelevant,
    /// Its sender has had its share.
    SenderQuota,
    /// Its conversation has had its share.
    ThreadQuota,
    /// Its sort of sender has had its share.
    TrustQuota,
    /// It says what another one says that is shown.
    Duplicate,
    /// A summary that is shown stands for it.
    Summarised,
    /// The model has been given it before.
    Told,
    /// Nothing of it can be shown as text.
    Empty,
}

/// One candidate, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptItem {
    /// What it is.
    #[serde(rename = "type")]
    pub subject_type: SubjectType,
    /// Its id.
    pub id: String,
    /// In which section it is, or would be.
    pub section: Section,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// Its number there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Author>,
    /// Why it came into question, the strongest first.
    pub reasons: Vec<Reason>,
    /// How much it matters here, in thousandths of what matters most.
    pub score: u32,
    /// At which length it is shown; absent when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Why it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<OmissionReason>,
    /// The one that is shown in its place, when it is a duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Tokens that it costs.
    #[serde(default)]
    pub tokens: u64,
    /// What is shown of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Secrets and personal data that were taken out of what is shown.
    #[serde(default)]
    pub redactions: u64,
    /// The messages that a summary in verbatim lines quotes, in the order of its lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// What a section costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SectionTotal {
    /// The section.
    pub section: Section,
    /// Its tokens.
    pub tokens: u64,
    /// Candidates that are shown.
    pub shown: u64,
    /// Candidates that are not.
    pub left_out: u64,
}

/// How tokens were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenCounting {
    /// By which table: `o200k`, `cl100k`, or a bound for models whose table is not public.
    pub encoding: String,
    /// Whether it is the very count; otherwise it may be less, and is never more.
    pub is_exact: bool,
}

/// How often one kind of secret or personal data was taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RedactionCount {
    /// The kind, as it stands in the marks.
    pub kind: String,
    /// How often.
    pub count: u64,
}

/// What a pack shows and what it leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Tokens that it may cost.
    pub budget: u64,
    /// Tokens that it costs, never more than the budget.
    pub used: u64,
    /// Those of them that are the hub's own words around what is shown.
    pub frame: u64,
    /// How they were counted.
    pub counting: TokenCounting,
    /// The sections that have candidates, in the order of the text.
    pub sections: Vec<SectionTotal>,
    /// The candidates: those that are shown in the order of the text, then the others, the most important first.
    pub items: Vec<ReceiptItem>,
    /// Candidates that are not shown and not listed either.
    #[serde(default)]
    pub unlisted: u64,
    /// What was taken out of what is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionCount>,
    /// Invisible signs that were taken out of what is shown.
    #[serde(default)]
    pub invisible: u64,
}
