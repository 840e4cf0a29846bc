use parlour_core::{
    Timestamp,
    id::{DmId, PersonId},
    name::Name,
};
use proptest::prelude::*;

use super::*;

fn item(bits: u128, body: &str) -> Item {
    let mara = Name::parse("Mara").expect("a name");
    Item {
        id: MessageId::from_bits(bits),
        place: DmId::from_bits(1).into(),
        place_type: ConversationType::Dm,
        from: Author::member(&PersonId::from_bits(1).into(), &mara),
        importance: Importance::Normal,
        body: body.to_owned(),
        question: None,
        is_blocking: false,
    }
}

fn handles() -> Handles {
    Handles("parlour hook as --config p.toml".to_owned())
}

fn all(items: &[Item]) -> Telling {
    tell(items, &[], items.len() as u64, &handles(), &mut |_| true)
}

#[test]
fn what_must_not_wait_comes_first_then_what_matters_most() {
    let blocking = Item { is_blocking: true, ..item(3, "blocks") };
    let critical = Item { importance: Importance::Critical, ..item(2, "critical") };
    let telling = all(&[item(1, "normal"), critical, blocking]);
    assert_eq!(telling.named, [3, 2, 1].map(MessageId::from_bits));
    let places = ["Handle it first", "> blocks", "> critical", "> normal"].map(|part| telling.text.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", telling.text);
}

#[test]
fn there_is_no_text_without_something_to_tell() {
    assert_eq!(all(&[]), Telling::default());
    assert_eq!(tell(&[item(1, "x")], &[], 1, &handles(), &mut |_| false), Telling::default());
}

#[test]
fn what_does_not_fit_is_only_counted() {
    let mut left = 700;
    let mut takes = |part: &str| {
        let fits = part.len() <= left;
        left -= if fits { part.len() } else { 0 };
        fits
    };
    let telling = tell(&[item(1, &"x".repeat(900)), item(2, "short")], &[], 2, &handles(), &mut takes);
    assert_eq!(telling.named, [MessageId::from_bits(2)]);
    assert!(telling.text.ends_with("There is more unread: parlour hook as --config p.toml inbox"), "{}", telling.text);
}

#[test]
fn the_end_of_an_own_question_is_told_with_what_counts() {
    let question = Question {
        addressees: vec![PersonId::from_bits(1).into()],
        options: Vec::new(),
        schema: None,
        default: None,
        expires_at: Timestamp::from_millis(0),
        state: QuestionState::Expired,
        answer: Some(parlour_core::question::Answer {
            option: Some("no".into()),
            value: None,
            text: None,
            message_id: None,
            is_default: true,
        }),
        ignored_by: Vec::new(),
        closed_at: None,
        closed_by: None,
    };
    let shown = show_end(&MessageId::from_bits(1), "Ship it?", Some(&question));
    assert!(shown.contains("has expired:\n> Ship it?\nThe default counts:\n> no"), "{shown}");
}

proptest! {
    #[test]
    fn no_text_leaves_its_mark(body in "(.|[\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}\u{202e}\u{200b}])*") {
        let telling = all(&[item(1, &body)]);
        let own = all(&[item(1, "x")]);
        let unmarked = |text: &str| {
            let lines = text.split(is_line_end).filter(|line| !line.starts_with(MARK));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        prop_assert_eq!(unmarked(&telling.text), unmarked(&own.text));
        prop_assert!(!telling.text.contains(['\u{202e}', '\u{200b}']), "{}", telling.text);
    }
}
