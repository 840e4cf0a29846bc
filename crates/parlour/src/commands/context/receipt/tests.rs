use parlour_core::context::Receipt;
use serde_json::{Value, json};

use crate::commands::context::receipt::*;

fn rendered(receipt: Value) -> String {
    let read: Receipt = serde_json::from_value(receipt).expect("a receipt");
    super::receipt(Style::PLAIN, &ChannelLabels::default(), &read)
}

fn item(more: &Value) -> Value {
    let mut item = json!({
        "type": "message", "id": "msg_1", "section": "history", "conversation_id": "chn_1", "seq": 7,
        "from": {"type": "person", "id": "per_1", "name": "Mara"}, "reasons": ["recent"], "score": 500,
    });
    let fields = more.as_object().expect("fields").clone();
    item.as_object_mut().expect("an object").extend(fields);
    item
}

fn receipt_of(items: &[Value]) -> Value {
    json!({
        "budget": 512, "used": 140, "frame": 60, "counting": {"encoding": "o200k", "is_exact": true},
        "sections": [
            {"section": "project", "tokens": 2, "shown": 1, "left_out": 0},
            {"section": "history", "tokens": 256, "shown": 2, "left_out": 1},
        ],
        "items": items,
    })
}

#[test]
fn a_receipt_shows_the_tokens_of_sections_and_the_outcome_of_candidates() {
    let agent = json!({"type": "agent", "id": "caco:a-1", "name": "Old Bot"});
    let items = [
        json!({"type": "project", "id": "prj_1", "section": "project", "reasons": ["parent"], "score": 90,
               "level": "full", "tokens": 2, "text": "Apollo"}),
        item(&json!({"level": "head_tail", "tokens": 70, "score": 1000, "reasons": ["current", "mention"],
                    "text": "Why did\nthe launch fail?", "redactions": 2})),
        item(&json!({"id": "msg_2", "from": agent, "left_out": "duplicate", "same_as": "msg_1"})),
    ];
    let mut receipt = receipt_of(&items);
    receipt["redactions"] = json!([{"kind": "aws-key", "count": 2}]);
    receipt["invisible"] = json!(1);
    receipt["unlisted"] = json!(12);
    let expected = "\
140 of 512 tokens, 60 of them for framing; counted with o200k.

SECTION  TOKENS  OF THE BUDGET         SHOWN  OMITTED
project  2       █···················  1      0
history  256     ██████████··········  2      1

OUTCOME        TOKENS  SCORE  WHY                 FROM                        PLACE    WHAT
full           2       90     parent              the hub                     project  Apollo
head and tail  70      1000   to answer, mention  Mara                        chn_1 7  Why did the launch fail? (2 secrets redacted)
– duplicate    0       500    recent              Old Bot (agent, from caco)  chn_1 7  msg_2 (as msg_1)

Redacted: 2 × aws-key.
1 invisible character removed.
12 more omitted candidates are not listed.
";
    assert_eq!(rendered(receipt), expected);
}

#[test]
fn an_upper_bound_is_not_shown_as_a_count() {
    let mut receipt = receipt_of(&[item(&json!({"level": "full", "text": "x"}))]);
    receipt["counting"] = json!({"encoding": "bound", "is_exact": false});
    assert!(rendered(receipt).contains("an upper bound; the exact count may be lower."));
}

#[test]
fn a_receipt_without_candidates_has_a_note() {
    let mut receipt = receipt_of(&[]);
    receipt["sections"] = json!([]);
    assert!(rendered(receipt).ends_with("\nNo candidates: the agent cannot read anything that is relevant here.\n"));
}

#[test]
fn message_texts_are_shown_as_one_short_escaped_line() {
    let text = format!("\u{1b}[2J{}", "x".repeat(200));
    let shown = rendered(receipt_of(&[item(&json!({"level": "full", "text": text}))]));
    let row = shown.lines().last().expect("a row");
    assert!(!shown.contains('\u{1b}') && row.ends_with("x…") && row.chars().count() < 140, "{row}");
}

#[test]
fn a_bar_is_never_empty_and_never_longer_than_the_budget() {
    let lengths = |tokens, budget| bar(tokens, budget).chars().filter(|character| *character == '█').count();
    assert_eq!([lengths(0, 512), lengths(1, 512), lengths(512, 512), lengths(u64::MAX, 0)], [0, 1, 20, 20]);
}
