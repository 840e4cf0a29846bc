//! Inboxes and unread counts: which agents receive a message, and what each reader has not read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    author::Author,
    checkpoint::Brief,
    conversation::ConversationType,
    id::{AgentId, ConversationId, MemberId, ProjectId},
    message::{Importance, Message},
};

/// Why an agent receives a message; the strongest reason counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryReason {
    /// It is subscribed to the channel.
    Subscription,
    /// It has written in the thread, or above it.
    Thread,
    /// It takes part in the DM.
    Dm,
    /// It was mentioned.
    Mention,
}

/// A message on its way to one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// The agent.
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

/// A filter and an order for the messages of an inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxFilter {
    /// Messages of at least this importance.
    pub importance: Option<Importance>,
    /// Messages that mention the agent.
    pub only_mentions: bool,
    /// Messages with an open question to the agent.
    pub only_blocking: bool,
    /// Messages of this conversation.
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

/// The unread messages of an inbox, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InboxCounts {
    /// Unread messages.
    pub total: u64,
    /// Messages that mention the agent.
    pub mentions: u64,
    /// Messages of high importance.
    pub high: u64,
    /// Messages of critical importance.
    pub critical: u64,
    /// Blocking messages.
    pub blocking: u64,
}

/// A short overview of the unread messages of one conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Digest {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The type of the conversation.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// The unread messages, counted.
    pub unread: InboxCounts,
    /// The first `DIGEST_NAMES_MAX` authors.
    pub from: Vec<Author>,
    /// The oldest unread message.
    pub oldest: Brief,
    /// The newest unread message.
    pub newest: Brief,
}

/// The unread messages of one conversation, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConversationUnread {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The type of the conversation.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// Messages that were not read.
    pub unread: u64,
    /// Unread messages that mention the reader.
    pub mentions: u64,
    /// The number of the last message that was read.
    pub read_seq: u64,
    /// The number of the last message.
    pub last_seq: u64,
}

/// The unread messages of a project, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Unread {
    /// The project.
    pub project_id: ProjectId,
    /// Unread messages in all conversations together.
    pub total: u64,
    /// Unread messages that mention the reader.
    pub mentions: u64,
    /// The conversations with something unread.
    pub conversations: Vec<ConversationUnread>,
}

/// The read position of a reader in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadMark {
    /// The reader.
    pub reader: MemberId,
    /// Where.
    pub conversation_id: ConversationId,
    /// The number of the message that was read.
    pub seq: u64,
    /// The number of unread messages of the conversation.
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

/// The agents that can receive a message of one conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listeners {
    /// Agents subscribed to the channel.
    pub subscribers: Vec<AgentId>,
    /// Agents that have written in the thread, and the author of the message above it.
    pub thread_agents: Vec<AgentId>,
    /// Agents in the DM.
    pub dm_agents: Vec<AgentId>,
}

/// Decides which agents get a message into their inbox: each once, with its strongest reason, never the author.
///
/// People have no inbox entries; their unread messages follow from their read position.
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
        // Later groups have stronger reasons, so they replace earlier entries.
        reasons.extend(agents.iter().map(|agent| (agent.clone(), reason)));
    }
    if let Some(author) = author.and_then(MemberId::agent) {
        reasons.remove(author);
    }
    reasons.into_iter().map(|(agent_id, reason)| Recipient { agent_id, reason }).collect()
}

/// The flags of a message in the inbox of one agent.
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

/// The agent that receives further messages of a thread because it wrote this one there.
pub fn joins_thread(message: &Message) -> Option<AgentId> {
    match (&message.to, message.from.member_id()) {
        (ConversationId::Thread(_), Some(MemberId::Agent(agent))) => Some(agent),
        _ => None,
    }
}

/// The agent that receives the messages of a thread because it wrote its root message.
pub fn thread_root_agent(root: &Message) -> Option<AgentId> {
    root.from.member_id().and_then(|member| member.agent().cloned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Timestamp,
        id::{ChannelId, PersonId, ThreadId},
        message::tests::sample,
        name::Name,
        question::{NewQuestion, Question, QuestionState},
    };

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
    fn people_and_the_author_are_no_recipients() {
        let author: MemberId = agent(1).into();
        let listeners = Listeners { subscribers: vec![agent(1)], dm_agents: vec![agent(1)], ..Listeners::default() };
        let mentions = [author.clone(), PersonId::from_bits(1).into()];
        assert_eq!(deliveries(Some(&author), &mentions, &listeners), []);
    }

    #[test]
    fn an_unread_sum_leaves_out_read_conversations() {
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

    #[test]
    fn inbox_flags_follow_from_the_mentions_and_the_open_question() {
        let open = NewQuestion::default().asked(vec![agent(1).into(), agent(2).into()], Timestamp::from_millis(0));
        let declined = Question { ignored_by: vec![agent(1).into()], ..open.clone() };
        let closed = Question { state: QuestionState::Expired, ..open.clone() };
        let cases = [
            ("nothing", vec![], None, (false, false)),
            ("a mention", vec![agent(1).into()], None, (true, false)),
            ("a mention of another", vec![agent(2).into()], None, (false, false)),
            ("an open question", vec![], Some(open.clone()), (false, true)),
            ("a question that the agent has declined", vec![], Some(declined), (false, false)),
            ("a closed question", vec![agent(1).into()], Some(closed), (true, false)),
            ("both", vec![agent(1).into()], Some(open), (true, true)),
        ];
        for (case, mentions, question, (is_mention, is_blocking)) in cases {
            let message = Message { mentions, question, ..sample() };
            assert_eq!(InboxFlags::of(&message, &agent(1)), InboxFlags { is_mention, is_blocking }, "{case}");
        }
    }

    #[test]
    fn agents_that_write_in_a_thread_or_wrote_its_root_follow_the_thread() {
        let name = Name::parse("Mara").expect("name");
        let by_agent = Author::member(&agent(1).into(), &name);
        let by_person = Author::member(&PersonId::from_bits(1).into(), &name);
        let foreign = Author { id: Some("tkr:agt_1".into()), ..by_agent.clone() };
        let thread = ConversationId::from(ThreadId::from_bits(1));
        let channel = ConversationId::from(ChannelId::from_bits(1));
        let cases = [
            ("an agent in a thread", by_agent.clone(), thread.clone(), Some(agent(1)), Some(agent(1))),
            ("an agent in a channel", by_agent, channel, None, Some(agent(1))),
            ("a person in a thread", by_person, thread.clone(), None, None),
            ("an imported message in a thread", foreign, thread, None, None),
        ];
        for (case, from, to, joining, root) in cases {
            let message = Message { from, to, ..sample() };
            assert_eq!((joins_thread(&message), thread_root_agent(&message)), (joining, root), "{case}");
        }
    }

    proptest! {
        #[test]
        fn each_agent_is_a_recipient_once_and_never_the_author(
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
