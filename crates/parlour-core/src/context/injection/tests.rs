use proptest::prelude::*;

use super::*;
use crate::context::{
    Level, OmissionReason,
    examples::{injection, left_out, shown},
};

fn ids(items: &[ReceiptItem]) -> Vec<&str> {
    items.iter().map(|item| item.id.as_str()).collect()
}

#[test]
fn what_only_one_run_was_shown_is_told_apart() {
    let before = [injection(vec![shown("a", "one"), shown("b", "two")])];
    let after = [injection(vec![shown("c", "three"), shown("b", "two")])];
    let found = difference(&before, &after);
    assert_eq!((ids(&found.only_before), ids(&found.only_after)), (vec!["a"], vec!["c"]));
    assert_eq!((found.changed.len(), found.same), (0, 1));
}

#[test]
fn another_length_or_text_is_a_change() {
    let short = ReceiptItem { level: Some(Level::OneLine), ..shown("a", "one") };
    let before = [injection(vec![shown("a", "one"), shown("b", "two")])];
    let after = [injection(vec![short.clone(), shown("b", "too")])];
    let found = difference(&before, &after);
    assert_eq!(found.changed, [[shown("a", "one"), short], [shown("b", "two"), shown("b", "too")]]);
    assert_eq!((found.only_before.len(), found.only_after.len(), found.same), (0, 0, 0));
}

#[test]
fn score_tokens_and_reasons_are_no_difference() {
    let later = ReceiptItem { score: 3, tokens: 99, reasons: Vec::new(), ..shown("a", "one") };
    let found = difference(&[injection(vec![shown("a", "one")])], &[injection(vec![later])]);
    assert_eq!(found, InjectionDiff { same: 1, ..InjectionDiff::default() });
}

#[test]
fn of_several_injections_the_last_that_shows_a_thing_counts() {
    let before = [
        injection(vec![shown("a", "first")]),
        injection(vec![shown("a", "second")]),
        injection(vec![left_out("a", OmissionReason::Told)]),
    ];
    let found = difference(&before, &[injection(vec![shown("a", "second")])]);
    assert_eq!(found, InjectionDiff { same: 1, ..InjectionDiff::default() });
}

#[test]
fn what_is_left_out_is_not_compared() {
    let found = difference(&[injection(vec![left_out("a", OmissionReason::NoRoom)])], &[injection(vec![])]);
    assert_eq!(found, InjectionDiff::default());
}

#[test]
fn a_message_and_the_summary_up_to_it_are_two_things() {
    let summary = ReceiptItem { subject_type: SubjectType::Summary, ..shown("a", "in short") };
    let found = difference(&[injection(vec![shown("a", "one")])], &[injection(vec![summary.clone()])]);
    assert_eq!((found.only_before, found.only_after), (vec![shown("a", "one")], vec![summary]));
}

#[test]
fn a_text_that_shows_something_hidden_is_absent_as_a_whole() {
    let given = injection(vec![shown("a", "one"), shown("b", "two")]);
    let limited = given.clone().limited_to(|item| item.id == "a");
    assert_eq!((limited.text, ids(&limited.receipt.items)), (None, vec!["a"]));
    assert_eq!(given.clone().limited_to(|_| true), given);
}

#[test]
fn a_text_stays_when_only_something_left_out_is_hidden() {
    let given = injection(vec![shown("a", "one"), left_out("b", OmissionReason::NoRoom)]);
    let limited = given.limited_to(|item| item.id == "a");
    assert_eq!(limited.text.as_deref(), Some("all of it"));
}

#[test]
fn an_injection_comes_back_as_it_was_written() {
    let mut summary = ReceiptItem { subject_type: SubjectType::Summary, ..shown("b", "in short") };
    summary.conversation_id = Some(crate::id::ChannelId::from_bits(5).into());
    summary.seq = Some(9);
    let given = injection(vec![shown("a", "one"), summary, left_out("c", OmissionReason::TrustQuota)]);
    for given in [Injection { text: None, ..given.clone() }, given] {
        let json = serde_json::to_string(&given).expect("plain data");
        assert_eq!(serde_json::from_str::<Injection>(&json).expect("an injection"), given);
    }
}

/// Lists of a few things, in full or in short, with one of three texts.
fn injections() -> impl Strategy<Value = Vec<Injection>> {
    let item = (0_u8..6, 0_u8..3, any::<bool>()).prop_map(|(id, text, is_full)| {
        let level = is_full.then_some(Level::Full);
        ReceiptItem { level, ..shown(&id.to_string(), &text.to_string()) }
    });
    prop::collection::vec(prop::collection::vec(item, 0..6).prop_map(injection), 0..4)
}

proptest! {
    #[test]
    fn nothing_differs_from_itself(one in injections()) {
        let found = difference(&one, &one);
        prop_assert_eq!((found.only_before.len(), found.only_after.len(), found.changed.len()), (0, 0, 0));
        prop_assert_eq!(found.same, shown_count(&one));
    }

    #[test]
    fn the_other_way_round_is_the_mirror_image(one in injections(), other in injections()) {
        let (there, back) = (difference(&one, &other), difference(&other, &one));
        prop_assert_eq!(&there.only_before, &back.only_after);
        prop_assert_eq!(&there.only_after, &back.only_before);
        let turned: Vec<_> = back.changed.into_iter().map(|[one, other]| [other, one]).collect();
        prop_assert_eq!(&there.changed, &turned);
        let shared = there.same + there.changed.len() as u64;
        prop_assert_eq!(shared + there.only_before.len() as u64, shown_count(&one));
        prop_assert_eq!(shared + there.only_after.len() as u64, shown_count(&other));
    }
}

/// How many things are shown at all.
fn shown_count(injections: &[Injection]) -> u64 {
    let items = injections.iter().flat_map(|injection| &injection.receipt.items);
    let mut ids: Vec<_> = items.filter(|item| item.level.is_some()).map(|item| &item.id).collect();
    ids.sort();
    ids.dedup();
    ids.len() as u64
}
