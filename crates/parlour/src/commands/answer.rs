//! `parlour answer` and `parlour withdraw`: how a question ends.

use clap::Args;
use parlour_core::{
    id::MessageId,
    message::Message,
    question::{AnswerRequest, Question, RawAnswer},
};
use serde_json::Value;

use super::post::read_body;
use crate::{
    failure::Failure,
    output::{Output, question::state_line},
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour answer msg_01K… yes                    an option by its id, label or number
  parlour answer msg_01K… --text 'Not before Monday'
  parlour answer msg_01K… --value '{\"count\": 3}'  where the question has a schema
  parlour answer msg_01K… --ignore               you will not answer; the others still can
  parlour questions                              what there is to answer";

/// Answer a question
///
/// A question is answered once. Where it offers options, an answer that names none of them is refused unless --text says
/// that it is meant.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Answer {
    /// The message that asks, by id
    message: MessageId,
    /// The answer: an option, or a text; `-` reads it from stdin
    #[arg(value_name = "ANSWER", required_unless_present_any = ["value", "text", "ignore"])]
    words: Vec<String>,
    /// Answer in your own words
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["words", "value", "ignore"])]
    text: Option<String>,
    /// Answer with a JSON value
    #[arg(long, value_name = "JSON", conflicts_with_all = ["words", "ignore"], value_parser = json_value)]
    value: Option<Value>,
    /// Say that you will not answer
    #[arg(long, conflicts_with = "words")]
    ignore: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Answer {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let request = self.request(&session).await?;
        let message = session.client.answer(&self.message, &request).await?;
        session.answer(&message, |message| show(&session, message))
    }

    async fn request(&self, session: &Session) -> Result<AnswerRequest, Failure> {
        if self.ignore || self.value.is_some() || self.text.is_some() {
            let (text, value) = (self.text.clone(), self.value.clone());
            return Ok(AnswerRequest { option: None, value, text, ignore: self.ignore });
        }
        let text = read_body(&self.words).await?;
        let message = session.client.message(&self.message).await?;
        let question = message.question.as_ref().ok_or_else(|| no_question(&self.message))?;
        check_meant(question, &text)?;
        Ok(AnswerRequest { text: Some(text), ..AnswerRequest::default() })
    }
}

/// A question is answered once: a misspelt option must not become the answer.
fn check_meant(question: &Question, text: &str) -> Result<(), Failure> {
    if !question.is_open() || question.options.is_empty() || !matches!(question.read_text(text), RawAnswer::Text(_)) {
        return Ok(());
    }
    let options: Vec<_> = question.options.iter().map(|option| option.id.as_str()).collect();
    Err(Failure::usage(format!("{text:?} is none of the options"))
        .hint(format!("{}; or --text to answer in your own words", options.join(", "))))
}

fn no_question(id: &MessageId) -> Failure {
    Failure::new(format!("{id} asks nothing")).hint("parlour questions")
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))
}

/// How the question stands after what was done.
fn show(session: &Session, message: &Message) -> String {
    match &message.question {
        Some(question) if question.is_open() => {
            "You will not be asked again; the question stays open for the others.\n".to_owned()
        }
        Some(question) => {
            format!("The question of {} is {}.\n", message.from.name, state_line(question, &session.moments))
        }
        None => "The question is gone.\n".to_owned(),
    }
}

/// Take a question back
///
/// Whoever asked can, and every person who reads it. What waits for the answer goes on without one.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour withdraw msg_01K…")]
pub(crate) struct Withdraw {
    /// The message that asks, by id
    message: MessageId,
    #[command(flatten)]
    connection: Connection,
}

impl Withdraw {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let message = session.client.withdraw(&self.message).await?;
        session.answer(&message, |message| show(&session, message))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(options: &Value) -> Question {
        let json = json!({
            "addressees": ["per_1"], "options": options, "expires_at": "2026-11-15T09:12:00.000Z", "state": "open",
        });
        serde_json::from_value(json).expect("a question")
    }

    #[test]
    fn a_misspelt_option_is_refused_with_those_that_exist() {
        let question = question(&json!([{"id": "yes", "label": "Ship it"}, {"id": "no", "label": "no"}]));
        for text in ["yes", " YES ", "ship it", "2"] {
            assert_eq!(check_meant(&question, text), Ok(()), "{text:?}");
        }
        let refused = check_meant(&question, "yess").expect_err("no option").to_string();
        assert_eq!(
            refused,
            "parlour: \"yess\" is none of the options\n  try: yes, no; or --text to answer in your own words"
        );
    }

    #[test]
    fn a_question_without_options_takes_any_text() {
        assert_eq!(check_meant(&question(&json!([])), "whatever"), Ok(()));
    }
}
