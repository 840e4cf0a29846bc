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
  parlour answer msg_01K… yes                    an option by id, label or number
  parlour answer msg_01K… --text 'Not before Monday'
  parlour answer msg_01K… --value '{\"count\": 3}'  for a question with a JSON Schema
  parlour answer msg_01K… --ignore               decline to answer; others still can
  parlour questions                              list open questions";

/// Answer a question
///
/// A question is answered once. If it has options, an answer that matches none of them is refused unless it is given
/// with --text.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AnswerCommand {
    /// Message of the question, by id
    message: MessageId,
    /// Answer: an option or a text; `-` reads it from stdin
    #[arg(value_name = "ANSWER", required_unless_present_any = ["value", "text", "ignore"])]
    words: Vec<String>,
    /// Answer with a text that is not one of the options
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["words", "value", "ignore"])]
    text: Option<String>,
    /// Answer with a JSON value
    #[arg(long, value_name = "JSON", conflicts_with_all = ["words", "ignore"], value_parser = json_value)]
    value: Option<Value>,
    /// Decline to answer
    #[arg(long, conflicts_with = "words")]
    ignore: bool,
    #[command(flatten)]
    connection: Connection,
}

impl AnswerCommand {
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

/// Refuses a text that matches no option: a question is answered once, so a typing error must not become the answer.
fn check_meant(question: &Question, text: &str) -> Result<(), Failure> {
    if !question.is_open() || question.options.is_empty() || !matches!(question.read_text(text), RawAnswer::Text(_)) {
        return Ok(());
    }
    let options: Vec<_> = question.options.iter().map(|option| option.id.as_str()).collect();
    Err(Failure::usage(format!("{text:?} is not one of the options"))
        .hint(format!("use one of {}; or --text TEXT for another answer", options.join(", "))))
}

fn no_question(id: &MessageId) -> Failure {
    Failure::new(format!("{id} is not a question")).hint("parlour questions")
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))
}

fn show(session: &Session, message: &Message) -> String {
    match &message.question {
        Some(question) if question.is_open() => {
            "You declined to answer; the question stays open for the other addressees.\n".to_owned()
        }
        Some(question) => {
            format!("Question of {}: {}.\n", message.from.name, state_line(question, &session.local_time))
        }
        None => "The question was removed.\n".to_owned(),
    }
}

/// Withdraw a question
///
/// Allowed for its author and for every person who can read it. Runs that wait for the answer resume without one.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour withdraw msg_01K…")]
pub(crate) struct WithdrawCommand {
    /// Message of the question, by id
    message: MessageId,
    #[command(flatten)]
    connection: Connection,
}

impl WithdrawCommand {
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
    fn an_unknown_option_is_refused_with_the_existing_ones() {
        let question = question(&json!([{"id": "yes", "label": "Ship it"}, {"id": "no", "label": "no"}]));
        for text in ["yes", " YES ", "ship it", "2"] {
            assert_eq!(check_meant(&question, text), Ok(()), "{text:?}");
        }
        let refused = check_meant(&question, "yess").expect_err("no option").to_string();
        assert_eq!(
            refused,
            "parlour: \"yess\" is not one of the options\n  try: use one of yes, no; or --text TEXT for another answer"
        );
    }

    #[test]
    fn a_question_without_options_accepts_any_text() {
        assert_eq!(check_meant(&question(&json!([])), "whatever"), Ok(()));
    }
}
