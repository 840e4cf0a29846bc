//! What all parts of one runner share.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use parlour_core::{id::MessageId, member::Agent, message::Importance};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Report, RunnerOptions, known::Known};
use crate::{
    engine::Engine,
    link::{Link, LinkError},
};

/// Messages that are wanted and not yet taken; who does not get a place asks again.
const WANTED_LEN_MAX: usize = 256;
/// Questions of the agent itself that are remembered.
const ASKED_LEN_MAX: usize = 1_000;

/// A message that pauses a run and is to be answered at once.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) message_id: MessageId,
    pub(super) importance: Importance,
    /// Whether an answer to it was begun before: only what was interrupted is then made again.
    pub(super) is_begun: bool,
}

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
    wanted: mpsc::Sender<Wanted>,
    /// What the agent has asked itself from here: whoever answers it calls nobody.
    asked: Mutex<Known<MessageId>>,
    has_told_without_runs: AtomicBool,
}

impl Shared {
    pub(super) fn new(
        link: Arc<dyn Link>,
        engine: Arc<dyn Engine>,
        options: RunnerOptions,
        report: Box<dyn Fn(Report) + Send + Sync>,
        agent: Agent,
    ) -> (Self, mpsc::Receiver<Wanted>) {
        let (wanted, taken) = mpsc::channel(WANTED_LEN_MAX);
        let shared = Self {
            link,
            engine,
            options,
            claim: Uuid::now_v7().to_string(),
            stopping: CancellationToken::new(),
            report,
            agent: Mutex::new(agent),
            wanted,
            asked: Mutex::new(Known::new(ASKED_LEN_MAX)),
            has_told_without_runs: AtomicBool::new(false),
        };
        (shared, taken)
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

    /// Says once that answers are made without runs, and why.
    pub(super) fn tell_without_runs(&self, error: &LinkError) {
        if !self.has_told_without_runs.swap(true, Ordering::Relaxed) {
            self.tell(Report::WithoutRuns(error.to_string()));
        }
    }

    /// Wants a message to be answered that pauses a run. One without room is wanted again before long.
    pub(super) fn want(&self, wanted: Wanted) {
        let _ = self.wanted.try_send(wanted);
    }

    /// Remembers a question that the agent asks from here.
    pub(super) fn remember_asked(&self, id: MessageId) {
        self.asked().insert(id);
    }

    pub(super) fn has_asked(&self, id: &MessageId) -> bool {
        self.asked().contains(id)
    }

    fn asked(&self) -> MutexGuard<'_, Known<MessageId>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id for a message that nobody else comes to.
pub(super) fn fresh_id() -> MessageId {
    MessageId::from_bits(Uuid::now_v7().as_u128())
}
