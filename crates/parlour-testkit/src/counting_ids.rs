use std::sync::atomic::{AtomicU64, Ordering};

use parlour_hub::ports::Ids;

/// The time that counted ids start with: 2025-01-01T00:00:00Z in milliseconds.
const START_MS: u128 = 1_735_689_600_000;

/// Ids and secrets that count 1, 2, 3 …, so that a test gets the same ones each time it runs.
#[derive(Debug, Default)]
pub struct CountingIds {
    given: AtomicU64,
}

impl CountingIds {
    /// Starts to count at 1.
    pub fn new() -> Self {
        Self::default()
    }

    fn next(&self) -> u64 {
        self.given.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl Ids for CountingIds {
    fn next_bits(&self) -> u128 {
        (START_MS << 80) | u128::from(self.next())
    }

    fn new_secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        secret[24..].copy_from_slice(&self.next().to_be_bytes());
        secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_increase_start_with_a_time_and_are_the_same_in_each_run() {
        let (one, other) = (CountingIds::new(), CountingIds::new());
        let first = one.next_bits();
        assert_eq!(first, other.next_bits());
        assert!(one.next_bits() > first);
        assert_eq!(first >> 80, START_MS);
    }

    #[test]
    fn secrets_differ_from_each_other() {
        let ids = CountingIds::new();
        assert_ne!(ids.new_secret(), ids.new_secret());
    }
}
