//! How the guide goes on after its question.

use parlour_core::question::NewQuestion;

use super::*;
use crate::engines::guide::tests::mara_asks;

fn reply(state: QuestionState, option: Option<&str>, text: Option<&str>, is_default: bool) -> QuestionReply {
    QuestionReply { state, option: option.map(Into::into), value: None, text: text.map(Into::into), is_default }
}

fn told(reply: Result<QuestionReply, AskError>) -> String {
    go_on(reply, &mara_asks("@Guide ask me something"))
}

#[test]
fn it_talks_about_what_was_chosen() {
    let text = told(Ok(reply(QuestionState::Answered, Some("threads"), None, false)));
    assert!(text.contains("You have chosen **Threads**") && text.contains("**A thread hangs below"), "{text}");
}

#[test]
fn a_default_is_told_as_one() {
    let text = told(Ok(reply(QuestionState::Expired, Some("channels"), None, true)));
    assert!(text.contains("Nobody has answered, so the default counts: **Channels**."), "{text}");
}

#[test]
fn something_else_is_looked_up() {
    let text = told(Ok(reply(QuestionState::Answered, None, Some("dms, please"), false)));
    assert!(text.contains("**A dm is a conversation"), "{text}");
}

#[test]
fn it_goes_on_without_an_answer() {
    assert!(told(Ok(reply(QuestionState::Withdrawn, None, None, false))).contains("without an answer"));
    assert!(told(Ok(reply(QuestionState::Ignored, None, None, false))).contains("go on without one"));
    assert!(told(Err(AskError::new("nothing can be asked here"))).contains("could not ask: nothing"));
}

#[test]
fn its_question_is_one_that_a_hub_takes() {
    let option = |(id, label, ..): (&str, &str, &str, Topic)| AnswerOption {
        id: id.into(),
        label: label.into(),
        description: None,
    };
    let ask = NewQuestion {
        options: CHOICES.into_iter().map(option).collect(),
        default: Some(CHOICES[0].0.into()),
        expires_in_seconds: Some(WAIT_SECONDS),
        ..NewQuestion::default()
    };
    assert_eq!(ask.check(), Ok(()));
}
