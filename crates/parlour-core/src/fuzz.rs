//! Fuzz targets: a parser accepts any bytes without a panic, and an accepted value reads back equal.
//!
//! A target is a plain function, so any fuzzer can call it. [`drive`] runs with the other tests: a loop with a fixed
//! seed that mutates samples. Each crate has a list `TARGETS` of its own parsers.

pub use targets::{SAMPLES, TARGETS};

mod agents;
mod targets;

/// A parser with its name. It is called with any bytes and panics when a promise is broken.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// Converts bytes to a text with replacement characters for invalid UTF-8: text parsers only get valid UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The maximum number of bytes of an input; longer ones find nothing more.
const INPUT_BYTES_MAX: usize = 8 * 1024;
/// The most mutations of one sample.
const CHANGES_MAX: u64 = 6;

/// Byte strings that are inserted into samples: characters that are special to some parser.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\r\n",
    b"\n",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"18446744073709551616",
    b"*",
    b">",
    b".",
    b"..",
    b"/",
    b"%00",
    b"%2e",
    b"%25",
    b"%ff",
    b"%",
    b"=",
    b";",
    b"&",
    b"#",
    b"@",
    b"`",
    b"```",
    b"_",
    b"prj_",
    b"msg_",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    "\u{200b}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{0301}".as_bytes(),
    "а".as_bytes(),
    "😀".as_bytes(),
    "İ".as_bytes(),
    "ß".as_bytes(),
    "ﬁ".as_bytes(),
];

/// The extent of a fuzz run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuzzPlan {
    /// Another seed makes other inputs.
    pub seed: u64,
    /// Inputs for each target, besides the samples themselves.
    pub rounds: u64,
}

impl FuzzPlan {
    /// Reads the settings `PARLOUR_FUZZ_SEED` and `PARLOUR_FUZZ_ROUNDS`, or uses the defaults.
    pub fn read(setting: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| setting(name).map(|text| text.parse().expect("a number"));
        Self { seed: number("PARLOUR_FUZZ_SEED").unwrap_or(1), rounds: number("PARLOUR_FUZZ_ROUNDS").unwrap_or(3_000) }
    }
}

/// Runs each target with all samples and with mutated ones, and returns the number of inputs.
pub fn drive(plan: FuzzPlan, targets: &[FuzzTarget], samples: &[&[u8]]) -> u64 {
    let mut rng = MutationRng(plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut count = 0;
    for target in targets {
        for sample in samples {
            run(target, sample);
            count += 1;
        }
        for _ in 0..plan.rounds {
            run(target, &changed(&mut rng, samples));
            count += 1;
        }
    }
    count
}

fn run((name, target): &FuzzTarget, input: &[u8]) {
    let _report = PanicReport { name, input };
    target(input);
}

/// Shows an input when its target panics.
struct PanicReport<'a> {
    name: &'a str,
    input: &'a [u8],
}

impl Drop for PanicReport<'_> {
    #[expect(clippy::print_stderr, reason = "the failing input is needed to reproduce the failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the target {} fails with \"{}\"", self.name, self.input.escape_ascii());
        }
    }
}

/// Deterministic pseudo-random numbers.
struct MutationRng(u64);

impl MutationRng {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() % end.max(1) as u64) as usize
    }
}

/// A mutated sample.
fn changed(rng: &mut MutationRng, samples: &[&[u8]]) -> Vec<u8> {
    let mut input = samples[rng.below(samples.len())].to_vec();
    for _ in 0..=rng.roll() % CHANGES_MAX {
        let (start, end) = (rng.below(input.len() + 1), rng.below(input.len() + 1));
        let range = start.min(end)..start.max(end);
        match rng.roll() % 7 {
            0 if start < input.len() => input[start] ^= 1 << (rng.roll() % 8),
            1 => drop(input.drain(range)),
            2 => {
                let copy = input[range].to_vec();
                input.splice(start..start, copy);
            }
            3 => drop(input.splice(range, samples[rng.below(samples.len())].iter().copied())),
            4 => input.truncate(start),
            5 => input.insert(start, (rng.roll() & 0xff) as u8),
            _ => drop(input.splice(start..start, PIECES[rng.below(PIECES.len())].iter().copied())),
        }
        input.truncate(INPUT_BYTES_MAX);
    }
    input
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn plan() -> FuzzPlan {
        FuzzPlan::read(|name| std::env::var(name).ok())
    }

    #[test]
    fn no_bytes_break_a_parser_of_the_core() {
        assert!(drive(plan(), TARGETS, SAMPLES) > 1_000);
    }

    #[test]
    fn the_fuzz_loop_finds_a_failing_target() {
        fn panics_on_brackets(bytes: &[u8]) {
            assert!(!bytes.contains(&b'['), "a bracket");
        }
        let run = || drive(FuzzPlan { seed: 1, rounds: 2_000 }, &[("brackets", panics_on_brackets)], &[b"plain"]);
        assert!(std::panic::catch_unwind(run).is_err(), "the loop slips in what breaks it");
    }

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        static SUM: AtomicU64 = AtomicU64::new(0);
        fn add_up(bytes: &[u8]) {
            let sum = bytes.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
            SUM.fetch_xor(sum.rotate_left(bytes.len() as u32 % 64), Ordering::SeqCst);
        }
        let run = |seed| {
            SUM.store(0, Ordering::SeqCst);
            drive(FuzzPlan { seed, rounds: 50 }, &[("sum", add_up)], SAMPLES);
            SUM.load(Ordering::SeqCst)
        };
        let (one, again, other) = (run(1), run(1), run(2));
        assert_eq!(one, again);
        assert_ne!(one, other);
    }

    #[test]
    fn the_environment_sets_the_number_of_fuzz_rounds() {
        assert_eq!(FuzzPlan::read(|_| None), FuzzPlan { seed: 1, rounds: 3_000 });
        let set = |name: &str| (name == "PARLOUR_FUZZ_ROUNDS").then(|| "9".to_owned());
        assert_eq!(FuzzPlan::read(set), FuzzPlan { seed: 1, rounds: 9 });
    }
}
