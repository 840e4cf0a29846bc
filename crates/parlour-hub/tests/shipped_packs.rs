//! The evaluation of shipped packs, over a tiny made-up set in the form of the real data.

#[path = "../examples/shipped_packs/conversation.rs"]
mod conversation;
#[path = "../../parlour-context/examples/eval/dialogue.rs"]
mod dialogue;
#[allow(dead_code, reason = "the evaluation of the engine uses the rest")]
#[path = "../../parlour-context/examples/eval/recall.rs"]
mod recall;
mod support;
#[path = "../../parlour-context/examples/eval/table.rs"]
mod table;
#[path = "../examples/shipped_packs/tables.rs"]
mod tables;

use std::path::Path;

use dialogue::read_locomo;
use tables::{Extent, PARTS, measure};

#[tokio::test(flavor = "multi_thread")]
async fn shipped_packs_show_the_evidence_of_a_short_conversation_and_keep_their_budget() {
    let standin = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../parlour-context/tests/standin"));
    let dialogues = read_locomo(standin).expect("the stand-in conversations");
    let extent = Extent { budgets: vec![1_024], every: 1, parts: PARTS.map(|(_, part)| part).to_vec() };
    let [shipped, _] = measure(&dialogues, &extent, |_| {}).await;
    let rows = shipped.json()["rows"].as_array().expect("rows").clone();
    assert!(rows.len() >= 6, "{}", shipped.text());
    for row in &rows {
        assert_eq!(row["overruns"], 0, "{row}");
        assert!(row["recall"].as_f64().is_none_or(|recall| recall > 0.9), "{row}");
    }
}
