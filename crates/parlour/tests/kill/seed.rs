//! Numbers that look random and come again with the same seed.

use std::{
    env,
    hash::{BuildHasher, RandomState},
};

/// A small generator (SplitMix64): good enough to spread moments.
#[derive(Debug)]
pub(crate) struct SeededRng {
    state: u64,
}

impl SeededRng {
    /// From `PARLOUR_KILL_SEED`, or a seed of its own, which is printed.
    #[allow(clippy::print_stdout, reason = "whoever sees a failure needs the seed")]
    pub(crate) fn from_environment() -> Self {
        let given = env::var("PARLOUR_KILL_SEED").ok().map(|text| text.parse().expect("the seed is a number"));
        let state = given.unwrap_or_else(|| RandomState::new().hash_one(std::process::id()));
        println!("PARLOUR_KILL_SEED={state}");
        Self { state }
    }

    /// The next number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % end
    }
}
