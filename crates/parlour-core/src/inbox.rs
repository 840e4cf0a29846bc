//! Who is told of a message, and what each reader has not read yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    author::Author,
    checkpoint::Brief,
    conversation::ConversationType,
    id::{AgentId, ConversationId, MemberId, ProjectId},
    message::{Importance, Message},
};

/// Why an agent was told of a message; the strongest reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryReason {
    /// It is subscribed to the channel.
    Subscription,
    /// It has written in the thread, or above it.
    Thread,
    /// It takes part in the dm.
    Dm,
    /// It was mentioned.
    Mention,
}

/// A message on its way to one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// Who is told.
    pub agent_id: AgentId,
    /// Why.
    pub reason: DeliveryReason,
}

/// An unread message in an agent's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InboxEntry {
    /// Why it is there.
    pub reason: DeliveryReason,
    /// The message.
    pub message: Message,
}

/// Which messages of an inbox are wanted, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxFilter {
    /// Those that matter at least as much.
    pub importance: Option<Importance>,
    /// Those that mention the agent.
    pub only_mentions: bool,
    /// Those whose open question addresses the agent.
    pub only_blocking: bool,
    /// Those of this conversation.
    pub conversation_id: Option<ConversationId>,
    /// In which order.
    pub order: InboxOrder,
}

/// The order of an inbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum InboxOrder {
    /// Oldest first.
    #[default]
    Time,
    /// Critical before high before normal; oldest first among equals.
    Importance,
}

/// How much waits in an inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InboxCounts {
    /// Unread messages.
    pub total: u64,
    /// Those that mention the agent.
    pub mentions: u64,
    /// Those of high importance.
    pub high: u64,
    /// Those of critical importance.
    pub critical: u64,
    /// Those that are blocking.
    pub blocking: u64,
}

/// What is unread in one conversation, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Digest {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Which sort of conversation it is.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// How much of it is unread.
    pub unread: InboxCounts,
    /// Who wrote it, the first `DIGEST_NAMES_MAX`.
    pub from: Vec<Author>,
    /// The oldest unread message.
    pub oldest: Brief,
    /// The newest unread message.
    pub newest: Brief,
}

/// What a reader has not read in one conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConversationUnread {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Which sort of conversation it is.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// Messages that were not read.
    pub unread: u64,
    /// Those of them that mention the reader.
    pub mentions: u64,
    /// The number of the last message that was read.
    pub read_seq: u64,
    /// The number of the last message.
    pub last_seq: u64,
}

/// What a reader has not read in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Unread {
    /// The project.
    pub project_id: ProjectId,
    /// Unread messages in all conversations together.
    pub total: u64,
    /// Those of them that mention the reader.
    pub mentions: u64,
    /// The conversations with something unread.
    pub conversations: Vec<ConversationUnread>,
}

/// Where a reader stands after something was marked as read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadMark {
    /// Who read.
    pub reader: MemberId,
    /// Where.
    pub conversation_id: ConversationId,
    /// The number of the message that was read.
    pub seq: u64,
    /// How many messages of the conversation are still unread.
    #[serde(default)]
    pub unread: u64,
}

impl Unread {
    /// Adds up the conversations of a project; those without anything unread are left out.
    pub fn sum(project_id: ProjectId, conversations: Vec<ConversationUnread>) -> Self {
        let conversations: Vec<_> = conversations.into_iter().filter(|one| one.unread > 0).collect();
        Self {
            project_id,
            total: conversations.iter().map(|one| one.unread).sum(),
            mentions: conversations.iter().map(|one| one.mentions).sum(),
            conversations,
        }
    }
}

/// The agents that could be told of a message in one conversation, as the store knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listeners {
    /// Agents subscribed to the channel.
    pub subscribers: Vec<AgentId>,
    /// Agents that have written in the thread, and the author of the message above it.
    pub thread_agents: Vec<AgentId>,
    /// Agents in the dm.
    pub dm_agents: Vec<AgentId>,
}

/// Decides which agents get a message into their inbox: each once, with its strongest reason, never the author.
///
/// People get no row at all; their unread messages follow from their read position.
pub fn deliveries(author: Option<&MemberId>, mentions: &[MemberId], listeners: &Listeners) -> Vec<Recipient> {
    let mentioned: Vec<AgentId> = mentions.iter().filter_map(MemberId::agent).cloned().collect();
    let groups = [
        (DeliveryReason::Subscription, &listeners.subscribers),
        (DeliveryReason::Thread, &listeners.thread_agents),
        (DeliveryReason::Dm, &listeners.dm_agents),
        (DeliveryReason::Mention, &mentioned),
    ];
    let mut reasons: BTreeMap<AgentId, DeliveryReason> = BTreeMap::new();
    for (reason, agents) in groups {
        // Later groups are stronger, so they replace what was there.
        reasons.extend(agents.iter().map(|agent| (agent.clone(), reason)));
    }
    if let Some(author) = author.and_then(MemberId::agent) {
        reasons.remove(author);
    }
    reasons.into_iter().map(|(agent_id, reason)| Recipient { agent_id, reason }).collect()
}

