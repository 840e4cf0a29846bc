use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    author::AuthorType,
    id::{AgentId, PersonId},
};

fn option(id: &str, label: &str) -> AnswerOption {
    AnswerOption { id: id.into(), label: label.into(), description: None }
}

fn mara() -> MemberId {
    PersonId::from_bits(1).into()
}

fn coder() -> MemberId {
    AgentId::from_bits(1).into()
}

fn author(name: &str) -> Author {
    Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: name.into() }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn with_options() -> Ask {
    Ask {
        options: vec![option("keep", "Keep the file"), option("drop", "Drop it")],
        default: Some(json!("keep")),
        ..Ask::default()
    }
}

fn asked() -> Question {
    with_options().asked(vec![mara(), coder()], at(0))
}

fn chosen(option: &str) -> Answer {
    Answer { option: Some(option.into()), value: None, text: None, message_id: None, is_default: false }
}

#[test]
fn a_question_expires_after_a_day_unless_it_says_otherwise() {
    assert_eq!(Ask::default().asked(vec![mara()], at(0)).expires_at, at(24 * 60 * 60));
    let soon = Ask { expires_in_seconds: Some(90), ..Ask::default() };
    assert_eq!(soon.asked(vec![mara()], at(0)).expires_at, at(90));
}

#[test]
fn what_is_out_of_bounds_is_refused_with_its_place() {
    let long = Value::String("x".repeat(limits::ANSWER_SCHEMA_BYTES_MAX));
    let wrong = [
        (Ask { options: vec![option("", "a")], ..Ask::default() }, "options[0].id"),
        (Ask { options: vec![option("a", "a\nb")], ..Ask::default() }, "options[0].label"),
        (Ask { options: vec![option("a", "A"), option("a", "B")], ..Ask::default() }, "options[1].id"),
        (Ask { options: vec![option("a", "A"); limits::OPTIONS_PER_QUESTION_MAX + 1], ..Ask::default() }, "options"),
        (Ask { schema: Some(json!(true)), ..with_options() }, "schema"),
        (Ask { schema: Some(long), ..Ask::default() }, "schema"),
        (Ask { default: Some(json!("burn")), ..with_options() }, "default"),
        (Ask { default: Some(json!(1)), ..with_options() }, "default"),
        (Ask { expires_in_seconds: Some(0), ..Ask::default() }, "expires_in_seconds"),
        (Ask { expires_in_seconds: Some(u64::MAX), ..Ask::default() }, "expires_in_seconds"),
    ];
    for (ask, field) in wrong {
        assert_eq!(ask.check().expect_err(field).field.as_deref(), Some(field));
    }
    assert_eq!(with_options().check(), Ok(()));
}

#[test]
fn a_text_names_an_option_by_id_label_or_number() {
    let question = asked();
    for text in ["keep", " KEEP ", "Keep the file", "keep the FILE\n", "1"] {
        assert_eq!(question.read_text(text), RawAnswer::Option("keep".into()), "{text}");
    }
    for text in ["0", "3", "keep it", "-1", ""] {
        assert_eq!(question.read_text(text), RawAnswer::Text(text.into()), "{text}");
    }
}

#[test]
fn an_option_named_by_a_number_goes_before_the_place_in_the_list() {
    let ask = Ask { options: vec![option("2", "two"), option("1", "one")], ..Ask::default() };
    assert_eq!(ask.asked(vec![mara()], at(0)).read_text("1"), RawAnswer::Option("1".into()));
}

#[test]
fn with_a_schema_a_text_is_json_first_and_then_itself() {
    let question = Ask { schema: Some(json!({})), ..Ask::default() }.asked(vec![mara()], at(0));
    assert_eq!(question.read_text(" 7 "), RawAnswer::Values(vec![json!(7), json!("7")]));
    assert_eq!(question.read_text("seven"), RawAnswer::Values(vec![json!("seven")]));
}

#[test]
fn exactly_one_thing_is_given() {
    let question = asked();
    let give = |option: Option<&str>, text: Option<&str>, ignore| AnswerRequest {
        option: option.map(Into::into),
        text: text.map(Into::into),
        value: None,
        ignore,
    };
    assert_eq!(give(Some("drop"), None, false).given(&question), Ok(Some(RawAnswer::Option("drop".into()))));
    assert_eq!(give(None, None, true).given(&question), Ok(None));
    for wrong in [give(None, None, false), give(Some("keep"), Some("x"), false), give(Some("keep"), None, true)] {
        assert!(wrong.given(&question).is_err(), "{wrong:?}");
    }
    let unknown = give(Some("burn"), None, false).given(&question).expect_err("unknown");
    assert_eq!((unknown.code, unknown.candidates), (Code::BadAnswer, vec!["keep".to_owned(), "drop".to_owned()]));
    assert_eq!(give(None, Some(" "), false).given(&question).expect_err("blank").field.as_deref(), Some("text"));
}

