//! The fixtures of each dialect: their decoded form, and their round trips through every other dialect.

#![allow(clippy::panic, reason = "this file is a test and nothing else")]

mod fixtures;
mod support;

use std::fs;

use fixtures::DIALECTS;
use parlour_dialects::Dialect;
use serde_json::Value;
use support::{convert_and_return, decode_context};

fn values(dialect: Dialect) -> Vec<Value> {
    let lines = fixtures::lines(&format!("{dialect}.jsonl"));
    assert!(!lines.is_empty(), "{dialect} has fixtures");
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The decoded fixtures of the dialect, one native line each.
fn meanings(dialect: Dialect) -> Vec<String> {
    let native = |value: Value| {
        let item =
            dialect.decode(value.clone(), &decode_context()).unwrap_or_else(|refusal| panic!("{refusal:?}\n{value:#}"));
        Dialect::Native.encode(&item).expect("the native format expresses every item").to_string()
    };
    values(dialect).into_iter().map(native).collect()
}

#[test]
fn the_fixtures_decode_to_their_native_form() {
    for &dialect in DIALECTS {
        let (name, meanings) = (format!("{dialect}.native.jsonl"), meanings(dialect));
        if std::env::var_os("PARLOUR_WRITE_FIXTURES").is_some() {
            fs::write(fixtures::file(&name), meanings.join("\n") + "\n").expect("written");
        }
        assert_eq!(meanings, fixtures::lines(&name), "{dialect}");
    }
}

#[test]
fn the_fixtures_survive_a_round_trip_through_every_dialect() {
    for &dialect in DIALECTS {
        for value in values(dialect) {
            for &other in Dialect::ALL {
                if let Some(again) = convert_and_return(dialect, other, &value) {
                    assert_eq!(again, value, "{dialect} over {other}");
                }
            }
        }
    }
}
