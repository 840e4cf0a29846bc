use parlour_core::{
    checkpoint::summary,
    question::{Answer, Question, QuestionState},
};

/// Characters of an answer in a timeline.
const ANSWER_CHARS_MAX: usize = 80;

/// How a question ended, in a few words for the timeline.
pub(crate) fn describe_outcome(question: &Question) -> String {
    let by = question.closed_by.as_ref().map_or("somebody", |author| author.name.as_str());
    let answer = question.answer.as_ref().and_then(|answer| words_of(question, answer));
    match (question.state, answer) {
        (QuestionState::Open, _) => "still open".to_owned(),
        (QuestionState::Answered, Some(answer)) => format!("answered by {by}: {answer}"),
        (QuestionState::Answered, None) => format!("answered by {by}"),
        (QuestionState::Expired, Some(default)) => format!("expired: default {default}"),
        (QuestionState::Expired, None) => "expired".to_owned(),
        (QuestionState::Ignored, Some(default)) => format!("ignored by all: default {default}"),
        (QuestionState::Ignored, None) => "ignored by all".to_owned(),
        (QuestionState::Withdrawn, _) => format!("taken back by {by}"),
    }
}

/// What was answered, as people see it; nothing when it stands in a message.
fn words_of(question: &Question, answer: &Answer) -> Option<String> {
    let label = |id: &String| {
        let option = question.options.iter().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.label.clone())
    };
    let words = answer.option.as_ref().map(label).or_else(|| answer.text.clone());
    let words = words.or_else(|| answer.value.as_ref().map(ToString::to_string))?;
    Some(summary(&words, ANSWER_CHARS_MAX))
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        Timestamp,
        author::Author,
        question::{AnswerOption, Ask, Settlement},
    };

    use super::*;

    fn ended(settlement: &Settlement) -> String {
        let option = AnswerOption { id: "keep".into(), label: "Keep it".into(), description: None };
        let ask = Ask { options: vec![option], default: Some("keep".into()), ..Ask::default() };
        let at = Timestamp::from_millis(0);
        describe_outcome(&ask.asked(Vec::new(), at).settled(settlement, &Author::host(), at).expect("open"))
    }

    fn answered(option: Option<&str>, text: Option<&str>) -> Settlement {
        let (option, text) = (option.map(str::to_owned), text.map(str::to_owned));
        Settlement::Answered(Answer { option, text, value: None, message_id: None, is_default: false })
    }

    #[test]
    fn it_says_who_answered_what() {
        assert_eq!(ended(&answered(Some("keep"), None)), "answered by Parlour: Keep it");
        assert_eq!(ended(&answered(None, None)), "answered by Parlour");
        let long = ended(&answered(None, Some(&"word ".repeat(50))));
        assert!(long.ends_with('…') && long.chars().count() < 120, "{long}");
    }

    #[test]
    fn it_says_that_the_default_counts() {
        assert_eq!(ended(&Settlement::Expired), "expired: default Keep it");
        assert_eq!(ended(&Settlement::Withdrawn), "taken back by Parlour");
    }
}
