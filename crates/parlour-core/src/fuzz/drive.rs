use super::Target;

/// Bytes of an input at the most; longer ones only take time.
const INPUT_BYTES_MAX: usize = 8 * 1024;
/// Changes that are made to a sample at once.
const CHANGES_MAX: u64 = 6;

/// What is slipped into samples: signs that mean something to some parser.
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

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Another seed makes other inputs.
    pub seed: u64,
    /// Inputs for each target, besides the samples themselves.
    pub rounds: u64,
}

impl Plan {
    /// What the settings `PARLOUR_FUZZ_SEED` and `PARLOUR_FUZZ_ROUNDS` say, or the usual.
    pub fn read(setting: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| setting(name).map(|text| text.parse().expect("a number"));
        Self { seed: number("PARLOUR_FUZZ_SEED").unwrap_or(1), rounds: number("PARLOUR_FUZZ_ROUNDS").unwrap_or(3_000) }
    }
}

/// Runs each target with all samples and with changed ones, and answers how many inputs that were.
pub fn drive(plan: Plan, targets: &[Target], samples: &[&[u8]]) -> u64 {
    let mut dice = Dice(plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut count = 0;
    for target in targets {
        for sample in samples {
            run(target, sample);
            count += 1;
        }
        for _ in 0..plan.rounds {
            run(target, &changed(&mut dice, samples));
            count += 1;
        }
    }
    count
}

fn run((name, target): &Target, input: &[u8]) {
    let _shown = Shown { name, input };
    target(input);
}

/// Shows an input when its target panics.
struct Shown<'a> {
    name: &'a str,
    input: &'a [u8],
}

impl Drop for Shown<'_> {
    #[expect(clippy::print_stderr, reason = "whoever reads the failure needs the input")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the target {} fails with \"{}\"", self.name, self.input.escape_ascii());
        }
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
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

/// A sample with a few changes.
fn changed(dice: &mut Dice, samples: &[&[u8]]) -> Vec<u8> {
    let mut input = samples[dice.below(samples.len())].to_vec();
    for _ in 0..=dice.roll() % CHANGES_MAX {
        let (place, end) = (dice.below(input.len() + 1), dice.below(input.len() + 1));
        let range = place.min(end)..place.max(end);
        match dice.roll() % 7 {
            0 if place < input.len() => input[place] ^= 1 << (dice.roll() % 8),
            1 => drop(input.drain(range)),
            2 => {
                let copy = input[range].to_vec();
                input.splice(place..place, copy);
            }
            3 => drop(input.splice(range, samples[dice.below(samples.len())].iter().copied())),
            4 => input.truncate(place),
            5 => input.insert(place, (dice.roll() & 0xff) as u8),
            _ => drop(input.splice(place..place, PIECES[dice.below(PIECES.len())].iter().copied())),
        }
        input.truncate(INPUT_BYTES_MAX);
    }
    input
}
