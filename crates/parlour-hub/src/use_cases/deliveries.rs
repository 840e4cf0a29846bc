//! Deliveries of messages, and reports about them.

use std::collections::BTreeMap;

use parlour_core::{
    Refusal,
    access::{self, Principal},
    conversation::Conversation,
    delivery::{Delivery, DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::{AgentId, ConversationId, MemberId, MessageId, RunId},
    limits,
    member::Agent,
    message::Message,
    scope::Scope,
    write::Write,
};

use crate::{
    Failure,
    failure::{replace_refusal, unexpected_change},
    use_cases::InboxService,
    waiters::Topic,
};

/// A request to wait for deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryWait {
    /// The state that each delivery has to reach.
    pub state: DeliveryState,
    /// Only the delivery to this recipient.
    pub recipient: Option<MemberId>,
    pub seconds: u64,
}

/// A report of a delivery path about messages of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportDeliveries {
    /// Absent means the caller.
    pub agent_id: Option<AgentId>,
    /// In any conversations; at most `DELIVERIES_PER_REPORT_MAX`.
    pub message_ids: Vec<MessageId>,
    /// The step that each delivery has made.
    pub step: DeliveryStep,
}

impl InboxService {
    /// The deliveries of a message: to agents with the message in their inbox, and to people who are mentioned or are in
    /// the DM. For everybody who may read the message.
    pub(crate) async fn deliveries(&self, caller: &Principal, id: &MessageId) -> Result<Vec<Delivery>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        self.deliveries_of(caller, &message).await
    }

    /// The deliveries as soon as each has reached the state or cannot reach it any more, or when the time is over.
    pub(crate) async fn wait_deliveries(
        &self,
        caller: &Principal,
        id: &MessageId,
        wait: DeliveryWait,
    ) -> Result<Vec<Delivery>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        // The conversation of a message never changes, so it can be read before the waiter is registered.
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        let topics = vec![Topic::Message(id.clone()), Topic::Conversation(message.to)];
        let waiter = self.waiters.register(topics, self.clock.now(), wait.seconds)?;
        loop {
            let (message, _) = self.access.load_visible_message(caller, id).await?;
            let found = meant(self.deliveries_of(caller, &message).await?, wait.recipient.as_ref())?;
            let is_settled = found.iter().all(|delivery| delivery.state.settles(wait.state));
            if is_settled || !waiter.wait_for_change(self.clock.as_ref()).await {
                return Ok(found);
            }
        }
    }

    /// Records a report of an agent, or of a caller that may act for it, and returns the deliveries afterwards. Repeating a
    /// report changes nothing.
    pub(crate) async fn report_deliveries(
        &self,
        caller: &Principal,
        request: ReportDeliveries,
    ) -> Result<Vec<Delivery>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        request.step.check()?;
        check_count(request.message_ids.len())?;
        let agent = self.acting_agent(caller, request.agent_id.as_ref()).await?;
        self.check_reported_run(&agent, request.step.run_id.as_ref()).await?;
        let mut found = Vec::new();
        for (conversation_id, message_ids) in self.by_conversation(caller, &request.message_ids).await? {
            let step = request.step.clone();
            let report = DeliveryReport { agent_id: agent.id.clone(), conversation_id, message_ids, step };
            found.extend(self.report(caller, &agent, report).await?);
        }
        Ok(found)
    }

    /// Writes a report and returns the deliveries afterwards.
    pub(super) async fn report(
        &self,
        caller: &Principal,
        agent: &Agent,
        report: DeliveryReport,
    ) -> Result<Vec<Delivery>, Failure> {
        let (recipient, ids) = (MemberId::from(agent.id.clone()), report.message_ids.clone());
        let changed = match self.writer.append(caller, &agent.project_id, Write::ReportDeliveries(report)).await?.change
        {
            Change::Delivered(mark) => mark.deliveries,
            other => return Err(unexpected_change(&other)),
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let moved = changed.iter().find(|one| one.message_id == id && one.recipient == recipient);
            match moved {
                Some(delivery) => found.push(delivery.clone()),
                // The report did not move it.
                None => found.extend(self.delivery_to(&id, &recipient).await?),
            }
        }
        Ok(found)
    }

    /// The delivery of a message to one member.
    pub(super) async fn delivery_to(&self, id: &MessageId, member: &MemberId) -> Result<Option<Delivery>, Failure> {
        let deliveries = self.store.deliveries(id, &[]).await?;
        Ok(deliveries.into_iter().find(|one| one.recipient == *member))
    }

    /// The agent of a request: the caller, or an agent that the caller may act for.
    pub(super) async fn acting_agent(&self, caller: &Principal, named: Option<&AgentId>) -> Result<Agent, Failure> {
        let Some(id) = named.or(caller.member.agent()) else {
            return Err(Refusal::invalid("say which agent it is about").at("agent_id").into());
        };
        let (agent, _) = self.access.load_visible_agent(caller, id).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        Ok(agent)
    }

    /// Groups readable messages by conversation, each once.
    pub(super) async fn by_conversation(
        &self,
        caller: &Principal,
        ids: &[MessageId],
    ) -> Result<BTreeMap<ConversationId, Vec<MessageId>>, Failure> {
        let mut found: BTreeMap<ConversationId, Vec<MessageId>> = BTreeMap::new();
        for (index, id) in ids.iter().enumerate() {
            let refuse = || Refusal::not_found("message", id).at(&format!("message_ids[{index}]"));
            let message = self.store.message(id).await?.ok_or_else(refuse)?;
            if !found.contains_key(&message.to) {
                self.access.load_visible_conversation(caller, &message.to).await.map_err(replace_refusal(refuse()))?;
            }
            let here = found.entry(message.to).or_default();
            if !here.contains(id) {
                here.push(id.clone());
            }
        }
        Ok(found)
    }

    async fn deliveries_of(&self, caller: &Principal, message: &Message) -> Result<Vec<Delivery>, Failure> {
        let author = message.from.member_id();
        let mut people: Vec<MemberId> = message.mentions.clone();
        if let ConversationId::Dm(_) = &message.to
            && let Some((Conversation::Dm(dm), _)) = self.store.conversation(&message.to, &caller.member).await?
        {
            people.extend(dm.participants);
        }
        people.retain(|member| member.person().is_some() && Some(member) != author.as_ref());
        people.sort();
        people.dedup();
        self.store.deliveries(&message.id, &people).await
    }

    /// Refuses a run of another agent. The run may belong to any conversation, so that its deliveries fail with it; the
    /// store shows it only to those who see the run.
    async fn check_reported_run(&self, agent: &Agent, id: Option<&RunId>) -> Result<(), Failure> {
        let Some(id) = id else { return Ok(()) };
        match self.store.run(id).await? {
            Some(run) if run.agent_id == agent.id => Ok(()),
            _ => Err(Refusal::not_found("run", id).at("run_id").into()),
        }
    }
}

/// Refuses a list of messages that is empty or too long.
pub(super) fn check_count(count: usize) -> Result<(), Refusal> {
    let most = limits::DELIVERIES_PER_REPORT_MAX;
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{count} messages are named; 1 to {most} are taken")).at("message_ids"))
}

/// Selects the delivery to this recipient, or all.
fn meant(found: Vec<Delivery>, recipient: Option<&MemberId>) -> Result<Vec<Delivery>, Refusal> {
    let Some(recipient) = recipient else { return Ok(found) };
    let to_one: Vec<Delivery> = found.into_iter().filter(|one| one.recipient == *recipient).collect();
    if to_one.is_empty() {
        return Err(Refusal::not_found("recipient", recipient).at("recipient"));
    }
    Ok(to_one)
}
