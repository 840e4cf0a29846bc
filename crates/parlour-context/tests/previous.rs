//! Packs that come after another one: as much as can stay stays, and everything else holds as without it.

#![allow(dead_code, reason = "the made-up chat is shared with the evaluation")]

#[path = "../examples/eval/chat.rs"]
mod chat;

use std::sync::Arc;

use chat::{SeededRng, author, card, message, place, prepared, query, request};
use parlour_context::{
    candidate::{Candidate, SummarizedMessages},
    frame::parse,
    pack::{BudgetTooSmall, BuiltPack, PackOptions, build},
    tokens::Tokenizer,
};
use parlour_core::{
    context::{Level, Reason, Receipt, Section, SubjectType},
    message::Importance,
};
use proptest::prelude::*;

fn pack_after(
    candidates: &[Candidate],
    budget: u64,
    asked: &str,
    previous: Option<&Receipt>,
) -> Result<BuiltPack, BudgetTooSmall> {
    for_model("gpt-4o", candidates, budget, asked, previous)
}

fn for_model(
    model: &str,
    candidates: &[Candidate],
    budget: u64,
    asked: &str,
    previous: Option<&Receipt>,
) -> Result<BuiltPack, BudgetTooSmall> {
    build(&PackOptions { previous, ..request(candidates, &query(asked), &Tokenizer::for_model(model), budget) })
}

/// What is said of many things: two messages seldom have words in common.
fn words(dice: &mut SeededRng) -> String {
    let stems = ["cedar", "harbour", "ledger", "granite", "lamp", "paper", "river", "stone"];
    let words: Vec<String> = (0..10).map(|_| format!("{}{}", dice.pick(&stems), dice.below(60))).collect();
    words.join(" ") + "."
}

/// A conversation of so many messages, the last of which is to be answered.
fn talk(count: u64) -> Vec<Candidate> {
    let place = place(0, count);
    let said = |seq| {
        let text = words(&mut SeededRng(seq));
        Candidate { section: Section::History, ..message(&place, seq, author(seq % 3), &text) }
    };
    let mut said: Vec<Candidate> = (1..=count).map(said).collect();
    if let Some(last) = said.last_mut() {
        last.reasons = vec![Reason::Current];
    }
    said.push(card(Section::Project, SubjectType::Project, "prj_1", "Atlas: maps for hikers."));
    said
}

/// The share of a text, by bytes, that begins it as the other begins.
fn same(before: &str, after: &str) -> f64 {
    let same = before.bytes().zip(after.bytes()).take_while(|(left, right)| left == right).count();
    same as f64 / after.len() as f64
}

