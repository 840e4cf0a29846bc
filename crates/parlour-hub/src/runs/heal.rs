use parlour_core::{
    id::MessageId,
    limits,
    paging::PageRequest,
    question::Question,
    run::{Run, RunState},
};

use super::RunSupervisor;
use crate::Failure;

impl RunSupervisor {
    /// Looks at all runs that have not ended: those that run get a lease if they have none, and those that are paused by
    /// a question that has ended go on. So nothing is lost that an earlier life, or a failed write, left between.
    pub(super) async fn recover_open_runs(&self) -> Result<(), Failure> {
        let mut next = Some(PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?);
        while let Some(page) = next.take() {
            let runs = self.store.open_runs(&page).await?;
            for run in &runs.items {
                self.recover_run(run).await?;
            }
            next = runs.next.map(|key| PageRequest::new(Some(key), Some(limits::PAGE_ITEMS_MAX))).transpose()?;
        }
        Ok(())
    }

    async fn recover_run(&self, run: &Run) -> Result<(), Failure> {
        if run.state == RunState::Running {
            self.book.adopt(run, self.clock.now());
        }
        for pause in &run.pauses {
            if !self.is_open(&pause.message_id).await? {
                self.try_release(&pause.message_id).await?;
            }
        }
        Ok(())
    }

    pub(crate) async fn is_open(&self, id: &MessageId) -> Result<bool, Failure> {
        let message = self.store.message(id).await?;
        Ok(message.and_then(|message| message.question).as_ref().is_some_and(Question::is_open))
    }
}
