//! The evaluation itself, over a tiny made-up set in the forms of the real data, so that it cannot rot.

#[path = "../examples/eval/all.rs"]
mod all;

use std::collections::BTreeMap;
use std::path::Path;

use all::{
    TABLES,
    recall::{Dialogue, Ready},
    skipped::Skipped,
};

fn standin() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/standin"))
}

#[test]
fn every_table_can_be_made_from_the_stand_in_data() {
    for (name, make) in TABLES {
        let table = make(standin()).unwrap_or_else(|| panic!("{name} is not made"));
        assert!(!table.rows().is_empty(), "{name}");
        assert!(table.text().starts_with(name), "{name}");
        assert_eq!(table.json()["rows"].as_array().map(Vec::len), Some(table.rows().len()), "{name}");
    }
}

#[test]
fn tables_whose_data_is_absent_are_skipped() {
    for (name, make) in TABLES.iter().filter(|(name, _)| ["locomo", "qmsum", "rouge", "cache"].contains(name)) {
        assert!(make(Path::new("nowhere")).is_none(), "{name}");
    }
}

#[test]
fn a_skipped_table_says_why_in_text_and_json() {
    let (nowhere, unnamed) = (Skipped::new("rouge", Path::new("nowhere")), Skipped::new("rouge", Path::new("")));
    assert_eq!(nowhere.text(), "rouge: skipped, its data is not in nowhere\n");
    assert_eq!(nowhere.json(), serde_json::json!({ "name": "rouge", "skipped": "its data is not in nowhere" }));
    assert!(unnamed.text().contains("--data DIR"));
}

#[test]
fn speakers_whose_names_are_equally_long_are_two_senders() {
    let turns = [("Audrey", "Tea?"), ("Andrew", "Yes."), ("Audrey", "Green or black?")];
    let turns = turns.map(|(speaker, text)| (speaker.to_owned(), text.to_owned())).to_vec();
    let ready = Ready::of(&Dialogue { turns, questions: Vec::new() });
    let mut ids = BTreeMap::new();
    for from in ready.candidates.into_iter().filter_map(|candidate| candidate.from) {
        assert_eq!(ids.entry(from.name).or_insert_with(|| from.id.clone()), &from.id);
    }
    assert_ne!(ids["Audrey"], ids["Andrew"]);
}
