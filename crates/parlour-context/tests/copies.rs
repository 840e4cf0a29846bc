//! One message said five hundred times, never quite the same: one of them is shown, and stands for all others.

#![allow(dead_code, reason = "the made-up chat is shared with the evaluation")]

#[path = "../examples/eval/chat.rs"]
mod chat;

use chat::{author, message, place, query, request};
use parlour_context::{
    candidate::Candidate,
    pack::{BuiltPack, build},
    tokens::Tokenizer,
};
use parlour_core::context::OmissionReason;

const COPIES: u64 = 500;
const SAID: &str = "The nightly import of the harbour ledger stopped because the disk of the second machine is full";

/// The same message, each time a little different, by several people in several places.
fn copies() -> Vec<Candidate> {
    let one = |number: u64| {
        let text = match number % 7 {
            0 => SAID.to_owned(),
            1 => SAID.to_uppercase() + "!!!",
            2 => format!("Hi folks, {SAID}, please"),
            3 => SAID.replace(' ', "  \n "),
            4 => format!("🔥🔥 {SAID} 🔥"),
            5 => SAID.replace("stopped", "stöpped"),
            _ => format!("Again: {SAID}…"),
        };
        message(&place(number % 5, COPIES), number + 1, author(number % 4), &text)
    };
    (0..COPIES).map(one).collect()
}

fn packed(candidates: &[Candidate]) -> BuiltPack {
    let asked = query("why did the import stop");
    build(&request(candidates, &asked, &Tokenizer::for_model("gpt-4o"), 4_096)).expect("a pack")
}

#[test]
fn one_of_five_hundred_near_copies_is_shown_and_the_others_name_it() {
    let mut candidates = copies();
    candidates.push(message(
        &place(0, COPIES),
        COPIES + 1,
        author(1),
        "The import of the ledger runs again since noon",
    ));
    let made = packed(&candidates);
    let shown: Vec<&str> = made.shown.iter().map(|(index, _)| candidates[*index].id.as_str()).collect();
    assert_eq!(shown.len(), 2, "{}", made.text);
    let copies = || made.receipt.items.iter().filter(|item| item.left_out == Some(OmissionReason::Duplicate));
    assert_eq!(copies().count() as u64 + made.receipt.unlisted, COPIES - 1);
    assert!(copies().all(|item| item.same_as.as_ref().is_some_and(|twin| shown.contains(&twin.as_str()))));
}

#[test]
fn texts_that_differ_in_a_fact_are_no_copies() {
    let place = place(0, 4);
    let texts = [
        SAID.to_owned(),
        SAID.replace("second", "third"),
        format!("{SAID}: 97 %"),
        SAID.replace("is full", "is not full"),
    ];
    let said: Vec<Candidate> = (1..).zip(&texts).map(|(seq, text)| message(&place, seq, author(0), text)).collect();
    assert_eq!(packed(&said).shown.len(), texts.len());
}
