use parlour_core::{Timestamp, id::PersonId, question::Answer};
use proptest::prelude::*;

use super::*;

/// Takes out one word, and counts bytes.
struct Plain;

impl Lens for Plain {
    fn views(&self, _: &RedactionRules, texts: &[String]) -> Option<Vec<String>> {
        Some(texts.iter().map(|text| text.replace("sesame", "[password 1]")).collect())
    }

    fn tokens(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

/// A question that has ended with this text, or by its default.
fn outcome(bits: u128, asked: &str, text: Option<&str>) -> Message {
    let place = parlour_core::id::DmId::from_bits(1).into();
    let mara = Author::member(&PersonId::from_bits(1).into(), &"Mara".parse().expect("a name"));
    let (project, at) = (parlour_core::id::ProjectId::from_bits(1), Timestamp::from_millis(0));
    let mut message = Message::plain(MessageId::from_bits(bits), project, place, mara.clone(), asked.into(), at);
    let option = text.is_none().then(|| "no".to_owned());
    let answer =
        Answer { option, value: None, text: text.map(Into::into), message_id: None, is_default: text.is_none() };
    message.question = Some(Question {
        addressees: vec![PersonId::from_bits(1).into()],
        options: Vec::new(),
        schema: None,
        default: None,
        expires_at: at,
        state: if text.is_some() { QuestionState::Answered } else { QuestionState::Expired },
        answer: Some(answer),
        ignored_by: Vec::new(),
        closed_at: None,
        closed_by: text.map(|_| mara),
    });
    message
}

fn ends(outcomes: &[Message], tokens_max: u64) -> Ends {
    Ends::of(outcomes, &RedactionRules::default(), tokens_max, &Plain)
}

#[test]
fn the_end_of_an_own_question_is_told_with_what_counts() {
    let told = ends(&[outcome(1, "Ship it?", None)], 10_000);
    assert!(told.text.ends_with("has expired:\n> Ship it?\nThe default counts:\n> no"), "{}", told.text);
    assert_eq!(told.questions, [MessageId::from_bits(1)]);
    let told = ends(&[outcome(1, "Ship it?", Some("Yes,\ndo"))], 10_000);
    assert!(told.text.contains("was answered by Mara (person):\n> Ship it?\nAnswer:\n> Yes,\n> do"), "{}", told.text);
}

#[test]
fn an_answer_is_shown_without_its_secrets() {
    let told = ends(&[outcome(1, "Is it sesame?", Some("no, sesame2"))], 10_000);
    assert!(!told.text.contains("sesame") && told.text.contains("> no, [password 1]2"), "{}", told.text);
}

#[test]
fn what_does_not_fit_comes_another_time() {
    let all = [outcome(1, &"long ".repeat(40), Some(&"long ".repeat(100))), outcome(2, "short?", Some("yes"))];
    let told = ends(&all, 400);
    assert_eq!(told.questions, [MessageId::from_bits(2)]);
    assert!(told.tokens <= 400 && told.below("").len() as u64 <= told.tokens);
    assert_eq!(ends(&all, 10).questions, []);
    assert_eq!(ends(&all, 10).below(""), "");
}

#[test]
fn ends_stand_below_what_the_hub_tells() {
    let told = ends(&[outcome(1, "Ship it?", None)], 10_000);
    assert!(told.below("[Parlour 1] …\n").starts_with("[Parlour 1] …\nYour question "));
    assert!(told.below("").starts_with("[Parlour] Lines marked > quote others"));
    assert_eq!(Ends::default().below("[Parlour 1] …"), "[Parlour 1] …");
}

proptest! {
    #[test]
    fn no_text_leaves_its_mark(body in "(.|[\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}\u{202e}\u{200b}])*") {
        let unmarked = |text: &str| {
            let lines = text.split(is_line_end).filter(|line| !line.starts_with(MARK));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let told = |body: &str| ends(&[outcome(1, body, Some(body))], u64::MAX).text;
        prop_assert_eq!(unmarked(&told(&body)), unmarked(&told("x")));
        prop_assert!(!told(&body).contains(['\u{202e}', '\u{200b}']), "{}", body);
    }
}
