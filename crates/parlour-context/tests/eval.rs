//! The evaluation itself, over a tiny made-up set in the forms of the real data, so that it cannot rot.

#[path = "../examples/eval/all.rs"]
mod all;

use std::path::Path;

use all::TABLES;

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
