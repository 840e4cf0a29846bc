//! Whether the hub can work.

use parlour_core::paging::PageRequest;

use crate::{Failure, Hub};

impl Hub {
    /// Answers when the store answers a read.
    pub async fn check_ready(&self) -> Result<(), Failure> {
        self.store.people(&PageRequest::new(None, Some(1))?).await?;
        Ok(())
    }
}
