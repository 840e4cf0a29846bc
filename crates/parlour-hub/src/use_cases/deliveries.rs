//! Deliveries: what has become of a message, and the reports of those who know.

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
    Failure, Hub,
    failure::{replace_refusal, unexpected_change},
    waiters::Topic,
};

/// What somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryWait {
    /// The state that each delivery is to have reached.
    pub state: DeliveryState,
    /// Only of this recipient.
    pub recipient: Option<MemberId>,
    /// For how many seconds.
    pub seconds: u64,
}

/// What a delivery path has done with messages of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportDeliveries {
    /// The agent; absent means the caller.
    pub agent_id: Option<AgentId>,
    /// The messages, in any conversations; at most `DELIVERIES_PER_REPORT_MAX`.
    pub message_ids: Vec<MessageId>,
    /// What happened to each.
    pub step: DeliveryStep,
}

impl Hub {
    /// What has become of a message for each of its recipients: agents that got it into their inbox, and people whom it
    /// mentions or who share the dm. For everybody who reads it.
    pub async fn deliveries(&self, caller: &Principal, id: &MessageId) -> Result<Vec<Delivery>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        self.deliveries_of(caller, &message).await
    }

    /// The same as soon as all of them have come so far or will not, or after the time as they are.
    pub async fn wait_deliveries(
        &self,
        caller: &Principal,
        id: &MessageId,
        wait: DeliveryWait,
    ) -> Result<Vec<Delivery>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        // The conversation of a message never changes, so it may be asked before the bell is there.
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        let topics = vec![Topic::Message(id.clone()), Topic::Conversation(message.to)];
        let waiter = self.run_supervisor.waiters.register(topics, self.clock.now(), wait.seconds)?;
        loop {
            let (message, _) = self.access.load_visible_message(caller, id).await?;
            let found = meant(self.deliveries_of(caller, &message).await?, wait.recipient.as_ref())?;
            let is_settled = found.iter().all(|delivery| delivery.state.settles(wait.state));
            if is_settled || !waiter.rings(self.clock.as_ref()).await {
                return Ok(found);
            }
        }
    }

    /// Takes the report of an agent, or of somebody who may act for it, about what it did with its messages. What is no
    /// news changes nothing. Answers the deliveries as they are now.
    pub async fn report_deliveries(
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

    /// Writes a report, and answers the deliveries as they are then.
    pub(super) async fn report(
        &self,
        caller: &Principal,
        agent: &Agent,
        report: DeliveryReport,
    ) -> Result<Vec<Delivery>, Failure> {
        let (recipient, ids) = (MemberId::from(agent.id.clone()), report.message_ids.clone());
        let told = match self.writer.append(caller, &agent.project_id, Write::ReportDeliveries(report)).await?.change {
            Change::Delivered(mark) => mark.deliveries,
            other => return Err(unexpected_change(&other)),
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let moved = told.iter().find(|one| one.message_id == id && one.recipient == recipient);
            match moved {
                Some(delivery) => found.push(delivery.clone()),
                // It was no news.
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

    /// The agent that a request is about: the caller, or one that it may act for.
    pub(super) async fn acting_agent(&self, caller: &Principal, named: Option<&AgentId>) -> Result<Agent, Failure> {
        let Some(id) = named.or(caller.member.agent()) else {
            return Err(Refusal::invalid("say which agent it is about").at("agent_id").into());
        };
        let (agent, _) = self.access.load_visible_agent(caller, id).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        Ok(agent)
    }

    /// Messages that the caller reads, by conversation, each once.
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

    /// Refuses a run in which it did not happen: it must be the agent's own. It is kept whatever conversation it belongs to,
    /// so that what it was shown fails with it; the store tells it only to those who see it.
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

/// The deliveries to this recipient, or all.
fn meant(found: Vec<Delivery>, recipient: Option<&MemberId>) -> Result<Vec<Delivery>, Refusal> {
    let Some(recipient) = recipient else { return Ok(found) };
    let to_one: Vec<Delivery> = found.into_iter().filter(|one| one.recipient == *recipient).collect();
    if to_one.is_empty() {
        return Err(Refusal::not_found("recipient", recipient).at("recipient"));
    }
    Ok(to_one)
}
