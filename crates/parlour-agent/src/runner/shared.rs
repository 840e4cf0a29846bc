//! What all parts of one runner share.

use std::sync::{Arc, Mutex, PoisonError};

use parlour_core::{id::MessageId, member::Agent};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Report, RunnerOptions};
use crate::{engine::Engine, link::Link};

pub(super) struct Shared {
    pub(super) link: Arc<dyn Link>,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) options: RunnerOptions,
    /// Tells the answers of this process from those of any other that runs the same agent.
    pub(super) claim: String,
    /// Cancelled when running answers have had their time and are to be stopped.
    pub(super) stopping: CancellationToken,
    report: Box<dyn Fn(Report) + Send + Sync>,
    agent: Mutex<Agent>,
}

impl Shared {
    pub(super) fn new(
        link: Arc<dyn Link>,
        engine: Arc<dyn Engine>,
        options: RunnerOptions,
        report: Box<dyn Fn(Report) + Send + Sync>,
        agent: Agent,
    ) -> Self {
        let claim = Uuid::now_v7().to_string();
        let stopping = CancellationToken::new();
        Self { link, engine, options, claim, stopping, report, agent: Mutex::new(agent) }
    }

    /// The agent, as it is now.
    pub(super) fn agent(&self) -> Agent {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The agent was changed: its next answers follow its new instructions.
    pub(super) fn change_agent(&self, agent: Agent) {
        *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = agent;
    }

    pub(super) fn tell(&self, report: Report) {
        (self.report)(report);
    }
}

/// An id for a message that nobody else comes to.
pub(super) fn fresh_id() -> MessageId {
    MessageId::from_bits(Uuid::now_v7().as_u128())
}