/// What an inbox row says about its message for one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxFlags {
    /// The message mentions the agent.
    pub is_mention: bool,
    /// The message asks an open question that waits for the agent.
    pub is_blocking: bool,
}

impl InboxFlags {
    /// The flags of a message in the inbox of this agent.
    pub fn of(message: &Message, agent: &AgentId) -> Self {
        let is_agent = |member: &MemberId| member.agent() == Some(agent);
        let question = message.question.as_ref().filter(|question| question.is_open());
        Self {
            is_mention: message.mentions.iter().any(is_agent),
            is_blocking: question.is_some_and(|open| open.awaited().any(is_agent)),
        }
    }
}

/// The agent that is told of further messages in a thread because it wrote this one there.
pub fn joins_thread(message: &Message) -> Option<AgentId> {
    match (&message.to, message.from.member_id()) {
        (ConversationId::Thread(_), Some(MemberId::Agent(agent))) => Some(agent),
        _ => None,
    }
}

/// The agent that is told of messages in a thread because it wrote the message above it.
pub fn thread_root_agent(root: &Message) -> Option<AgentId> {
    root.from.member_id().and_then(|member| member.agent().cloned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::{ChannelId, PersonId};

    fn agent(bits: u128) -> AgentId {
        AgentId::from_bits(bits)
    }

    #[test]
    fn the_strongest_reason_counts_and_each_agent_once() {
        let listeners =
            Listeners { subscribers: vec![agent(1), agent(2)], thread_agents: vec![agent(2)], dm_agents: vec![] };
        let found = deliveries(None, &[agent(1).into(), agent(1).into()], &listeners);
        let expected = [(1, DeliveryReason::Mention), (2, DeliveryReason::Thread)];
        let expected = expected.map(|(bits, reason)| Recipient { agent_id: agent(bits), reason });
        assert_eq!(found, expected);
    }

    #[test]
    fn people_and_the_author_get_no_row() {
        let author: MemberId = agent(1).into();
        let listeners = Listeners { subscribers: vec![agent(1)], dm_agents: vec![agent(1)], ..Listeners::default() };
        let mentions = [author.clone(), PersonId::from_bits(1).into()];
        assert_eq!(deliveries(Some(&author), &mentions, &listeners), []);
    }

    #[test]
    fn a_sum_leaves_out_what_is_read() {
        let conversation = |bits, unread, mentions| ConversationUnread {
            conversation_id: ChannelId::from_bits(bits).into(),
            conversation_type: ConversationType::Channel,
            unread,
            mentions,
            read_seq: 1,
            last_seq: 1 + unread,
        };
        let rows = vec![conversation(1, 3, 1), conversation(2, 0, 0), conversation(3, 2, 0)];
        let sum = Unread::sum(ProjectId::from_bits(1), rows);
        assert_eq!((sum.total, sum.mentions, sum.conversations.len()), (5, 1, 2));
    }

    proptest! {
        #[test]
        fn nobody_is_told_twice_and_never_the_author(
            subscribers in proptest::collection::vec(0u128..8, 0..8),
            thread in proptest::collection::vec(0u128..8, 0..8),
            mentions in proptest::collection::vec(0u128..8, 0..8),
            author in 0u128..8,
        ) {
            let ids = |bits: &[u128]| bits.iter().map(|bit| agent(*bit)).collect::<Vec<_>>();
            let listeners =
                Listeners { subscribers: ids(&subscribers), thread_agents: ids(&thread), dm_agents: vec![] };
            let mentions: Vec<MemberId> = ids(&mentions).into_iter().map(MemberId::from).collect();
            let author: MemberId = agent(author).into();
            let found = deliveries(Some(&author), &mentions, &listeners);
            let mut recipients: Vec<_> = found.iter().map(|one| one.agent_id.clone()).collect();
            recipients.dedup();
            prop_assert_eq!(recipients.len(), found.len());
            prop_assert!(recipients.iter().all(|one| Some(one) != author.agent()));
        }
    }
}
