//! Texts of which the view itself has left something out: they are never called whole, and the call that reads them stands
//! beside them.

#![allow(dead_code, reason = "the made-up chat is shared with the evaluation")]

#[path = "../examples/eval/chat.rs"]
mod chat;

use chat::{author, message, place, query};
use parlour_context::{
    candidate::Candidate,
    frame::parse,
    pack::{BuiltPack, PackOptions, build},
    tokens::Tokenizer,
};
use parlour_core::{
    context::{ContextFormat, ContextRules, Level, Reason, Receipt},
    id::AgentId,
};

fn packed(candidates: &[Candidate], format: ContextFormat, budget: u64, previous: Option<&Receipt>) -> BuiltPack {
    packed_for("gpt-4o", candidates, format, budget, previous)
}

fn packed_for(
    model: &str,
    candidates: &[Candidate],
    format: ContextFormat,
    budget: u64,
    previous: Option<&Receipt>,
) -> BuiltPack {
    let reader: AgentId = "agt_reader".parse().expect("id");
    let request = PackOptions {
        reader: (&reader, "Coder"),
        format,
        budget,
        tokenizer: &Tokenizer::for_model(model),
        query: &query("the import"),
        candidates,
        reranked: &[],
        rules: &ContextRules::default(),
        day: "2026-11-16",
        notices: &[],
        command: None,
        previous,
    };
    build(&request).expect("a pack")
}

fn asked(text: &str) -> Candidate {
    let mut asked = message(&place(0, 1), 1, author(0), text);
    asked.reasons = vec![Reason::Current];
    asked
}

fn paragraph(chars: usize) -> String {
    let step = "The import of the huts took a while and then it went on to the next of its many steps. ";
    step.repeat(chars / step.len()) + "Which step should we drop?"
}

#[test]
fn a_paragraph_to_answer_is_shown_in_full_if_it_fits() {
    let asked = asked(&paragraph(3_200));
    let made = packed(&[asked], ContextFormat::Pack, 100_000, None);
    assert_eq!(made.receipt.items[0].level, Some(Level::Full));
    assert!(made.text.ends_with("Which step should we drop?"), "{}", made.text);
}

#[test]
fn a_long_message_to_answer_keeps_both_ends_for_every_tokenizer() {
    let lines = (1..250).map(|number| format!("{number:05} WARN queue {} job {} late\n", number * 20, number * 12));
    let logged = asked(&format!("Look at this log:\n{}Which job is late most often?", lines.collect::<String>()));
    for model in ["gpt-4o", "gpt-4", "claude-sonnet-4", "gemini-2.0-flash", "no-such-model"] {
        for (format, budget) in
            [(ContextFormat::Pack, 512), (ContextFormat::Pack, 2_048), (ContextFormat::Injection, 512)]
        {
            let made = packed_for(model, std::slice::from_ref(&logged), format, budget, None);
            let shown = &made.shown[0].1;
            assert!(shown.starts_with("Look at") && shown.ends_with("most often?"), "{model} {budget}: {shown}");
            assert_eq!(made.receipt.items[0].level, Some(Level::HeadTail));
            assert!(made.receipt.used <= budget && made.receipt.used * 2 > budget, "{model}: {}", made.receipt.used);
        }
    }
}

#[test]
fn a_cut_text_is_never_full_and_has_a_handle() {
    let links = (0..5).map(|at| format!("see https://a{at}.dev ")).collect::<String>();
    for text in [paragraph(12_000), "A".repeat(4_000), "many words\n".repeat(3_000), links] {
        let asked = asked(&text);
        for format in [ContextFormat::Pack, ContextFormat::Injection] {
            let made = packed(std::slice::from_ref(&asked), format, 100_000, None);
            assert_eq!(made.receipt.items[0].level, Some(Level::HeadTail), "{}", made.text);
            let read = parse(&made.text).expect("it reads back");
            assert_eq!(read.items()[0].quote.level, Level::HeadTail);
            assert_eq!(read.items()[0].quote.text.as_str(), made.receipt.items[0].text);
            let handle = format!(r#"Read: channel_history {{"channel_id":"{}"}}"#, asked.id);
            assert!(made.text.contains(" (cut): ") && made.text.contains(&handle), "{}", made.text);
        }
    }
}

#[test]
fn the_end_of_a_long_line_is_shown() {
    let made = packed(&[asked(&paragraph(12_000))], ContextFormat::Pack, 100_000, None);
    let text = &made.receipt.items[0].text;
    assert!(text.ends_with("Which step should we drop?") && text.contains(" characters more] "), "{text}");
}

#[test]
fn a_cut_text_is_unchanged_in_the_next_pack() {
    let place = place(0, 3);
    let mut said = vec![message(&place, 1, author(1), &"A".repeat(4_000)), message(&place, 2, author(0), "Hello.")];
    said[1].reasons = vec![Reason::Current];
    let before = packed(&said, ContextFormat::Pack, 1_024, None);
    said[1].reasons = vec![Reason::Recent];
    said.push(message(&place, 3, author(0), "And now?"));
    said[2].reasons = vec![Reason::Current];
    let after = packed(&said, ContextFormat::Pack, 1_024, Some(&before.receipt));
    let shown = |made: &BuiltPack| made.receipt.items.iter().find(|item| item.seq == Some(1)).cloned().expect("listed");
    assert_eq!(shown(&before).level, Some(Level::HeadTail));
    assert_eq!((shown(&after).level, shown(&after).text), (shown(&before).level, shown(&before).text));
}
