use futures_util::{StreamExt, stream};
use parlour_core::{limits, message::Message};

use crate::{Failure, Hub, ports::SavedStream};

/// Why answers of an earlier life have ended.
const REASON: &str = "the hub was started again while it was being written";

impl Hub {
    /// Ends all answers that an earlier life of the hub has left open as interrupted, with the text that was kept.
    ///
    /// One that cannot be ended now ends with its lease; the others end all the same, and the first failure is told.
    pub async fn interrupt_abandoned_streams(&self) -> Result<u64, Failure> {
        let left = self.store.open_streams().await?;
        let left = left.into_iter().filter(|(message, _)| self.streams.producer(&message.id).is_none());
        let outcomes: Vec<_> = stream::iter(left.map(|(message, kept)| self.interrupt_abandoned(message, kept)))
            // As many as share one sync of the disk.
            .buffer_unordered(limits::STORE_GROUP_LEN_MAX)
            .collect()
            .await;
        let count = outcomes.len() as u64;
        outcomes.into_iter().collect::<Result<(), Failure>>().map(|()| count)
    }

    async fn interrupt_abandoned(&self, message: Message, kept: SavedStream) -> Result<(), Failure> {
        self.open_stream(&message, Some(kept)).await?;
        self.interrupt(&message.id, REASON.to_owned()).await
    }
}
