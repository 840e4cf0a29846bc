//! Numbers that look random and come again with the same seed.

use std::{
    env,
    hash::{BuildHasher, RandomState},
};

/// What repeats a run.
pub(crate) const SEED_VARIABLE: &str = "PARLOUR_FAULTS_SEED";

/// A small generator (SplitMix64): good enough to spread faults.
#[derive(Clone, Debug)]
pub(crate) struct SeededRng {
    state: u64,
}

impl SeededRng {
    /// Numbers that follow from this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Numbers of its own for one part of a run, so that it does not matter which part asks first.
    pub(crate) fn fork(&mut self) -> Self {
        Self { state: self.next() }
    }

    /// The seed that gives these numbers from here on.
    pub(crate) fn seed(&self) -> u64 {
        self.state
    }

    /// The next number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let place = self.below(items.len() as u64);
        &items[usize::try_from(place).expect("below a length")]
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }
}

/// The seed that the environment asks for, or another one.
pub(crate) fn seed() -> u64 {
    let given = env::var(SEED_VARIABLE).ok().map(|text| text.parse().expect("the seed is a number"));
    given.unwrap_or_else(|| RandomState::new().hash_one(std::process::id()))
}

#[test]
fn a_seed_determines_the_numbers() {
    let row = |seed| {
        let mut numbers = SeededRng::new(seed);
        (numbers.fork().below(1_000_000), numbers.below(1_000_000), *numbers.pick(&[1, 2, 3]), numbers.one_in(2))
    };
    assert_eq!(row(7), row(7));
    assert_ne!(row(7), row(8));
}