#[test]
fn a_value_needs_a_schema_unless_it_is_a_text() {
    let give = |value| AnswerRequest { value: Some(value), ..AnswerRequest::default() };
    assert_eq!(give(json!("drop")).given(&asked()), Ok(Some(RawAnswer::Option("drop".into()))));
    assert_eq!(give(json!(7)).given(&asked()).expect_err("no schema").code, Code::BadAnswer);
}

#[test]
fn it_is_answered_once_and_later_ones_learn_by_whom() {
    let first = asked().settled(&Settlement::Answered(chosen("drop")), &author("Mara"), at(5)).expect("open");
    assert_eq!((first.state, first.closed_at, first.is_open()), (QuestionState::Answered, Some(at(5)), false));
    let late = first.settled(&Settlement::Answered(chosen("keep")), &author("Bela"), at(6)).expect_err("closed");
    assert_eq!((late.code, late.detail.as_str()), (Code::QuestionClosed, "Mara has answered it"));
}

#[test]
fn the_default_counts_when_it_expires_and_says_so() {
    let expired = asked().settled(&Settlement::Expired, &Author::host(), at(9)).expect("open");
    let answer = expired.answer.clone().expect("the default");
    assert_eq!((answer.option.as_deref(), answer.is_default), (Some("keep"), true));
    assert!(expired.refuse_closed().detail.contains("default"));
    let bare = Ask::default().asked(vec![mara()], at(0));
    let expired = bare.settled(&Settlement::Expired, &Author::host(), at(9)).expect("open");
    assert_eq!((expired.state, expired.answer), (QuestionState::Expired, None));
}

#[test]
fn it_ends_when_all_ignore_it() {
    let one = asked().settled(&Settlement::Ignored(mara()), &author("Mara"), at(1)).expect("open");
    assert_eq!((one.is_open(), one.awaited().collect::<Vec<_>>()), (true, vec![&coder()]));
    let again = one.settled(&Settlement::Ignored(mara()), &author("Mara"), at(2)).expect("open");
    assert_eq!(again, one, "saying it twice changes nothing");
    let all = one.settled(&Settlement::Ignored(coder()), &author("Coder"), at(3)).expect("open");
    assert_eq!((all.state, all.answer.map(|answer| answer.is_default)), (QuestionState::Ignored, Some(true)));
}

#[test]
fn somebody_who_was_not_asked_cannot_end_it_by_ignoring() {
    let other: MemberId = PersonId::from_bits(9).into();
    let question = asked().settled(&Settlement::Ignored(other), &author("Bela"), at(1)).expect("open");
    assert!(question.is_open() && question.awaited().count() == 2);
}

fn settlement() -> impl Strategy<Value = Settlement> {
    prop_oneof![
        Just(Settlement::Answered(chosen("keep"))),
        Just(Settlement::Ignored(mara())),
        Just(Settlement::Ignored(coder())),
        Just(Settlement::Expired),
        Just(Settlement::Withdrawn),
    ]
}

proptest! {
    #[test]
    fn it_ends_once_whatever_is_tried(steps in proptest::collection::vec(settlement(), 0..8)) {
        let (mut question, mut ends) = (asked(), 0);
        for (moment, step) in steps.iter().enumerate() {
            match question.settled(step, &author("Mara"), at(moment as i64)) {
                Ok(next) => {
                    ends += usize::from(!next.is_open());
                    prop_assert_eq!(next.is_open(), next.closed_at.is_none());
                    question = next;
                }
                Err(refusal) => prop_assert!(!question.is_open() && refusal.code == Code::QuestionClosed),
            }
        }
        prop_assert!(ends <= 1);
    }

    #[test]
    fn any_text_is_read_and_kept(text in "(.|\n){0,200}") {
        match asked().read_text(&text) {
            RawAnswer::Option(id) => prop_assert!(asked().options.iter().any(|option| option.id == id)),
            RawAnswer::Text(kept) => prop_assert_eq!(kept, text),
            RawAnswer::Values(values) => prop_assert!(values.is_empty(), "there is no schema"),
        }
    }

    #[test]
    fn the_native_form_round_trips(text in ".{0,40}", step in settlement()) {
        let ask = Ask { default: Some(json!(text)), ..Ask::default() };
        let question = ask.asked(vec![mara(), coder()], at(0)).settled(&step, &author("Mara"), at(1)).expect("open");
        let json = serde_json::to_string(&question).expect("json");
        prop_assert_eq!(serde_json::from_str::<Question>(&json).expect("own form"), question);
    }
}
