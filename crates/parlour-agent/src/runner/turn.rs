//! The run of one answer, or of one task: begun at the hub, kept alive, paused when the hub says so, and ended.
//!
//! The id of a run is that of the message it writes, with another prefix. So whoever runs the agent later can tell from
//! the message whether somebody still works on the run (`tidying`), and a run that was begun twice is the same.
//!
//! An answer does not depend on its run: where the hub does not take one, it is made without.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use parlour_core::{
    Code,
    delivery::DeliveryPath,
    id::{ConversationId, MessageId, RunId, TaskId},
    limits,
    run::{FinishRun, RunState, StartRun},
    usage::Usage,
};
use tokio::time::sleep;
use uuid::Uuid;

use super::{Report, control::Control, prompt::Asked, shared::Shared, words};
use crate::{engine::Prompt, link::LinkError, streaming::patiently};

mod checkpoints;
mod deliveries;

use deliveries::Told;

/// How often a run gives a sign of life: several times in its lease.
const BEAT_PAUSE: Duration = Duration::from_secs(limits::RUN_LEASE_SECONDS_DEFAULT as u64 / 6);

/// What a run is about.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnWish {
    /// The message that it writes.
    pub(super) answer: Option<MessageId>,
    pub(super) label: String,
    pub(super) conversation: Option<ConversationId>,
    /// The message that led to it.
    pub(super) message: Option<MessageId>,
    pub(super) task: Option<TaskId>,
    /// How messages come into its prompt.
    pub(super) delivered_via: Option<DeliveryPath>,
}

/// How a turn went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TurnEnd {
    Done,
    Failed(String),
    /// Somebody stopped the answer.
    Cancelled(Option<String>),
}

/// The run of what is being made. Without a run at the hub it only reports what has become of messages.
pub(super) struct Turn {
    shared: Arc<Shared>,
    control: Arc<Control>,
    run: Option<RunId>,
    /// The messages of the agent's inbox that stand in the prompt.
    shown: Vec<MessageId>,
    delivered_via: DeliveryPath,
    told: Mutex<Told>,
}

impl Turn {
    /// Begins the run, if the hub takes it.
    pub(super) async fn begin(shared: &Arc<Shared>, control: &Arc<Control>, request: TurnWish) -> Self {
        let delivered_via = request.delivered_via.unwrap_or(DeliveryPath::Prompt);
        let run = match start(shared, request).await {
            Ok(run) => Some(run),
            Err(error) => {
                shared.tell_without_runs(&error);
                None
            }
        };
        if let Some(run) = &run {
            control.set_run(run);
        }
        let (shown, told) = (Vec::new(), Mutex::default());
        Self { shared: shared.clone(), control: control.clone(), run, shown, delivered_via, told }
    }

