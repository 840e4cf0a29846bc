use std::sync::atomic::{AtomicU64, Ordering};

use parlour_hub::ports::Ids;

/// Ids that depend only on the step of the story, so that both hubs give the same ids to the same objects.
#[derive(Default)]
pub(crate) struct StoryIds(AtomicU64);

/// The maximum number of ids of a step.
const IDS_PER_STEP: u64 = 1 << 20;

impl StoryIds {
    /// Starts the ids of this step.
    pub(crate) fn begin(&self, step: u64) {
        self.0.store(step * IDS_PER_STEP, Ordering::SeqCst);
    }

    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl Ids for StoryIds {
    fn next_bits(&self) -> u128 {
        u128::from(self.next())
    }

    fn new_secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        secret[24..].copy_from_slice(&self.next().to_be_bytes());
        secret
    }
}