#[test]
fn successive_packs_keep_most_of_their_beginning_and_stay_full() {
    let (mut before, mut shares) = (pack_after(&talk(80), 1_024, "the import", None).expect("a pack"), Vec::new());
    for count in (82..120).step_by(2) {
        let candidates = talk(count);
        let asked = candidates[count as usize - 1].prepared.text.clone();
        let after = pack_after(&candidates, 1_024, &asked, Some(&before.receipt)).expect("a pack");
        assert!((994..=1_024).contains(&after.receipt.used), "{}", after.receipt.used);
        let read = parse(&after.text).expect("it reads back");
        assert_eq!(read.items().last().map(|item| item.quote.seq), Some(count), "what is to be answered is last");
        shares.push(same(&before.text, &after.text));
        before = after;
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!(mean >= 0.85, "{mean} {shares:?}");
}

#[test]
fn edited_and_removed_messages_are_not_retained() {
    let before = pack_after(&talk(60), 1_024, "the import", None).expect("a pack");
    let shown: Vec<&str> =
        before.receipt.items.iter().filter(|item| item.level.is_some()).map(|item| &*item.id).collect();
    let (edited, removed) = (shown[3], shown[6]);
    let mut candidates = talk(61);
    candidates.retain(|candidate| candidate.id != removed);
    for candidate in candidates.iter_mut().filter(|candidate| candidate.id == edited) {
        candidate.prepared = prepared("Something else entirely.");
    }
    let old = before.receipt.items.iter().find(|item| item.id == edited).map(|item| item.text.clone()).expect("shown");
    let after = pack_after(&candidates, 1_024, "the import", Some(&before.receipt)).expect("a pack");
    assert!(after.receipt.items.iter().all(|item| item.id != removed && item.text != old));
    assert!(same(&before.text, &after.text) > 0.05, "what stands before it stays");
}

#[test]
fn a_previous_receipt_of_unknown_items_changes_nothing() {
    let candidates = talk(60);
    let plain = pack_after(&candidates, 1_024, "the import", None).expect("a pack");
    let mut strange = plain.receipt.clone();
    for item in &mut strange.items {
        item.id = format!("{}x", item.id);
    }
    assert_eq!(pack_after(&candidates, 1_024, "the import", Some(&strange)), Ok(plain));
}

#[test]
fn a_pack_with_another_tokenizer_starts_anew() {
    let before = for_model("claude", &talk(60), 1_024, "the import", None).expect("a pack");
    let after = pack_after(&talk(61), 1_024, "a review", Some(&before.receipt)).expect("a pack");
    assert_eq!(Ok(after), pack_after(&talk(61), 1_024, "a review", None));
}

#[test]
fn retained_items_keep_their_level() {
    let long = |candidates: &mut [Candidate]| candidates[40].prepared = prepared(&words(&mut SeededRng(40)).repeat(20));
    let (mut first, mut second) = (talk(60), talk(61));
    [&mut first, &mut second].into_iter().for_each(|candidates| long(candidates));
    let before = pack_after(&first, 1_024, &first[40].prepared.text, None).expect("a pack");
    let row = |made: &BuiltPack| {
        let item = made.receipt.items.iter().find(|item| item.id == first[40].id).expect("a row");
        (item.level, item.text.clone())
    };
    assert!(row(&before).0.is_some_and(|level| level > Level::Full), "{:?}", row(&before));
    // Much of what stood beside it is gone: there is room.
    second.retain(|candidate| candidate.seq >= 40 || candidate.conversation.is_none());
    let mut receipt = before.receipt.clone();
    receipt.items.retain(|item| item.level.is_some() && item.seq.is_none_or(|seq| seq >= 40));
    let after = pack_after(&second, 1_024, "something new", Some(&receipt)).expect("a pack");
    assert!(after.extends_previous);
    assert_eq!(row(&after), row(&before));
}

#[test]
fn a_pack_starts_anew_if_the_requested_message_is_only_quoted() {
    let summed_up = |count: u64| {
        let mut candidates = talk(count);
        let covers: Vec<String> = candidates[..40].iter().map(|candidate| candidate.id.clone()).collect();
        let summarizes = Some(Arc::new(SummarizedMessages { quotes: vec![covers[7].clone()], covers }));
        let (importance, reasons) = (Importance::High, vec![Reason::Recent]);
        let text = format!("8 Mara: {}", candidates[7].prepared.text);
        let summary = Candidate {
            subject_type: SubjectType::Summary,
            prepared: prepared(&text),
            importance,
            reasons,
            summarizes,
            ..candidates[39].clone()
        };
        candidates.push(summary);
        candidates
    };
    let before = pack_after(&summed_up(60), 1_024, "something new", None).expect("a pack");
    assert!(before.receipt.items.iter().any(|item| !item.quotes.is_empty()), "{}", before.text);
    let candidates = summed_up(61);
    let asked = candidates[7].prepared.text.clone();
    let [new, old] = ["something new", &asked]
        .map(|asked| pack_after(&candidates, 1_024, asked, Some(&before.receipt)).expect("a pack"));
    assert_eq!((new.extends_previous, old.extends_previous), (true, false));
}

#[test]
fn a_long_message_to_answer_is_shown_in_full_before_retained_items() {
    let before = pack_after(&talk(60), 1_024, "the import", None).expect("a pack");
    let mut candidates = talk(61);
    candidates[60].prepared = prepared(&"The import fails on the third step and loses rows. ".repeat(30));
    let after = pack_after(&candidates, 1_024, "the import", Some(&before.receipt)).expect("a pack");
    let current = after.receipt.items.iter().find(|item| item.id == candidates[60].id).and_then(|item| item.level);
    assert_eq!(current, Some(Level::Full));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn after_any_pack_the_budget_holds_and_mandatory_items_are_shown(
        seed in 0u64..1_000, first in 0u64..60, more in 0u64..20, budgets in (150u64..1_500, 60u64..1_500),
        shuffled in any::<u64>(), asked in 0u64..50,
    ) {
        let mut dice = SeededRng(seed);
        let place = place(0, first + more);
        let mut said: Vec<Candidate> = (1..=first + more).map(|seq| {
            let text = dice.text();
            let said = message(&place, seq, author(dice.below(6)), &text);
            let section = if dice.below(3) == 0 { Section::Threads } else { Section::History };
            let reasons = if dice.below(40) == 0 { vec![Reason::Blocking] } else { vec![Reason::Recent] };
            Candidate { section, reasons, ..said }
        }).collect();
        let before = pack_after(&said[..first as usize], budgets.0, "the import", None).map(|made| made.receipt);
        // The receipt is not what it was, either: some are shown elsewhere, or twice.
        let before = before.map(|mut receipt| {
            let mut dice = SeededRng(shuffled);
            if dice.below(3) == 0 && receipt.items.len() > 2 {
                let len = receipt.items.len() as u64;
                receipt.items.swap(dice.below(len) as usize, dice.below(len) as usize);
                let twice = receipt.items[dice.below(len) as usize].clone();
                receipt.items.insert(dice.below(len) as usize, twice);
            }
            receipt
        });
        if let Some(last) = said.last_mut() {
            last.reasons = vec![Reason::Current];
        }
        let asked = SeededRng(asked).sentence();
        for model in ["gpt-4o", "no-such-model"] {
            let Ok(made) = for_model(model, &said, budgets.1, &asked, before.as_ref().ok()) else { continue };
            prop_assert!(made.receipt.used <= budgets.1);
            prop_assert_eq!(made.receipt.used, Tokenizer::for_model(model).count(&made.text));
            for (index, candidate) in said.iter().enumerate().filter(|(_, candidate)| candidate.is_mandatory()) {
                let is_shown = made.shown.iter().any(|(shown, _)| *shown == index);
                let waits = !candidate.reasons.contains(&Reason::Current) && made.text.contains("More wait for your answer");
                prop_assert!(is_shown || waits, "{}", made.text);
            }
            let read = parse(&made.text).map_err(|why| TestCaseError::fail(why.to_string()))?;
            let items: Vec<(u64, String)> =
                read.items().iter().map(|item| (item.quote.seq, item.quote.text.as_str().to_owned())).collect();
            let shown: Vec<(u64, String)> = made.shown.iter().map(|(index, text)| (said[*index].seq, text.clone())).collect();
            prop_assert_eq!(&items, &shown);
            if let Some(last) = said.last() {
                prop_assert_eq!(shown.last().map(|(seq, _)| *seq), Some(last.seq));
            }
            prop_assert_eq!(made.receipt.items.len() as u64 + made.receipt.unlisted, said.len() as u64);
            let mut turned = said.clone();
            turned.reverse();
            let other = for_model(model, &turned, budgets.1, &asked, before.as_ref().ok()).map(|made| made.text);
            prop_assert_eq!(other, Ok(made.text));
        }
    }
}
