//! `parlour ask`: posts a blocking question and waits for the answer.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use clap::Args;
use parlour_adapters::RandomIds;
use parlour_agent::{ClientError, answers::Posted};
use parlour_core::{
    id::{MessageId, RunId},
    limits,
    message::{Importance, Message},
    post::PostMessage,
    question::{Answer, AnswerOption, NewQuestion, Question, QuestionState},
};
use parlour_hub::ports::Ids;
use serde_json::Value;

use super::{
    interrupt::Interrupt,
    post::{PostReport, addressed_to, read_body},
};
use crate::{
    choices,
    failure::{EXIT_INTERRUPTED, EXIT_UNMET, EXIT_WITHDRAWN, Failure},
    lifetime::Lifetime,
    output::{
        Output,
        plain::harmless,
        question::{answer_line, state_line},
    },
    resolve::ResolvedConversation,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour ask @Mara 'Ship it tonight?' --option yes --option no --default no --expires 30m
  parlour ask general '@Coder which database?' --option pg=PostgreSQL --option lite=SQLite --wait
  parlour ask @Mara 'How many?' --schema number.json --wait
  [ \"$(parlour ask @Mara 'Deploy?' --option yes --option no --wait)\" = yes ] && make deploy

With --wait only the answer is written to stdout: the id of an option, a JSON value, or a text; the default, if there \
is one, when nobody answered. Exit codes:
  0    answered
  3    not answered: the question expired, or all addressees declined
  4    the question was withdrawn
  130  Ctrl+C; the question stays open, and a command with the same --id waits for it again";

/// Ask a blocking question
///
/// Posts a blocking message. Addressees are the mentioned members; in a DM the other member; without mentions the agents
/// that subscribe to the channel. Agents pause for it at their next checkpoint, people find it with `parlour questions`.
/// It is answered once, on the page, with `parlour answer` or by a reply, and expires after one day by default.
///
/// The token needs the scope messages:block. A member can have 3 open questions in a project.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AskCommand {
    /// Channel by name or id, `@name` for a DM, or id of a thread or DM
    conversation: String,
    /// Question in Markdown; `-` reads it from stdin
    #[arg(required = true)]
    text: Vec<String>,
    /// Answer option, as ID or ID=LABEL; can be repeated
    #[arg(long, value_name = "ID[=LABEL]", value_parser = parse_option, conflicts_with = "schema")]
    option: Vec<parlour_core::question::AnswerOption>,
    /// File with the JSON Schema of the answer
    #[arg(long, value_name = "FILE")]
    schema: Option<std::path::PathBuf>,
    /// Default answer at expiry: id of an option, JSON if there is a schema, or a text
    #[arg(long, value_name = "ANSWER")]
    default: Option<String>,
    /// Time until the question expires, for example 10m or 2h
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Importance of the message
    #[arg(long, default_value = "normal", value_parser = choices::importance())]
    importance: Importance,
    /// Own run that pauses until the answer arrives (agents only)
    #[arg(long, value_name = "RUN")]
    run: Option<RunId>,
    /// Wait for the answer and print it to stdout
    #[arg(long)]
    wait: bool,
    /// Client-chosen message id; a repeated command with the same id asks once
    #[arg(long, value_name = "MESSAGE")]
    id: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl AskCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let question = self.question()?;
        let body = read_body(&self.text).await?;
        let conversation = session.conversation_to_post(&self.conversation).await?;
        let id = self.id.clone().unwrap_or_else(|| MessageId::from_bits(RandomIds.next_bits()));
        let request = PostMessage {
            body,
            blocking: true,
            question: Some(question),
            importance: self.importance,
            ..PostMessage::default()
        };
        let posted = session.client.post_message(&id, &addressed_to(&conversation.id, request)).await?;
        if self.wait {
            return for_answer(&session, &conversation, &posted).await;
        }
        let next = session.next(&format!("parlour deliveries {id}"));
        session.answer(&posted, |posted| PostReport::of(posted).show(&session, &conversation) + &next)
    }

    fn question(&self) -> Result<NewQuestion, Failure> {
        let schema = self.schema.as_deref().map(read_schema).transpose()?;
        let default = self.default.as_deref().map(|text| parse_default(text, schema.is_some())).transpose()?;
        Ok(NewQuestion {
            options: self.option.clone(),
            schema,
            default,
            expires_in_seconds: self.expires.map(|time| time.0),
            run_id: self.run.clone(),
        })
    }
}

