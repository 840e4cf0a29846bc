//! Marking several messages as read.

use parlour_core::{
    Refusal,
    access::Principal,
    delivery::{DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::{AgentId, ConversationId, MemberId, MessageId},
    inbox::{InboxFilter, ReadMark},
    limits,
    member::Agent,
    message::Message,
    paging::PageRequest,
    scope::Scope,
    write::Write,
};

use crate::{
    Failure,
    failure::{replace_refusal, unexpected_change},
    ports::HistoryRange,
    use_cases::{InboxService, deliveries::check_count},
};

/// A request to mark messages as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMessages {
    /// The reading agent; absent means the caller.
    pub agent_id: Option<AgentId>,
    /// At most `DELIVERIES_PER_REPORT_MAX`.
    pub message_ids: Vec<MessageId>,
    /// Instead of `message_ids`: the unread messages of this conversation.
    pub conversation_id: Option<ConversationId>,
    /// Only up to this message of the conversation.
    pub up_to: Option<MessageId>,
}

/// The result of marking messages as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// Messages that were unread before.
    pub read: u64,
    /// Messages that had been read before.
    pub already: u64,
    /// Messages that are left for another request.
    pub left: u64,
}

impl InboxService {
    /// Marks messages as read. Repeating it changes nothing.
    ///
    /// A person has a read position, so marking a message marks everything before it too.
    pub(crate) async fn read_messages(
        &self,
        caller: &Principal,
        request: ReadMessages,
    ) -> Result<ReadOutcome, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        check_shape(&request)?;
        let up_to = self.load_up_to(caller, &request).await?;
        let is_for_agent = request.agent_id.is_some() || caller.member.agent().is_some();
        if is_for_agent {
            let agent = self.acting_agent(caller, request.agent_id.as_ref()).await?;
            return match &request.conversation_id {
                Some(conversation) => self.agent_reads_conversation(caller, &agent, conversation, up_to.as_ref()).await,
                None => self.agent_reads(caller, &agent, &request.message_ids).await,
            };
        }
        match &request.conversation_id {
            Some(conversation) => self.person_reads_conversation(caller, conversation, up_to).await,
            None => self.person_reads(caller, &request.message_ids).await,
        }
    }

    /// The message `up_to` of a readable conversation.
    async fn load_up_to(&self, caller: &Principal, request: &ReadMessages) -> Result<Option<Message>, Failure> {
        let Some(conversation) = &request.conversation_id else { return Ok(None) };
        self.access.load_visible_conversation(caller, conversation).await?;
        let Some(id) = &request.up_to else { return Ok(None) };
        let refuse = || Refusal::not_found("message", id).at("up_to");
        let (message, _) = self.access.load_visible_message(caller, id).await.map_err(replace_refusal(refuse()))?;
        if message.to == *conversation { Ok(Some(message)) } else { Err(refuse().into()) }
    }

    async fn agent_reads(&self, caller: &Principal, agent: &Agent, ids: &[MessageId]) -> Result<ReadOutcome, Failure> {
        let member = MemberId::from(agent.id.clone());
        let mut outcome = ReadOutcome::default();
        for (conversation, ids) in self.by_conversation(caller, ids).await? {
            let mut unread = Vec::new();
            for id in ids {
                // A message that was not delivered to the agent counts as read.
                match self.delivery_to(&id, &member).await? {
                    Some(delivery) if delivery.seen_at.is_none() => unread.push(id),
                    _ => outcome.already += 1,
                }
            }
            outcome.read += unread.len() as u64;
            self.report_seen(caller, agent, conversation, unread).await?;
        }
        Ok(outcome)
    }

    async fn agent_reads_conversation(
        &self,
        caller: &Principal,
        agent: &Agent,
        conversation: &ConversationId,
        up_to: Option<&Message>,
    ) -> Result<ReadOutcome, Failure> {
        let filter = InboxFilter { conversation_id: Some(conversation.clone()), ..InboxFilter::default() };
        let page = PageRequest::new(None, Some(limits::DELIVERIES_PER_REPORT_MAX.min(limits::PAGE_ITEMS_MAX)))?;
        let first = self.store.inbox(&agent.id, &filter, &page).await?;
        let is_wanted = |message: &Message| up_to.is_none_or(|last| message.seq <= last.seq);
        let wanted = first.items.iter().map(|entry| &entry.message).filter(|message| is_wanted(message));
        let ids: Vec<MessageId> = wanted.map(|message| message.id.clone()).collect();
        let read = ids.len() as u64;
        self.report_seen(caller, agent, conversation.clone(), ids).await?;
        let left = self.store.inbox_count_in(&agent.id, conversation, up_to.map(|last| last.seq)).await?;
        Ok(ReadOutcome { read, already: 0, left })
    }

    async fn report_seen(
        &self,
        caller: &Principal,
        agent: &Agent,
        conversation_id: ConversationId,
        message_ids: Vec<MessageId>,
    ) -> Result<(), Failure> {
        if message_ids.is_empty() {
            return Ok(());
        }
        let step = DeliveryStep::to(DeliveryState::Seen);
        let report = DeliveryReport { agent_id: agent.id.clone(), conversation_id, message_ids, step };
        self.report(caller, agent, report).await.map(drop)
    }

    async fn person_reads(&self, caller: &Principal, ids: &[MessageId]) -> Result<ReadOutcome, Failure> {
        let mut outcome = ReadOutcome::default();
        for ids in self.by_conversation(caller, ids).await?.into_values() {
            let mut messages = Vec::with_capacity(ids.len());
            for id in ids {
                messages.extend(self.store.message(&id).await?);
            }
            let Some(last) = messages.iter().max_by_key(|message| message.seq) else { continue };
            let before = self.read_seq(caller, last).await?;
            let fresh = messages.iter().filter(|message| message.seq > before).count() as u64;
            outcome.read += fresh;
            outcome.already += messages.len() as u64 - fresh;
            self.person_reads_up_to(caller, last).await?;
        }
        Ok(outcome)
    }

    async fn person_reads_conversation(
        &self,
        caller: &Principal,
        conversation: &ConversationId,
        up_to: Option<Message>,
    ) -> Result<ReadOutcome, Failure> {
        let last = match up_to {
            Some(message) => Some(message),
            None => self.store.messages(conversation, HistoryRange::Newest, 1).await?.into_iter().next(),
        };
        let Some(last) = last else { return Ok(ReadOutcome::default()) };
        let unread = self.store.unread(&last.project_id, caller).await?;
        let before = unread.iter().find(|one| one.conversation_id == *conversation).map_or(0, |one| one.unread);
        let mark = self.person_reads_up_to(caller, &last).await?;
        Ok(ReadOutcome { read: before.saturating_sub(mark.unread), already: 0, left: 0 })
    }

    /// The read position of the caller in the conversation of this message.
    async fn read_seq(&self, caller: &Principal, message: &Message) -> Result<u64, Failure> {
        let unread = self.store.unread(&message.project_id, caller).await?;
        let here = unread.into_iter().find(|one| one.conversation_id == message.to);
        // A conversation without unread messages is not listed.
        Ok(here.map_or(u64::MAX, |one| if one.unread == 0 { u64::MAX } else { one.read_seq }))
    }

    async fn person_reads_up_to(&self, caller: &Principal, message: &Message) -> Result<ReadMark, Failure> {
        let write = Write::MarkRead(message.id.clone(), caller.member.clone());
        match self.writer.append(caller, &message.project_id, write).await?.change {
            Change::Read(mark) => Ok(*mark),
            other => Err(unexpected_change(&other)),
        }
    }
}

/// Refuses a request that names neither messages nor a conversation, or both.
fn check_shape(request: &ReadMessages) -> Result<(), Refusal> {
    match (&request.conversation_id, request.message_ids.is_empty()) {
        (Some(_), true) => Ok(()),
        (None, false) if request.up_to.is_none() => check_count(request.message_ids.len()),
        _ => Err(Refusal::invalid("name message_ids, or a conversation_id with or without up_to").at("message_ids")),
    }
}
