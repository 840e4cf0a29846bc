//! Properties of all dialects.

mod fixtures;
mod support;

use parlour_core::fuzz::{FuzzPlan, SAMPLES, drive};
use parlour_dialects::{
    Dialect, Frame, Item,
    fuzz::{MODEL_LISTS, OTHER_INPUTS, TARGETS},
};
use proptest::prelude::*;
use support::{any_item, any_message, round_trip};

/// Checks that the dialect encodes any message and decodes it to the same one.
fn check_lossless(dialect: Dialect, item: &Item) -> Result<(), TestCaseError> {
    let again = round_trip(dialect, item);
    prop_assert_eq!(again.as_ref(), Some(item), "{}", dialect);
    Ok(())
}

macro_rules! laws {
    ($($name:ident = $dialect:ident;)+) => { $(
        proptest! {
            #[test]
            fn $name(message in any_message()) {
                check_lossless(Dialect::$dialect, &Item::message(message))?;
            }
        }
    )+ };
}

laws! {
    nothing_is_lost_in_native = Native;
    nothing_is_lost_in_zen = Zen;
    nothing_is_lost_in_a2a = A2a;
    nothing_is_lost_in_tkr = Tkr;
    nothing_is_lost_in_legacy_tkr = TkrLegacy;
    nothing_is_lost_in_caco = Caco;
    nothing_is_lost_in_jaibber = Jaibber;
    nothing_is_lost_in_pynchy = Pynchy;
}

proptest! {
    #[test]
    fn every_encoded_frame_decodes_to_the_same_item(item in any_item()) {
        for &dialect in Dialect::ALL {
            if let Some(again) = round_trip(dialect, &item) {
                prop_assert_eq!(&again, &item, "{}", dialect);
            }
        }
    }
}

#[test]
fn a_dialect_is_found_by_its_name() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.as_str().parse(), Ok(*dialect));
    }
    let refused = "slack".parse::<Dialect>().expect_err("no dialect");
    assert_eq!(refused.candidates.len(), Dialect::ALL.len());
}

#[test]
fn the_default_frame_is_a_message() {
    assert_eq!(Frame::default(), Frame::Message);
}

#[test]
fn no_bytes_make_a_dialect_panic() {
    let lines = fixtures::all_lines();
    let known = SAMPLES.iter().chain(MODEL_LISTS).chain(OTHER_INPUTS).copied();
    let samples: Vec<&[u8]> = known.chain(lines.iter().map(String::as_bytes)).collect();
    assert!(drive(FuzzPlan::read(|name| std::env::var(name).ok()), TARGETS, &samples) > 1_000);
}