/// Parses `yes` or `yes=Ship it`.
fn parse_option(text: &str) -> Result<AnswerOption, String> {
    let (id, label) = text.split_once('=').unwrap_or((text, text));
    if id.trim().is_empty() || label.trim().is_empty() {
        return Err("an option is written as ID or ID=LABEL, for example yes='Ship it'".to_owned());
    }
    Ok(AnswerOption { id: id.trim().to_owned(), label: label.trim().to_owned(), description: None })
}

/// Parses the default: JSON if there is a schema, otherwise a text.
fn parse_default(text: &str, has_schema: bool) -> Result<Value, Failure> {
    if !has_schema {
        return Ok(Value::String(text.to_owned()));
    }
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("--default is not valid JSON: {error}"))
            .hint("write a text in quotation marks: '\"later\"'")
    })
}

fn read_schema(path: &Path) -> Result<Value, Failure> {
    let doing = format!("read {}", path.display());
    let mut text = String::new();
    // More than the maximum: the hub refuses it, and the read is bounded.
    let bytes_max = limits::ANSWER_SCHEMA_BYTES_MAX as u64 * 4;
    let file = File::open(path).map_err(|error| Failure::broken(&doing, &error))?;
    file.take(bytes_max).read_to_string(&mut text).map_err(|error| Failure::broken(&doing, &error))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{} is not valid JSON: {error}", path.display())))
}

/// Waits until the question is closed. Status lines go to stderr, only the answer to stdout.
async fn for_answer(
    session: &Session,
    conversation: &ResolvedConversation,
    posted: &Posted,
) -> Result<Output, Failure> {
    say(&PostReport::of(posted).show(session, conversation));
    let mut interrupt = Interrupt::catch()?;
    let ended = tokio::select! {
        ended = until_closed(session, &posted.message) => ended?,
        () = interrupt.caught() => {
            say("The question stays open.\n");
            return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED });
        }
    };
    let question = ended.question.clone().ok_or_else(|| Failure::new("the question was removed"))?;
    say(&format!("Question {}.\n", state_line(&question, &session.local_time)));
    let text = if session.is_json { Output::json(&ended)?.text } else { answer_text(session, &question).await? };
    Ok(Output { text, exit: exit_of(question.state) })
}

/// Repeats the long poll until the question is closed.
async fn until_closed(session: &Session, asked: &Message) -> Result<Message, ClientError> {
    loop {
        let message = session.client.await_answer(&asked.id, limits::WAIT_SECONDS_MAX as u64).await?;
        if !message.question.as_ref().is_some_and(Question::is_open) {
            return Ok(message);
        }
    }
}

async fn answer_text(session: &Session, question: &Question) -> Result<String, Failure> {
    match &question.answer {
        None => Ok(String::new()),
        Some(Answer { option: None, value: None, message_id: Some(id), .. }) => {
            let body = session.client.message(id).await?.body;
            Ok(harmless(body.trim_end()) + "\n")
        }
        Some(answer) => Ok(answer_line(answer) + "\n"),
    }
}

fn exit_of(state: QuestionState) -> u8 {
    match state {
        QuestionState::Answered => 0,
        QuestionState::Open | QuestionState::Expired | QuestionState::Ignored | QuestionState::Unanswered => EXIT_UNMET,
        QuestionState::Withdrawn => EXIT_WITHDRAWN,
    }
}

/// Write errors of stderr are ignored.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_an_id_and_an_optional_label() {
        let pair = |text| parse_option(text).map(|option| (option.id, option.label));
        assert_eq!(pair("yes"), Ok(("yes".to_owned(), "yes".to_owned())));
        assert_eq!(pair("a = b=c "), Ok(("a".to_owned(), "b=c".to_owned())));
        for text in ["", "=x", "x=", " = "] {
            assert!(parse_option(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_default_is_json_only_with_a_schema() {
        assert_eq!(parse_default("7", false), Ok(Value::from("7")));
        assert_eq!(parse_default("7", true), Ok(Value::from(7)));
        let failure = parse_default("later", true).expect_err("no JSON").to_string();
        assert!(failure.contains("--default is not valid JSON") && failure.contains("quotation marks"), "{failure}");
    }
}
