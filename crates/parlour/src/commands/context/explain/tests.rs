use parlour_core::context::Receipt;
use serde_json::{Value, json};

use super::*;

fn told(receipt: Value) -> String {
    let read: Receipt = serde_json::from_value(receipt).expect("a receipt");
    super::receipt(Style::PLAIN, &Labels::default(), &read)
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
fn a_receipt_tells_what_each_section_costs_and_what_became_of_each_candidate() {
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
140 of 512 tokens, 60 of them for the hub's own words; counted with o200k.

SECTION  TOKENS  OF THE BUDGET         SHOWN  LEFT OUT
project  2       █···················  1      0
history  256     ██████████··········  2      1

OUTCOME        TOKENS  SCORE  WHY                 FROM                        PLACE    WHAT
full           2       90     parent              the hub                     project  Apollo
head and tail  70      1000   to answer, mention  Mara                        chn_1 7  Why did the launch fail? (2 secrets taken out)
– duplicate    0       500    recent              Old Bot (agent, from caco)  chn_1 7  msg_2 (as msg_1)

Taken out: 2 × aws-key.
1 invisible sign was taken out.
12 more candidates were left out and are not listed.
";
    assert_eq!(told(receipt), expected);
}

#[test]
fn a_bound_is_not_told_as_a_count() {
    let mut receipt = receipt_of(&[item(&json!({"level": "full", "text": "x"}))]);
    receipt["counting"] = json!({"encoding": "bound", "is_exact": false});
    assert!(told(receipt).contains("an upper bound, so it may be less and is never more."));
}

#[test]
fn a_receipt_without_candidates_says_so() {
    let mut receipt = receipt_of(&[]);
    receipt["sections"] = json!([]);
    assert!(
        told(receipt).ends_with("\nNothing came into question: the agent may read nothing yet that belongs here.\n")
    );
}

#[test]
fn texts_of_others_are_shown_in_one_harmless_line_and_in_short() {
    let text = format!("\u{1b}[2J{}", "x".repeat(200));
    let shown = told(receipt_of(&[item(&json!({"level": "full", "text": text}))]));
    let row = shown.lines().last().expect("a row");
    assert!(!shown.contains('\u{1b}') && row.ends_with("x…") && row.chars().count() < 140, "{row}");
}

#[test]
fn a_bar_is_never_empty_and_never_longer_than_the_budget() {
    let lengths = |tokens, budget| bar(tokens, budget).chars().filter(|sign| *sign == '█').count();
    assert_eq!([lengths(0, 512), lengths(1, 512), lengths(512, 512), lengths(u64::MAX, 0)], [0, 1, 20, 20]);
}
