//! Deliveries: what has become of a message, and the reports of those who know.

use parlour_core::{
    access::Principal,
    delivery::{Delivery, DeliveryState, DeliveryStep},
    id::{AgentId, MemberId, MessageId},
    scope::Scope,
};

use crate::{Failure, Fault, Hub};

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

/// What a door has done with messages of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportDeliveries {
    /// The agent; absent means the caller.
    pub agent_id: Option<AgentId>,
    /// The messages, in any conversations; at most `DELIVERIES_PER_REPORT_MAX`.
    pub message_ids: Vec<MessageId>,
    /// What happened to each.
    pub step: DeliveryStep,
}

fn unbuilt() -> Failure {
    Fault::new("delivery", "not built yet").into()
}

impl Hub {
    /// What has become of a message for each of its recipients: agents that got it into their inbox, and people whom it
    /// mentions or who share the dm. For everybody who reads it.
    pub async fn deliveries(&self, caller: &Principal, id: &MessageId) -> Result<Vec<Delivery>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = id;
        Err(unbuilt())
    }

    /// The same as soon as all of them have come so far or will not, or after the time as they are.
    pub async fn wait_deliveries(
        &self,
        caller: &Principal,
        id: &MessageId,
        wait: DeliveryWait,
    ) -> Result<Vec<Delivery>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (id, wait);
        Err(unbuilt())
    }

    /// Takes the report of an agent, or of somebody who may act for it, about what it did with its messages. What is no
    /// news changes nothing. Answers the deliveries as they are now.
    pub async fn report_deliveries(
        &self,
        caller: &Principal,
        wish: ReportDeliveries,
    ) -> Result<Vec<Delivery>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        wish.step.check()?;
        Err(unbuilt())
    }
}
