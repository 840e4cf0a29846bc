//! Questions in the terminal.

use parlour_core::{
    checkpoint::summary,
    question::{Answer, Question, QuestionState},
};
use serde_json::Value;

use super::{
    local_time::LocalTime,
    plain::{harmless, one_line},
};

const SCHEMA_CHARS_MAX: usize = 160;

/// The state of a question in one line.
pub(crate) fn state_line(question: &Question, local_time: &LocalTime) -> String {
    let by = question.closed_by.as_ref().map_or_else(|| "somebody".to_owned(), |author| one_line(&author.name));
    match question.state {
        QuestionState::Open => {
            let until = format!("open until {}", local_time.show(question.expires_at));
            question
                .default
                .as_ref()
                .map_or(until.clone(), |default| format!("{until}, default {}", value_line(default)))
        }
        QuestionState::Answered => match question.answer.as_ref().map(answer_line) {
            Some(answer) => format!("answered by {by}: {answer}"),
            None => format!("answered by {by}"),
        },
        QuestionState::Expired => format!("expired, {}", default_line(question)),
        QuestionState::Ignored => format!("declined by all addressees, {}", default_line(question)),
        QuestionState::Unanswered => format!("not answered by any addressee, {}", default_line(question)),
        QuestionState::Withdrawn => format!("withdrawn by {by}"),
    }
}

/// The options, one per line, or the JSON Schema.
pub(crate) fn option_lines(question: &Question) -> Vec<String> {
    let width = question.options.iter().map(|option| one_line(&option.id).chars().count()).max().unwrap_or(0);
    let line = |option: &parlour_core::question::AnswerOption| {
        let (id, label) = (one_line(&option.id), one_line(&option.label));
        let label = if label == id { String::new() } else { label };
        let description = option.description.as_deref().map(|text| format!(" ({})", one_line(text)));
        format!("{id:width$}  {label}{}", description.unwrap_or_default()).trim_end().to_owned()
    };
    let schema = question.schema.as_ref().map(|schema| summary(&harmless(&schema.to_string()), SCHEMA_CHARS_MAX));
    let schema = schema.map(|schema| format!("JSON with schema {schema}"));
    question.options.iter().map(line).chain(schema).collect()
}

/// An answer in one line: option id, JSON value, text, or id of its message.
pub(crate) fn answer_line(answer: &Answer) -> String {
    match (&answer.option, &answer.value, &answer.text, &answer.message_id) {
        (Some(option), ..) => one_line(option),
        (None, Some(value), ..) => value_line(value),
        (None, None, Some(text), _) => one_line(text),
        (None, None, None, Some(id)) => format!("in {id}"),
        (None, None, None, None) => "nothing".to_owned(),
    }
}

/// A string without quotation marks, any other value as JSON.
pub(crate) fn value_line(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        value => harmless(&value.to_string()),
    }
}

fn default_line(question: &Question) -> String {
    match &question.answer {
        Some(answer) => format!("default: {}", answer_line(answer)),
        None => "without an answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(changes: Value) -> Question {
        let mut question = json!({
            "addressees": ["per_1"], "expires_at": "2026-11-15T09:12:00.000Z", "state": "open",
            "options": [{"id": "yes", "label": "Ship it"}, {"id": "no", "label": "no", "description": "Wait\na day"}],
        });
        let Value::Object(changes) = changes else { panic!("changes are an object") };
        question.as_object_mut().expect("object").extend(changes);
        serde_json::from_value(question).expect("a question")
    }

    fn line(changes: Value) -> String {
        state_line(&question(changes), &LocalTime::local())
    }

    #[test]
    fn every_outcome_is_shown_with_its_answer() {
        let mara = json!({"type": "person", "id": "per_1", "name": "Mara"});
        let default = json!({"option": "no", "is_default": true});
        for (changes, expected) in [
            (json!({"state": "answered", "closed_by": mara, "answer": {"option": "yes"}}), "answered by Mara: yes"),
            (
                json!({"state": "answered", "closed_by": mara, "answer": {"value": {"n": 1}}}),
                "answered by Mara: {\"n\":1}",
            ),
            (
                json!({"state": "answered", "closed_by": mara, "answer": {"message_id": "msg_7"}}),
                "answered by Mara: in msg_7",
            ),
            (json!({"state": "expired", "answer": default}), "expired, default: no"),
            (json!({"state": "expired"}), "expired, without an answer"),
            (json!({"state": "ignored"}), "declined by all addressees, without an answer"),
            (json!({"state": "withdrawn", "closed_by": mara}), "withdrawn by Mara"),
        ] {
            assert_eq!(line(changes), expected);
        }
        assert!(line(json!({"default": "no"})).ends_with(", default no"));
    }

    #[test]
    fn options_are_listed_one_per_line_without_repetition() {
        assert_eq!(option_lines(&question(json!({}))), ["yes  Ship it", "no    (Wait a day)"]);
    }

    #[test]
    fn a_schema_is_shown_in_short() {
        let long = json!({"options": [], "schema": {"enum": vec!["word"; 100]}});
        let lines = option_lines(&question(long));
        assert!(lines.len() == 1 && lines[0].starts_with("JSON with schema {\"enum\":") && lines[0].ends_with('…'));
    }

    #[test]
    fn answers_cannot_control_the_terminal() {
        let answer = Answer {
            option: None,
            value: None,
            text: Some("a\u{1b}[2J\nb".to_owned()),
            message_id: None,
            is_default: false,
        };
        assert!(!answer_line(&answer).contains(['\u{1b}', '\n']));
    }
}
