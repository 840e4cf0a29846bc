//! The speed of redaction, compared with one pass for trigger words, and whether the cost is linear in the text.
//!
//! `cargo run --release -p parlour-redact --example redaction_speed`
#![allow(clippy::print_stdout, reason = "the output of the program")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use parlour_redact::{Redactor, count_words};

/// Bytes of the short and of the long text.
const SHORT_BYTES: usize = 1 << 16;
const LONG_BYTES: usize = 1 << 20;

fn main() {
    let redactor = Redactor::default();
    let texts = [
        ("chat", "we moved the build to the other runner, it takes 12 minutes now and fails less often\n"),
        ("code", "let found = self.words.find_overlapping_iter(text).map(|hit| hit.range()).collect();\n"),
        ("secrets", "the password is hunter2, call +49 171 2345678 or write to jane@acme.dev\n"),
        ("one line", "we moved the build to the other runner, it takes 12 minutes now and fails less often "),
        ("one char", "-"),
        ("one run", "aB3xY7qR9"),
        ("key words", "password "),
        ("quotes", "\"'`\"'`"),
        ("addresses", "1.2.3.4 "),
        ("tokens", "sk-"),
        ("breaks", "key=key\n"),
    ];
    // Patterns are compiled on first use; that is not measured.
    for (_, piece) in texts {
        black_box(redactor.redact(&piece.repeat(20)));
    }
    println!("{:<10} {:>9} {:>12} {:>14}", "text", "MB/s", "plain passes", "long to short");
    for (name, piece) in texts {
        let (short, long) = (piece.repeat(SHORT_BYTES / piece.len()), piece.repeat(LONG_BYTES / piece.len()));
        let (small, large) = (time(|| redactor.redact(&short).text.len()), time(|| redactor.redact(&long).text.len()));
        let plain = time(|| count_words(&long));
        let rate = long.len() as f64 / large.as_secs_f64() / 1e6;
        let growth = large.as_secs_f64() / small.as_secs_f64() * short.len() as f64 / long.len() as f64;
        println!("{name:<10} {rate:>9.2} {:>12.1} {growth:>14.2}", large.as_secs_f64() / plain.as_secs_f64());
    }
}

/// The best of three.
fn time(work: impl Fn() -> usize) -> Duration {
    let once = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}
