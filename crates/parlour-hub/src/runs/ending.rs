use parlour_core::{
    Code,
    attribution::Attribution,
    event::Change,
    question::Settlement,
    run::{PauseReason, Run, RunEnd},
    write::Write,
};

use super::{RunSupervisor, run_supervisor::ignore_refusals};
use crate::{Failure, use_cases::unexpected_change};

impl RunSupervisor {
    /// Ends a run. The questions that it waits for are taken back first: should the hub die after that, the run goes on
    /// at the next start and ends with its lease, and nobody is left asked in vain.
    pub(crate) async fn end_run(&self, attribution: Attribution, run: &Run, end: RunEnd) -> Result<Run, Failure> {
        run.ended(&end, attribution.at)?;
        let asked = run.pauses.iter().filter(|pause| pause.reason == PauseReason::Asked);
        let asked: Vec<_> = asked.map(|pause| pause.message_id.clone()).collect();
        for id in &asked {
            let write = Write::SettleQuestion(id.clone(), Settlement::Withdrawn);
            let taken_back = self.append(&run.project_id, attribution.clone(), write).await;
            ignore_refusals(taken_back, &[Code::QuestionClosed, Code::NotFound, Code::Removed])?;
        }
        let ended = self.append(&run.project_id, attribution, Write::EndRun(run.id.clone(), end)).await;
        // Others who were paused by its questions go on, whatever became of the end.
        for id in &asked {
            self.release(id).await;
        }
        match ended?.change {
            Change::RunEnded(run) => Ok(*run),
            other => Err(unexpected_change(&other)),
        }
    }
}
