use parlour_core::{
    Code,
    attribution::Attribution,
    question::Settlement,
    run::{Pause, PauseReason, Run},
    write::Write,
};

use super::{
    RunSupervisor,
    run_supervisor::{ignore_refusals, ignore_lost_race},
};
use crate::Failure;

impl RunSupervisor {
    /// Lets a run go on from these pauses. The first that it is no longer paused by is refused (`NotPaused`), unless
    /// another one could be ended.
    pub(crate) async fn resume_paused(
        &self,
        attribution: Attribution,
        run: Run,
        pauses: Vec<Pause>,
        detail: String,
    ) -> Result<(), Failure> {
        let (mut has_gone_on, mut refused) = (false, None);
        for pause in pauses {
            let outcome = match pause.reason {
                PauseReason::Asked => self.withdraw_own_question(&attribution, &run, &pause).await,
                PauseReason::Message => self.handle(&attribution, &run, &pause, &detail).await,
            };
            match outcome {
                Ok(()) => has_gone_on = true,
                Err(Failure::Refused(refusal)) if refusal.code == Code::NotPaused => {
                    refused = refused.or(Some(refusal))
                }
                Err(failure) => return Err(failure),
            }
        }
        match refused {
            Some(refusal) if !has_gone_on => Err(refusal.into()),
            _ => Ok(()),
        }
    }

    /// The question of the run is taken back, and with its end the run goes on.
    async fn withdraw_own_question(&self, attribution: &Attribution, run: &Run, pause: &Pause) -> Result<(), Failure> {
        let write = Write::SettleQuestion(pause.message_id.clone(), Settlement::Withdrawn);
        let settled = self.append(&run.project_id, attribution.clone(), write).await;
        ignore_refusals(settled, &[Code::QuestionClosed, Code::Removed, Code::NotFound])?;
        self.try_release(&pause.message_id).await
    }

    /// The message is handled for all runs of the agent that it pauses.
    async fn handle(&self, attribution: &Attribution, run: &Run, pause: &Pause, detail: &str) -> Result<(), Failure> {
        let id = &pause.message_id;
        self.resume(attribution.clone(), run, Some(id), detail.to_owned()).await?;
        for other in self.store.runs_paused_by(id).await?.iter().filter(|one| one.agent_id == run.agent_id) {
            self.resume(attribution.clone(), other, Some(id), detail.to_owned()).await.or_else(ignore_lost_race)?;
        }
        Ok(())
    }
}
