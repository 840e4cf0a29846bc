//! Open questions that block the agent.

use parlour_core::{context::Reason, limits};

use super::gather::Look;
use crate::Failure;

/// Questions that come before everything else; of more of them a pack says only that there are more.
const BLOCKS_MAX: usize = 40;

impl Look<'_> {
    /// What blocks the agent, the most important first. All of them are read, because hidden ones must not take the
    /// place of others.
    pub(super) async fn at_blocks(&mut self) -> Result<(), Failure> {
        let blocks = self.hub.store.blocks_of(self.eyes.agent(), limits::QUESTIONS_PER_PROJECT_MAX).await?;
        for message in self.readable(blocks).await?.into_iter().take(BLOCKS_MAX) {
            self.gathered.see(message, Reason::Blocking, 0);
        }
        Ok(())
    }
}
