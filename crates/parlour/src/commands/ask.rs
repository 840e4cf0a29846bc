//! `parlour ask`: asks something that others stop for, and waits for the answer.

mod offer;
mod wait;

use clap::Args;
use parlour_adapters::RandomIds;
use parlour_core::{
    id::{MessageId, RunId},
    message::Importance,
    post::PostMessage,
    question::Ask as Question,
};
use parlour_hub::ports::Ids;

use super::post::{read_body, report::Report, wish_to};
use crate::{choices, failure::Failure, lifetime::Lifetime, output::Output, session::Connection};

const EXAMPLES: &str = "\
Examples:
  parlour ask @Mara 'Ship it tonight?' --option yes --option no --default no --expires 30m
  parlour ask general '@Coder which database?' --option pg=PostgreSQL --option lite=SQLite --wait
  parlour ask @Mara 'How many?' --schema number.json --wait
  [ \"$(parlour ask @Mara 'Deploy?' --option yes --option no --wait)\" = yes ] && make deploy

With --wait the answer alone goes to stdout: the id of an option, a value as JSON, or a text. The default goes there \
when nobody has answered, if there is one. The program ends with
  0    somebody has answered
  3    nobody did: it has expired, or all whom it asked will not answer
  4    the question was withdrawn
  130  Ctrl+C; the question stays open, and the same --id waits for it again";

/// Ask something that others stop for
///
/// Posts a blocking message. Whoever it mentions is asked, in a dm the other; if it mentions nobody, the agents that
/// follow the channel. Agents pause for it at their next checkpoint, people find it with `parlour questions`. It is
/// answered once, by a click, `parlour answer` or a reply, and expires after a day unless --expires says otherwise.
///
/// The token needs the scope messages:block. A member has at most 3 open questions in a project.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ask {
    /// A channel by name or id, `@name` for a dm with a member, or the id of a thread or dm
    conversation: String,
    /// The question in Markdown; `-` reads it from stdin
    #[arg(required = true)]
    text: Vec<String>,
    /// An answer to offer, as ID or ID=LABEL; may be repeated
    #[arg(long, value_name = "ID[=LABEL]", value_parser = offer::option, conflicts_with = "schema")]
    option: Vec<parlour_core::question::AnswerOption>,
    /// A file with the JSON Schema that an answer has to fit
    #[arg(long, value_name = "FILE")]
    schema: Option<std::path::PathBuf>,
    /// The answer that counts when nobody gives one: an option's id, JSON where there is a schema, or a text
    #[arg(long, value_name = "ANSWER")]
    default: Option<String>,
    /// After which time it expires, such as 10m or 2h
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// How much it matters
    #[arg(long, default_value = "normal", value_parser = choices::importance())]
    importance: Importance,
    /// Your run that pauses until the answer is there, for agents
    #[arg(long, value_name = "RUN")]
    run: Option<RunId>,
    /// Wait for the answer and print it
    #[arg(long)]
    wait: bool,
    /// An id of your own: the same command with the same id asks once
    #[arg(long, value_name = "MESSAGE")]
    id: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl Ask {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let question = self.question()?;
        let body = read_body(&self.text).await?;
        let place = session.place_to_write(&self.conversation).await?;
        let id = self.id.clone().unwrap_or_else(|| MessageId::from_bits(RandomIds.next_bits()));
        let request = PostMessage {
            body,
            blocking: true,
            question: Some(question),
            importance: self.importance,
            ..PostMessage::default()
        };
        let posted = session.client.post_message(&id, &wish_to(&place.id, request)).await?;
        if self.wait {
            return wait::for_answer(&session, &place, &posted).await;
        }
        let next = session.next(&format!("parlour deliveries {id}"));
        session.answer(&posted, |posted| Report::of(posted).show(&session, &place) + &next)
    }

    fn question(&self) -> Result<Question, Failure> {
        let schema = self.schema.as_deref().map(offer::read_schema).transpose()?;
        let default = self.default.as_deref().map(|text| offer::default(text, schema.is_some())).transpose()?;
        Ok(Question {
            options: self.option.clone(),
            schema,
            default,
            expires_in_seconds: self.expires.map(|time| time.0),
            run_id: self.run.clone(),
        })
    }
}
