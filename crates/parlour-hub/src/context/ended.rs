//! How a question ended. Who answers by a button or a command writes no message: without a word about it a model would
//! take the question for an open one, and not know what was decided.

use parlour_context::frame::Label;
use parlour_core::question::{Answer, Question, QuestionState};

/// What is said of a question that has ended.
pub(super) struct Ended {
    /// A line of the hub, without words of others save names.
    pub(super) note: String,
    /// The answer, where it stands in no message. It is quoted like the question.
    pub(super) answer: Option<String>,
}

/// How this question ended; nothing while it is open.
pub(super) fn ended(question: &Question) -> Option<Ended> {
    let by = question.closed_by.as_ref().map(|author| Label::of(&author.name));
    let by = by.as_ref().map_or("the hub", Label::as_str);
    let note = match question.state {
        QuestionState::Open => return None,
        QuestionState::Answered => format!("Answered by {by}."),
        QuestionState::Expired | QuestionState::Ignored if question.answer.is_some() => {
            "Nobody has answered it: its default counts.".to_owned()
        }
        QuestionState::Expired => "It has expired without an answer.".to_owned(),
        QuestionState::Ignored => "Nobody will answer it.".to_owned(),
        QuestionState::Withdrawn => format!("Taken back by {by}."),
    };
    let words = question.answer.as_ref().and_then(|answer| words(question, answer));
    let lead =
        if question.state == QuestionState::Answered { format!("Answered by {by}") } else { "Default".to_owned() };
    Some(Ended { note, answer: words.map(|words| format!("{lead}: {words}")) })
}

/// What was answered, in words.
fn words(question: &Question, answer: &Answer) -> Option<String> {
    let label = |id: &String| {
        let option = question.options.iter().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.label.clone())
    };
    let value = || answer.value.as_ref().map(ToString::to_string);
    answer.option.as_ref().map(label).or_else(value).or_else(|| answer.text.clone())
}
