//! `parlour post`: says something.

use clap::Args;
use parlour_adapters::RandomIds;
use parlour_core::{
    id::{ConversationId, MessageId},
    limits,
    message::Importance,
    post::PostMessage,
};
use parlour_hub::ports::Ids;
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;

use self::report::Report;
use crate::{choices, failure::Failure, output::Output, session::Connection};

mod pieces;
pub(super) mod report;
mod stream;
mod wait;

const EXAMPLES: &str = "\
Examples:
  parlour post general 'The build is green, @Mara'
  git log -5 | parlour post '#general' -
  make 2>&1 | parlour post general --stream
  parlour post general '@Guide help' --wait
  parlour post @Coder 'Have you seen the build?' --blocking
  parlour post thr_01K… 'Agreed' --importance high
  parlour post general 'Done' --reply-to msg_01K…";

/// Post a message
///
/// The message gets an id before it is sent. While the hub cannot be reached it is sent again under the same id,
/// so it is never posted twice.
///
/// With --stream everybody sees the text grow as it comes on stdin; the message is complete when stdin ends, and Ctrl+C
/// cancels it. A message has at most 65536 bytes.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Post {
    /// A channel by name or id, `@name` for a dm with a member, or the id of a thread or dm
    conversation: String,
    /// The text in Markdown; `-` reads it from stdin
    #[arg(required_unless_present = "stream")]
    text: Vec<String>,
    /// Send stdin while it is written, for programs that take their time
    #[arg(long)]
    stream: bool,
    /// The message that this one answers
    #[arg(long, value_name = "MESSAGE")]
    reply_to: Option<MessageId>,
    /// How much it matters
    #[arg(long, default_value = "normal", value_parser = choices::importance())]
    importance: Importance,
    /// Let the called agents look and say what they would do, and change nothing
    #[arg(long)]
    plan: bool,
    /// Call many at once: the message holds @everyone or @agents, and you know whom that calls
    #[arg(long)]
    confirm_wide: bool,
    /// Let those whom it addresses pause for it; `parlour ask` can offer answers and wait for one
    #[arg(long)]
    blocking: bool,
    /// Wait until the agents that it calls have answered, and show what they write
    #[arg(long, conflicts_with = "stream")]
    wait: bool,
    /// An id of your own: the same command with the same id posts once
    #[arg(long, value_name = "MESSAGE")]
    id: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl Post {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let body = self.read_body().await?;
        let place = session.place_to_write(&self.conversation).await?;
        let id = self.id.clone().unwrap_or_else(|| MessageId::from_bits(RandomIds.next_bits()));
        let request = self.request(&place.id, body);
        if self.stream {
            let finished = stream::post_stdin(&session, &place, &id, &request).await?;
            return session.answer(&finished, |it| Report::of_stream(it).show(&session, &place));
        }
        let posted = session.client.post_message(&id, &request).await?;
        if self.wait {
            return wait::for_answers(&session, &place, &posted).await;
        }
        session.answer(&posted, |it| Report::of(it).show(&session, &place))
    }

    /// The text to begin with; a stream begins empty.
    async fn read_body(&self) -> Result<String, Failure> {
        match (self.stream, self.text.as_slice()) {
            (false, words) => read_body(words).await,
            (true, []) => Ok(String::new()),
            (true, [only]) if only == "-" => Ok(String::new()),
            (true, _) => Err(Failure::usage("with --stream the text comes from stdin, and not from the command line")),
        }
    }

    /// What agents read beside the text.
    fn metadata(&self) -> Map<String, Value> {
        let mode = self.plan.then(|| ("execution_mode".to_owned(), Value::from("plan")));
        mode.into_iter().collect()
    }

    /// The parsed words as the API wants them.
    fn request(&self, to: &ConversationId, body: String) -> PostMessage {
        let request = PostMessage {
            body,
            importance: self.importance,
            blocking: self.blocking,
            reply_to: self.reply_to.clone(),
            confirm_wide: self.confirm_wide,
            metadata: self.metadata(),
            ..PostMessage::default()
        };
        wish_to(to, request)
    }
}

/// A request to post to this conversation.
pub(super) fn wish_to(to: &ConversationId, request: PostMessage) -> PostMessage {
    match to.clone() {
        ConversationId::Channel(id) => PostMessage { channel_id: Some(id), ..request },
        ConversationId::Thread(id) => PostMessage { thread_id: Some(id), ..request },
        ConversationId::Dm(id) => PostMessage { dm_id: Some(id), ..request },
    }
}

/// The words as they were typed, or all of stdin for a single `-`.
pub(super) async fn read_body(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut body = String::new();
    // One byte more than a message may have: enough for the hub to refuse it, and never endless.
    let bytes_max = limits::MESSAGE_BODY_BYTES_MAX as u64 + 1;
    let read = tokio::io::stdin().take(bytes_max).read_to_string(&mut body).await;
    read.map_err(|error| Failure::broken("read the text from stdin", &error))?;
    Ok(body.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn words_are_joined_by_blanks() {
        let words: Vec<_> = ["Hello", "-", "world"].map(str::to_owned).into();
        assert_eq!(read_body(&words).await, Ok("Hello - world".to_owned()));
    }
}
