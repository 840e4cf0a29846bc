use proptest::prelude::*;

use super::*;
use crate::context::{
    OmissionReason, RedactionCount, Section,
    examples::{left_out, receipt, shown},
};

fn is_open(item: &ReceiptItem) -> bool {
    item.id.starts_with("open")
}

#[test]
fn a_reader_who_may_see_everything_sees_it_as_it_was() {
    let whole = receipt(vec![shown("open 1", "one"), left_out("open 2", OmissionReason::NoRoom)]);
    assert_eq!(whole.clone().limited_to(is_open), whole);
}

#[test]
fn nothing_of_what_is_hidden_is_counted() {
    let mut whole = receipt(vec![
        ReceiptItem { score: 500, ..shown("open 1", "one") },
        shown("hidden 1", "a long secret"),
        ReceiptItem { section: Section::History, ..shown("hidden 2", "more") },
        left_out("hidden 3", OmissionReason::NoRoom),
        ReceiptItem { score: 250, ..left_out("open 2", OmissionReason::NoRoom) },
    ]);
    whole.redactions = vec![RedactionCount { kind: "mail".into(), count: 2 }];
    (whole.invisible, whole.unlisted) = (4, 7);
    let limited = whole.limited_to(is_open);
    let total = SectionTotal { section: Section::Threads, tokens: 3, shown: 1, left_out: 1 };
    assert_eq!(limited.sections, [total]);
    assert_eq!((limited.used, limited.frame, limited.unlisted, limited.invisible), (3, 0, 0, 0));
    assert_eq!(limited.redactions, []);
    assert_eq!(limited.items.iter().map(|item| item.score).collect::<Vec<_>>(), [1_000, 500]);
}

#[test]
fn the_sums_of_what_is_shown_stay_when_all_of_that_may_be_seen() {
    let mut whole = receipt(vec![shown("open 1", "one"), left_out("hidden 1", OmissionReason::NoRoom)]);
    whole.redactions = vec![RedactionCount { kind: "mail".into(), count: 2 }];
    let limited = whole.clone().limited_to(is_open);
    assert_eq!((limited.used, limited.frame, &limited.redactions), (whole.used, whole.frame, &whole.redactions));
    assert_eq!((limited.sections[0].shown, limited.sections[0].left_out), (1, 0));
}

#[test]
fn what_is_not_listed_is_for_the_agent_alone() {
    let mut whole = receipt(vec![shown("open 1", "one")]);
    whole.unlisted = 12;
    whole.sections[0].left_out = 12;
    let limited = whole.limited_to(is_open);
    assert_eq!((limited.unlisted, limited.sections[0].left_out), (0, 0));
}

#[test]
fn a_duplicate_of_something_hidden_is_hidden() {
    let repeats =
        |id: &str, of: &str| ReceiptItem { same_as: Some(of.into()), ..left_out(id, OmissionReason::Duplicate) };
    let items = vec![
        shown("hidden 1", "twice"),
        shown("open 1", "thrice"),
        repeats("open 2", "hidden 1"),
        repeats("open 3", "open 1"),
    ];
    let limited = receipt(items).limited_to(is_open);
    assert_eq!(limited.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["open 1", "open 3"]);
}

/// Some items, each open or hidden, shown or left out.
fn items() -> impl Strategy<Value = Vec<ReceiptItem>> {
    let item = (any::<bool>(), any::<bool>(), 0_u32..=1_000, "[a-c]{0,6}");
    let items = prop::collection::vec(item, 0..8);
    items.prop_map(|items| {
        let named = |(no, (is_open, is_shown, score, text)): (usize, (bool, bool, u32, String))| {
            let id = format!("{} {no}", if is_open { "open" } else { "hidden" });
            let item = if is_shown { shown(&id, &text) } else { left_out(&id, OmissionReason::NoRoom) };
            ReceiptItem { score, ..item }
        };
        items.into_iter().enumerate().map(named).collect()
    })
}

proptest! {
    /// Other hidden things, as many of them as before, would have left the same receipt.
    #[test]
    fn hidden_texts_and_scores_do_not_matter(items in items(), factor in 2_u64..9) {
        let other = |item: &ReceiptItem| match is_open(item) {
            true => item.clone(),
            false => ReceiptItem { tokens: item.tokens * factor, text: "another".into(), ..item.clone() },
        };
        let others: Vec<_> = items.iter().map(other).collect();
        prop_assert_eq!(receipt(items).limited_to(is_open), receipt(others).limited_to(is_open));
    }

    #[test]
    fn the_sums_fit_what_is_left(items in items()) {
        let limited = receipt(items).limited_to(is_open);
        prop_assert!(limited.items.iter().all(is_open));
        let tokens: u64 = limited.items.iter().map(|item| item.tokens).sum();
        prop_assert_eq!(limited.used, limited.frame + tokens);
        let counted: u64 = limited.sections.iter().map(|total| total.shown + total.left_out).sum();
        prop_assert_eq!(counted, limited.items.len() as u64);
    }
}
