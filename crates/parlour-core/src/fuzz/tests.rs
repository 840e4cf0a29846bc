use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

fn plan() -> Plan {
    Plan::read(|name| std::env::var(name).ok())
}

#[test]
fn no_bytes_break_a_parser_of_the_core() {
    assert!(drive(plan(), TARGETS, SAMPLES) > 1_000);
}

#[test]
fn a_target_that_can_fail_is_found_out() {
    fn dislikes_brackets(bytes: &[u8]) {
        assert!(!bytes.contains(&b'['), "a bracket");
    }
    let run = || drive(Plan { seed: 1, rounds: 2_000 }, &[("brackets", dislikes_brackets)], &[b"plain"]);
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
        drive(Plan { seed, rounds: 50 }, &[("sum", add_up)], SAMPLES);
        SUM.load(Ordering::SeqCst)
    };
    let (one, again, other) = (run(1), run(1), run(2));
    assert_eq!(one, again);
    assert_ne!(one, other);
}

#[test]
fn the_settings_say_how_much_is_tried() {
    assert_eq!(Plan::read(|_| None), Plan { seed: 1, rounds: 3_000 });
    let set = |name: &str| (name == "PARLOUR_FUZZ_ROUNDS").then(|| "9".to_owned());
    assert_eq!(Plan::read(set), Plan { seed: 1, rounds: 9 });
}
