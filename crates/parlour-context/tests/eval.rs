//! The evaluation itself, over a tiny made-up set in the forms of the real data, so that it cannot rot.

#[path = "../examples/eval/all.rs"]
mod all;

use std::collections::BTreeMap;
use std::path::Path;

use all::{TABLES, dialogue::Dialogue, recall::PreparedDialogue, skipped::Skipped};

fn standin() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/standin"))
}

#[test]
fn every_table_can_be_computed_from_the_stand_in_data() {
    for (name, make) in TABLES {
        let table = make(standin()).unwrap_or_else(|| panic!("{name} is not made"));
        assert!(!table.rows().is_empty(), "{name}");
        assert!(table.text().starts_with(name), "{name}");
        assert_eq!(table.json()["rows"].as_array().map(Vec::len), Some(table.rows().len()), "{name}");
    }
}

#[test]
fn the_frame_costs_at_most_15_percent_and_every_pack_is_parsed_back() {
    let table = all::frame::table(standin()).expect("a table").json();
    for row in table["rows"].as_array().expect("rows") {
        let number = |column: &str| row[column].as_f64().unwrap_or(f64::MAX);
        assert!(number("cost") <= 1.15, "{row}");
        assert_eq!((number("parsed back"), number("lines out of frame")), (1.0, 0.0), "{row}");
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
fn speakers_with_names_of_equal_length_are_two_senders() {
    let turns = [("Audrey", "Tea?"), ("Andrew", "Yes."), ("Audrey", "Green or black?")];
    let turns = turns.map(|(speaker, text)| (speaker.to_owned(), text.to_owned())).to_vec();
    let ready = PreparedDialogue::of(&Dialogue { turns, questions: Vec::new() });
    let mut ids = BTreeMap::new();
    for from in ready.candidates.into_iter().filter_map(|candidate| candidate.from) {
        assert_eq!(ids.entry(from.name).or_insert_with(|| from.id.clone()), &from.id);
    }
    assert_ne!(ids["Audrey"], ids["Andrew"]);
}
