//! Small things that are told to the hub beside the work, and that nothing waits for.

use parlour_core::{
    delivery::{DeliveryState, DeliveryStep},
    id::{MessageId, RunId},
    limits,
    run::Run,
};

use super::Keeper;
use crate::runner::{interjecting, tidying};

/// Chores at once; what has no room is left, and nothing is claimed that did not happen.
const CHORES_MAX: usize = 200;

impl Keeper {
    /// Says that a message is known here and has to wait.
    pub(super) fn report_queued(&mut self, message: MessageId) {
        let shared = self.shared.clone();
        self.do_chore(async move {
            let step = DeliveryStep::to(DeliveryState::Queued);
            let _ = shared.link.report_deliveries(&[message], &step).await;
        });
    }

    /// Lets go on what this message has paused.
    pub(super) fn resume_paused_by(&mut self, message: &MessageId) {
        let paused = self.running.iter().filter(|running| running.control.is_paused_by(message));
        let runs: Vec<RunId> = paused.filter_map(|running| running.control.run().cloned()).collect();
        if !runs.is_empty() {
            self.do_chore(interjecting::resume(self.shared.clone(), runs, message.clone()));
        }
    }

    /// Takes note of runs that are none of this process, and ends those that nobody works on.
    pub(super) fn take_other_runs(&mut self, open: &[Run]) {
        let is_own = |id: &RunId| self.running.iter().any(|running| running.control.is_run(id));
        let others = open.iter().map(|run| &run.id).filter(|id| !is_own(id)).take(limits::RUNS_PER_AGENT_MAX);
        self.other_runs = others.cloned().collect();
        for run in self.other_runs.clone() {
            self.tidy(run);
        }
    }

    /// Ends a run that nobody works on.
    pub(super) fn tidy(&mut self, run: RunId) {
        let shared = self.shared.clone();
        self.do_chore(async move { tidying::tidy(&shared, &run).await });
    }

    fn do_chore(&mut self, chore: impl Future<Output = ()> + Send + 'static) {
        if self.chores.len() < CHORES_MAX {
            self.chores.spawn(chore);
        }
    }
}