    /// Takes over what the engine will be shown, and answers what it is asked.
    pub(super) fn show(&mut self, asked: Asked) -> Prompt {
        self.shown = asked.shown;
        asked.prompt
    }

    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }

    /// Keeps the run alive, asks for it whether it may go on, and reports what has become of messages: as long as the
    /// engine works. Returns when somebody has stopped the run, with the reason.
    pub(super) async fn drive(&self) -> String {
        tokio::select! {
            biased;
            why = self.control.run_stopped() => why,
            why = self.keep_asking() => why,
            why = self.keep_alive() => why,
            why = self.report_for_ever() => why,
        }
    }

    async fn keep_alive(&self) -> String {
        let Some(run) = &self.run else { return std::future::pending().await };
        loop {
            sleep(BEAT_PAUSE).await;
            if !self.control.can_ask() {
                return std::future::pending().await;
            }
            match self.shared.link.beat_run(run).await {
                Err(error) if error.is(Code::RunEnded) => {
                    if let Some(why) = self.why_ended(run).await {
                        return why;
                    }
                }
                _ => {}
            }
        }
    }

    /// Why the run was stopped, if it was; a run that has ended otherwise is let go, and the answer goes on without.
    async fn why_ended(&self, id: &RunId) -> Option<String> {
        let ended = patiently(|| self.shared.link.await_run(id)).await;
        match ended {
            Ok(run) if run.state == RunState::Cancelled => Some(stopped_for(run.reason)),
            Ok(run) if run.state.is_open() => None,
            _ => {
                self.control.stop_asking();
                None
            }
        }
    }

    /// Ends the run as what came of it, after what is left to report.
    pub(super) async fn end(self, end: TurnEnd, usage: Option<Usage>) {
        self.report_rest().await;
        let Some(run) = self.run.as_ref().filter(|_| self.control.can_ask()) else { return };
        let failed = match end {
            TurnEnd::Done => None,
            TurnEnd::Failed(reason) => Some(words::reason(&reason)),
            TurnEnd::Cancelled(reason) => {
                let reason = reason.map(|reason| words::reason(&reason));
                // One that was stopped itself has ended already.
                let _ = patiently(|| self.shared.link.cancel_run(run, reason.clone())).await;
                return;
            }
        };
        let request = FinishRun { failed, usage };
        // A run that cannot be ended ends with its lease.
        if let Ok(finished) = patiently(|| self.shared.link.finish_run(run, &request)).await
            && let Some(nudge) = finished.nudge
        {
            self.shared.tell(Report::Nudge(nudge));
        }
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stopped_for(reason: Option<String>) -> String {
    reason.unwrap_or_else(|| "its run was stopped".to_owned())
}

/// Begins a run. One of the same id that has ended belongs to an earlier try, and another is begun beside it.
async fn start(shared: &Shared, request: TurnWish) -> Result<RunId, LinkError> {
    let id = request.answer.as_ref().and_then(run_of).unwrap_or_else(fresh_run);
    let mut start = StartRun {
        id: Some(id),
        label: Some(words::label(&request.label)),
        message_id: request.message,
        task_id: request.task,
        ..StartRun::default()
    };
    match request.conversation {
        Some(ConversationId::Channel(id)) => start.channel_id = Some(id),
        Some(ConversationId::Thread(id)) => start.thread_id = Some(id),
        Some(ConversationId::Dm(id)) => start.dm_id = Some(id),
        None => {}
    }
    let run = match shared.link.start_run(&start).await {
        Ok(run) if run.state.is_open() => run,
        Ok(_) => {
            start.id = Some(fresh_run());
            shared.link.start_run(&start).await?
        }
        Err(error) => return Err(error),
    };
    shared.tell(Report::Running { run_id: run.id.clone(), label: start.label.unwrap_or_default() });
    Ok(run.id)
}

fn fresh_run() -> RunId {
    RunId::from_bits(Uuid::now_v7().as_u128())
}

/// The run that writes this message.
pub(super) fn run_of(answer: &MessageId) -> Option<RunId> {
    let bits = answer.as_str().strip_prefix(MessageId::PREFIX)?;
    format!("{}{bits}", RunId::PREFIX).parse().ok()
}

/// The message that this run writes, if it is the run of a runner.
pub(super) fn answer_of(run: &RunId) -> Option<MessageId> {
    let bits = run.as_str().strip_prefix(RunId::PREFIX)?;
    format!("{}{bits}", MessageId::PREFIX).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_and_its_message_lead_to_each_other() {
        let answer = MessageId::from_bits(0xCAFE);
        let run = run_of(&answer).expect("a run");
        assert_eq!((run.clone(), answer_of(&run)), (RunId::from_bits(0xCAFE), Some(answer)));
    }

    #[test]
    fn a_run_gives_several_signs_in_its_lease() {
        assert!(BEAT_PAUSE * 3 < Duration::from_secs(limits::RUN_LEASE_SECONDS_DEFAULT as u64));
        assert!(!BEAT_PAUSE.is_zero());
    }
}
