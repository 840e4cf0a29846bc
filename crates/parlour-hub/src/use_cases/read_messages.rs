//! Marking many messages as read.

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
    Failure, Hub,
    failure::{replace_refusal, unexpected_change},
    ports::HistoryRange,
    use_cases::deliveries::check_count,
};

/// Messages to be marked as read at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMessages {
    /// Who has read them; absent means the caller.
    pub agent_id: Option<AgentId>,
    /// The messages; at most `DELIVERIES_PER_REPORT_MAX`.
    pub message_ids: Vec<MessageId>,
    /// Instead of single messages: what is unread in this conversation.
    pub conversation_id: Option<ConversationId>,
    /// Only up to this message of the conversation.
    pub up_to: Option<MessageId>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// How many are read now that were not before.
    pub read: u64,
    /// How many had been read before.
    pub already: u64,
    /// How many of the wanted ones are left for another request.
    pub left: u64,
}

impl Hub {
    /// Marks many messages as read. Doing it again changes nothing.
    ///
    /// A person reads up to a message, and so everything before it too.
    pub async fn read_messages(&self, caller: &Principal, request: ReadMessages) -> Result<ReadOutcome, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        check_shape(&request)?;
        let up_to = self.see_up_to(caller, &request).await?;
        let is_for_agent = request.agent_id.is_some() || caller.member.agent().is_some();
        if is_for_agent {
            let agent = self.acting_agent(caller, request.agent_id.as_ref()).await?;
            return match &request.conversation_id {
                Some(place) => self.agent_reads_place(caller, &agent, place, up_to.as_ref()).await,
                None => self.agent_reads(caller, &agent, &request.message_ids).await,
            };
        }
        match &request.conversation_id {
            Some(place) => self.person_reads_place(caller, place, up_to).await,
            None => self.person_reads(caller, &request.message_ids).await,
        }
    }

    /// The last message that is wanted of a conversation which the caller reads.
    async fn see_up_to(&self, caller: &Principal, request: &ReadMessages) -> Result<Option<Message>, Failure> {
        let Some(place) = &request.conversation_id else { return Ok(None) };
        self.access.load_visible_conversation(caller, place).await?;
        let Some(id) = &request.up_to else { return Ok(None) };
        let refuse = || Refusal::not_found("message", id).at("up_to");
        let (message, _) = self.access.load_visible_message(caller, id).await.map_err(replace_refusal(refuse()))?;
        if message.to == *place { Ok(Some(message)) } else { Err(refuse().into()) }
    }

    async fn agent_reads(&self, caller: &Principal, agent: &Agent, ids: &[MessageId]) -> Result<ReadOutcome, Failure> {
        let member = MemberId::from(agent.id.clone());
        let mut outcome = ReadOutcome::default();
        for (place, ids) in self.by_conversation(caller, ids).await? {
            let mut unread = Vec::new();
            for id in ids {
                // What never was for the agent is nothing that it has to read.
                match self.delivery_to(&id, &member).await? {
                    Some(delivery) if delivery.seen_at.is_none() => unread.push(id),
                    _ => outcome.already += 1,
                }
            }
            outcome.read += unread.len() as u64;
            self.report_seen(caller, agent, place, unread).await?;
        }
        Ok(outcome)
    }

    async fn agent_reads_place(
        &self,
        caller: &Principal,
        agent: &Agent,
        place: &ConversationId,
        up_to: Option<&Message>,
    ) -> Result<ReadOutcome, Failure> {
        let filter = InboxFilter { conversation_id: Some(place.clone()), ..InboxFilter::default() };
        let page = PageRequest::new(None, Some(limits::DELIVERIES_PER_REPORT_MAX.min(limits::PAGE_ITEMS_MAX)))?;
        let first = self.store.inbox(&agent.id, &filter, &page).await?;
        let is_wanted = |message: &Message| up_to.is_none_or(|last| message.seq <= last.seq);
        let wanted = first.items.iter().map(|entry| &entry.message).filter(|message| is_wanted(message));
        let ids: Vec<MessageId> = wanted.map(|message| message.id.clone()).collect();
        let read = ids.len() as u64;
        self.report_seen(caller, agent, place.clone(), ids).await?;
        let left = self.store.inbox_count_in(&agent.id, place, up_to.map(|last| last.seq)).await?;
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

    async fn person_reads_place(
        &self,
        caller: &Principal,
        place: &ConversationId,
        up_to: Option<Message>,
    ) -> Result<ReadOutcome, Failure> {
        let last = match up_to {
            Some(message) => Some(message),
            None => self.store.messages(place, HistoryRange::Newest, 1).await?.into_iter().next(),
        };
        let Some(last) = last else { return Ok(ReadOutcome::default()) };
        let unread = self.store.unread(&last.project_id, caller).await?;
        let before = unread.iter().find(|one| one.conversation_id == *place).map_or(0, |one| one.unread);
        let mark = self.person_reads_up_to(caller, &last).await?;
        Ok(ReadOutcome { read: before.saturating_sub(mark.unread), already: 0, left: 0 })
    }

    /// The number up to which the caller has read where this message stands.
    async fn read_seq(&self, caller: &Principal, message: &Message) -> Result<u64, Failure> {
        let unread = self.store.unread(&message.project_id, caller).await?;
        let here = unread.into_iter().find(|one| one.conversation_id == message.to);
        // What has nothing unread is not told of: all of it is read.
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
