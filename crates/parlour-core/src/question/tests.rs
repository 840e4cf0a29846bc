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

fn with_options() -> NewQuestion {
    NewQuestion {
        options: vec![option("keep", "Keep the file"), option("drop", "Drop it")],
        default: Some(json!("keep")),
        ..NewQuestion::default()
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
    assert_eq!(NewQuestion::default().asked(vec![mara()], at(0)).expires_at, at(24 * 60 * 60));
    let soon = NewQuestion { expires_in_seconds: Some(90), ..NewQuestion::default() };
    assert_eq!(soon.asked(vec![mara()], at(0)).expires_at, at(90));
}

#[test]
fn a_value_out_of_range_is_refused_with_its_field() {
    let long = Value::String("x".repeat(limits::ANSWER_SCHEMA_BYTES_MAX));
    let wrong = [
        (NewQuestion { options: vec![option("", "a")], ..NewQuestion::default() }, "options[0].id"),
        (NewQuestion { options: vec![option("a", "a\nb")], ..NewQuestion::default() }, "options[0].label"),
        (NewQuestion { options: vec![option("a", "A"), option("a", "B")], ..NewQuestion::default() }, "options[1].id"),
        (
            NewQuestion {
                options: vec![option("a", "A"); limits::OPTIONS_PER_QUESTION_MAX + 1],
                ..NewQuestion::default()
            },
            "options",
        ),
        (NewQuestion { schema: Some(json!(true)), ..with_options() }, "schema"),
        (NewQuestion { schema: Some(long), ..NewQuestion::default() }, "schema"),
        (NewQuestion { default: Some(json!("burn")), ..with_options() }, "default"),
        (NewQuestion { default: Some(json!(1)), ..with_options() }, "default"),
        (NewQuestion { expires_in_seconds: Some(0), ..NewQuestion::default() }, "expires_in_seconds"),
        (NewQuestion { expires_in_seconds: Some(u64::MAX), ..NewQuestion::default() }, "expires_in_seconds"),
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

/// The option that a text chooses among these, each with its label; empty for free text.
fn option_named(options: &[(&str, &str)], text: &str) -> String {
    let option =
        |(id, label): &(&str, &str)| AnswerOption { id: (*id).into(), label: (*label).into(), description: None };
    let ask = NewQuestion { options: options.iter().map(option).collect(), ..NewQuestion::default() };
    match ask.asked(vec![mara()], at(0)).read_text(text) {
        RawAnswer::Option(id) => id,
        _ => String::new(),
    }
}

#[test]
fn case_punctuation_and_courtesy_do_not_matter_in_a_reply() {
    let options = [("yes", "Yes, delete it"), ("no", "No")];
    for text in
        ["yes please.", "Yes!", "please, yes", "YES, thank you", "yes delete it", "1.", "1)", "#1", "(1), thanks"]
    {
        assert_eq!(option_named(&options, text), "yes", "{text}");
    }
    for text in ["2.", "no.", "No, thanks!"] {
        assert_eq!(option_named(&options, text), "no", "{text}");
    }
    for text in ["yes?", "not yes", "1.2", "3.", "please", "...", "yes or no", "-", "no, delete it"] {
        assert_eq!(option_named(&options, text), "", "{text}");
    }
}

#[test]
fn a_reply_that_fits_two_options_is_free_text() {
    assert_eq!(option_named(&[("a", "Keep"), ("b", "keep")], "keep"), "");
    assert_eq!(option_named(&[("a", "C++"), ("b", "C#")], "c"), "");
    assert_eq!(option_named(&[("a", "C++"), ("b", "C#")], "c++"), "a");
    assert_eq!(option_named(&[("a", "2!"), ("b", "2?")], "2."), "a", "a name takes precedence over the index");
}

#[test]
fn an_option_named_by_a_number_takes_precedence_over_the_index() {
    let ask = NewQuestion { options: vec![option("2", "two"), option("1", "one")], ..NewQuestion::default() };
    assert_eq!(ask.asked(vec![mara()], at(0)).read_text("1"), RawAnswer::Option("1".into()));
}

#[test]
fn with_a_schema_a_text_is_json_first_and_then_itself() {
    let question = NewQuestion { schema: Some(json!({})), ..NewQuestion::default() }.asked(vec![mara()], at(0));
    assert_eq!(question.read_text(" 7 "), RawAnswer::Values(vec![json!(7), json!("7")]));
    assert_eq!(question.read_text("seven"), RawAnswer::Values(vec![json!("seven")]));
}

#[test]
fn an_answer_request_must_have_exactly_one_field() {
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
fn a_later_answer_is_refused_with_the_name_of_the_first_author() {
    let first = asked().settled(&Settlement::Answered(chosen("drop")), &author("Mara"), at(5)).expect("open");
    assert_eq!((first.state, first.closed_at, first.is_open()), (QuestionState::Answered, Some(at(5)), false));
    let late = first.settled(&Settlement::Answered(chosen("keep")), &author("Bela"), at(6)).expect_err("closed");
    assert_eq!((late.code, late.detail.as_str()), (Code::QuestionClosed, "Mara has answered it"));
}

#[test]
fn the_default_is_the_answer_of_an_expired_question() {
    let expired = asked().settled(&Settlement::Expired, &Author::host(), at(9)).expect("open");
    let answer = expired.answer.clone().expect("the default");
    assert_eq!((answer.option.as_deref(), answer.is_default), (Some("keep"), true));
    assert!(expired.refuse_closed().detail.contains("default"));
    let bare = NewQuestion::default().asked(vec![mara()], at(0));
    let expired = bare.settled(&Settlement::Expired, &Author::host(), at(9)).expect("open");
    assert_eq!((expired.state, expired.answer), (QuestionState::Expired, None));
}

#[test]
fn a_question_ends_when_all_addressees_ignore_it() {
    let one = asked().settled(&Settlement::Ignored(mara()), &author("Mara"), at(1)).expect("open");
    assert_eq!((one.is_open(), one.awaited().collect::<Vec<_>>()), (true, vec![&coder()]));
    let again = one.settled(&Settlement::Ignored(mara()), &author("Mara"), at(2)).expect("open");
    assert_eq!(again, one, "saying it twice changes nothing");
    let all = one.settled(&Settlement::Ignored(coder()), &author("Coder"), at(3)).expect("open");
    assert_eq!((all.state, all.answer.map(|answer| answer.is_default)), (QuestionState::Ignored, Some(true)));
}

#[test]
fn a_non_addressee_cannot_end_a_question() {
    let other: MemberId = PersonId::from_bits(9).into();
    for settlement in [Settlement::Ignored(other.clone()), Settlement::Unanswered(other)] {
        let question = asked().settled(&settlement, &author("Bela"), at(1)).expect("open");
        assert!(question.is_open() && question.awaited().count() == 2, "{settlement:?}");
    }
}

#[test]
fn it_is_unanswered_when_nobody_is_left_who_could_answer() {
    let one = asked().settled(&Settlement::Unanswered(coder()), &author("Coder"), at(1)).expect("open");
    assert_eq!((one.is_open(), one.awaited().collect::<Vec<_>>()), (true, vec![&mara()]), "a person may still answer");
    let again = one.settled(&Settlement::Ignored(coder()), &author("Coder"), at(2)).expect("open");
    assert_eq!(again, one, "the first note of a member counts");
    let all = one.settled(&Settlement::Ignored(mara()), &author("Mara"), at(3)).expect("open");
    assert_eq!((all.state, all.answer.map(|answer| answer.is_default)), (QuestionState::Unanswered, Some(true)));
    let answered = one.settled(&Settlement::Answered(chosen("keep")), &author("Mara"), at(4)).expect("open");
    assert_eq!(answered.state, QuestionState::Answered);
}

#[test]
fn only_the_successful_end_of_a_run_that_was_given_the_message_passes_it_over() {
    let Some(agent) = coder().agent().cloned() else { unreachable!("Coder is an agent") };
    assert!(asked().is_passed_over(&agent, RunState::Done, true));
    assert!(!asked().is_passed_over(&agent, RunState::Done, false));
    assert!(
        !asked().is_passed_over(&agent, RunState::Failed, true)
            && !asked().is_passed_over(&agent, RunState::Cancelled, true)
    );
    assert!(!asked().is_passed_over(&AgentId::from_bits(9), RunState::Done, true), "it does not ask this agent");
    let closed = asked().settled(&Settlement::Withdrawn, &author("Mara"), at(1)).expect("open");
    assert!(!closed.is_passed_over(&agent, RunState::Done, true));
}

fn settlement() -> impl Strategy<Value = Settlement> {
    prop_oneof![
        Just(Settlement::Answered(chosen("keep"))),
        Just(Settlement::Ignored(mara())),
        Just(Settlement::Ignored(coder())),
        Just(Settlement::Unanswered(coder())),
        Just(Settlement::Expired),
        Just(Settlement::Withdrawn),
    ]
}

proptest! {
    #[test]
    fn a_question_ends_once_after_any_settlements(steps in proptest::collection::vec(settlement(), 0..8)) {
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
    fn any_text_is_parsed_as_an_answer(text in "(.|\n){0,200}") {
        match asked().read_text(&text) {
            RawAnswer::Option(id) => prop_assert!(asked().options.iter().any(|option| option.id == id)),
            RawAnswer::Text(kept) => prop_assert_eq!(kept, text),
            RawAnswer::Values(values) => prop_assert!(values.is_empty(), "there is no schema"),
        }
    }

    #[test]
    fn the_native_form_round_trips(text in ".{0,40}", step in settlement()) {
        let ask = NewQuestion { default: Some(json!(text)), ..NewQuestion::default() };
        let question = ask.asked(vec![mara(), coder()], at(0)).settled(&step, &author("Mara"), at(1)).expect("open");
        let json = serde_json::to_string(&question).expect("json");
        prop_assert_eq!(serde_json::from_str::<Question>(&json).expect("own form"), question);
    }
}

#[test]
fn a_settlement_releases_the_members_that_it_no_longer_awaits() {
    let zoe: MemberId = AgentId::from_bits(9).into();
    let open = Question { ignored_by: vec![zoe.clone()], addressees: vec![mara(), coder(), zoe], ..asked() };
    let released = |settlement: Settlement| {
        let settled = open.settled(&settlement, &author("Mara"), at(1)).expect("open");
        open.released_by(&settled).cloned().collect::<Vec<_>>()
    };
    let cases = [
        ("answered", Settlement::Answered(chosen("keep")), vec![mara(), coder()]),
        ("expired", Settlement::Expired, vec![mara(), coder()]),
        ("withdrawn", Settlement::Withdrawn, vec![mara(), coder()]),
        ("ignored by one", Settlement::Ignored(coder()), vec![coder()]),
        ("handled by one", Settlement::Unanswered(coder()), vec![coder()]),
        ("ignored again", Settlement::Ignored(AgentId::from_bits(9).into()), vec![]),
    ];
    for (case, settlement, expected) in cases {
        assert_eq!(released(settlement), expected, "{case}");
    }
}

#[test]
fn removing_the_message_withdraws_an_open_question_and_deletes_its_contents() {
    let removed = Question { schema: Some(json!({})), ..asked() }.removed(&author("Mara"), at(5));
    assert_eq!((removed.state, removed.closed_at), (QuestionState::Withdrawn, Some(at(5))));
    assert_eq!(removed.closed_by.map(|by| by.name).as_deref(), Some("Mara"));
    assert_eq!((removed.options, removed.schema, removed.default), (vec![], None, None));
    assert_eq!(removed.addressees, [mara(), coder()]);
}

#[test]
fn removing_the_message_keeps_the_end_of_a_closed_question_but_not_its_answer() {
    let answered = asked().settled(&Settlement::Answered(chosen("keep")), &author("Bo"), at(1)).expect("open");
    let removed = answered.removed(&author("Mara"), at(5));
    assert_eq!((removed.state, removed.closed_at), (QuestionState::Answered, Some(at(1))));
    assert_eq!(removed.closed_by.map(|by| by.name).as_deref(), Some("Bo"));
    assert_eq!((removed.options, removed.default, removed.answer), (vec![], None, None));
}
