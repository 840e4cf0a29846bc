//! `parlour post`: posts a message.

use clap::Args;
use parlour_adapters::RandomIds;
use parlour_agent::answers::{AnswerProblem, Finished, Posted};
use parlour_core::{
    id::{ConversationId, MessageId},
    limits,
    mention::{MentionProblem, MentionProblemReason},
    message::{Importance, Message},
    post::PostMessage,
    question::Question,
};
use parlour_hub::ports::Ids;
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;

use super::guard::meaning;
use crate::{
    choices,
    failure::Failure,
    lifetime::Lifetime,
    output::{Output, plain::one_line, style::Emphasis},
    resolve::ResolvedConversation,
    session::{Connection, Session},
};

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
  parlour post general 'Done' --reply-to msg_01K…

Exit codes with --wait:
  0    all called agents answered or declined
  1    an answer failed
  3    not all answered within --timeout, or the question ended without an answer
  130  Ctrl+C; the answers go on";

/// Post a message
///
/// The client assigns the id of the message. While the hub is not reachable, the client retries with the same id, so the
/// message is never posted twice.
///
/// With --stream, stdin is published while it arrives; the message is complete when stdin ends, and Ctrl+C cancels it. A
/// message has at most 65536 bytes.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PostCommand {
    /// Channel by name or id, `@name` for a DM, or id of a thread or DM
    conversation: String,
    /// Text in Markdown; `-` reads it from stdin
    #[arg(required_unless_present = "stream")]
    text: Vec<String>,
    /// Stream stdin into the message
    #[arg(long)]
    stream: bool,
    /// Message to reply to, by id
    #[arg(long, value_name = "MESSAGE")]
    reply_to: Option<MessageId>,
    /// Importance of the message
    #[arg(long, default_value = "normal", value_parser = choices::importance())]
    importance: Importance,
    /// Ask the called agents for a plan only: they must not change anything
    #[arg(long)]
    plan: bool,
    /// Confirm a wide mention (@everyone or @agents)
    #[arg(long)]
    confirm_wide: bool,
    /// Pause the addressees for this message; `parlour ask` adds options and waits for the answer
    #[arg(long)]
    blocking: bool,
    /// Wait for the answers of the called agents to this message and print them
    #[arg(long, conflicts_with = "stream")]
    wait: bool,
    /// Maximum time of --wait
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "wait")]
    timeout: Lifetime,
    /// Client-chosen message id; a repeated command with the same id posts once
    #[arg(long, value_name = "MESSAGE")]
    id: Option<MessageId>,
    #[command(flatten)]
    connection: Connection,
}

impl PostCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let body = self.read_body().await?;
        let conversation = session.conversation_to_post(&self.conversation).await?;
        let id = self.id.clone().unwrap_or_else(|| MessageId::from_bits(RandomIds.next_bits()));
        let request = self.request(&conversation.id, body);
        if self.stream {
            let finished = stream::post_stdin(&session, &conversation, &id, &request).await?;
            return session.answer(&finished, |it| PostReport::of_stream(it).show(&session, &conversation));
        }
        let posted = session.client.post_message(&id, &request).await?;
        if self.wait {
            return wait::for_answers(&session, &conversation, &posted, self.timeout).await;
        }
        session.answer(&posted, |it| PostReport::of(it).show(&session, &conversation))
    }

    /// The initial text; empty for a stream.
    async fn read_body(&self) -> Result<String, Failure> {
        match (self.stream, self.text.as_slice()) {
            (false, words) => read_body(words).await,
            (true, []) => Ok(String::new()),
            (true, [only]) if only == "-" => Ok(String::new()),
            (true, _) => Err(Failure::usage("--stream reads the text from stdin; omit the text argument")),
        }
    }

    fn metadata(&self) -> Map<String, Value> {
        let mode = self.plan.then(|| ("execution_mode".to_owned(), Value::from("plan")));
        mode.into_iter().collect()
    }

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
        addressed_to(to, request)
    }
}

/// Sets the conversation of a request.
pub(super) fn addressed_to(to: &ConversationId, request: PostMessage) -> PostMessage {
    match to.clone() {
        ConversationId::Channel(id) => PostMessage { channel_id: Some(id), ..request },
        ConversationId::Thread(id) => PostMessage { thread_id: Some(id), ..request },
        ConversationId::Dm(id) => PostMessage { dm_id: Some(id), ..request },
    }
}

/// Joins the words, or reads stdin for a single `-`.
pub(super) async fn read_body(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut body = String::new();
    // One byte over the maximum of a message: the hub refuses it, and the read is bounded.
    let bytes_max = limits::MESSAGE_BODY_BYTES_MAX as u64 + 1;
    let read = tokio::io::stdin().take(bytes_max).read_to_string(&mut body).await;
    read.map_err(|error| Failure::broken("read the text from stdin", &error))?;
    Ok(body.trim_end().to_owned())
}

/// The report about a posted message and its warnings.
pub(crate) struct PostReport<'a> {
    message: &'a Message,
    mention_problems: &'a [MentionProblem],
    answer_problem: Option<&'a AnswerProblem>,
}

impl<'a> PostReport<'a> {
    pub(crate) fn of(posted: &'a Posted) -> Self {
        let Posted { message, mention_problems, answer_problem, .. } = posted;
        Self { message, mention_problems, answer_problem: answer_problem.as_ref() }
    }

    pub(crate) fn of_stream(finished: &'a Finished) -> Self {
        let Finished { message, mention_problems, answer_problem, .. } = finished;
        Self { message, mention_problems, answer_problem: answer_problem.as_ref() }
    }

    /// Conversation and number, calls, question and warnings.
    pub(crate) fn show(&self, session: &Session, conversation: &ResolvedConversation) -> String {
        let message = self.message;
        let mut text = format!("Posted to {} as number {} ({}).\n", conversation.label, message.seq, message.id);
        text += &match message.calls.len() {
            0 => String::new(),
            1 => "1 agent called.\n".to_owned(),
            count => format!("{count} agents called.\n"),
        };
        text += &message.question.as_ref().map(|question| asked_line(session, question)).unwrap_or_default();
        if let Some(answered) = &message.answer_to {
            text += &format!("Answers {}.\n", answered.message_id);
        }
        text + &self.warnings(session)
    }

    /// One line per warning.
    pub(crate) fn warnings(&self, session: &Session) -> String {
        let held = self.message.held.iter();
        let held =
            held.map(|held| format!("! {} was not called: {}.", one_line(held.name.as_str()), meaning(held.rule)));
        let problems = self.mention_problems.iter().map(problem_line);
        let unanswered = self.answer_problem.map(|problem| {
            format!("! The question is not answered: {} ({}).", one_line(&problem.detail), problem.code)
        });
        let lines = held.chain(problems).chain(unanswered);
        lines.map(|line| session.style.paint(Emphasis::Warning, &line) + "\n").collect()
    }
}

fn asked_line(session: &Session, question: &Question) -> String {
    let until = session.local_time.show(question.expires_at);
    match question.addressees.len() {
        1 => format!("1 addressee, open until {until}.\n"),
        count => format!("{count} addressees, open until {until}; one answer is enough.\n"),
    }
}

/// One line per mention problem, with candidates.
fn problem_line(problem: &MentionProblem) -> String {
    let name = one_line(&problem.name);
    let candidates = problem.candidates.join(", ");
    match problem.reason {
        MentionProblemReason::Unknown if candidates.is_empty() => {
            format!("! @{name} was not resolved: no member has this name.")
        }
        MentionProblemReason::Unknown => format!("! @{name} was not resolved; did you mean {candidates}?"),
        MentionProblemReason::Ambiguous => format!("! @{name} is ambiguous: {candidates}."),
        MentionProblemReason::NotInConversation => {
            format!("! {name} cannot read this conversation and is not notified.")
        }
        MentionProblemReason::Wide => format!("! @{name} is a wide mention and calls nobody here."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn words_are_joined_by_spaces() {
        let words: Vec<_> = ["Hello", "-", "world"].map(str::to_owned).into();
        assert_eq!(read_body(&words).await, Ok("Hello - world".to_owned()));
    }

    fn line(reason: MentionProblemReason, candidates: &[&str]) -> String {
        let candidates = candidates.iter().map(ToString::to_string).collect();
        problem_line(&MentionProblem { name: "Codr".into(), reason, candidates })
    }

    #[test]
    fn unresolved_mentions_are_explained() {
        assert_eq!(line(MentionProblemReason::Unknown, &["Coder"]), "! @Codr was not resolved; did you mean Coder?");
        assert_eq!(line(MentionProblemReason::Unknown, &[]), "! @Codr was not resolved: no member has this name.");
        assert_eq!(line(MentionProblemReason::Ambiguous, &["agt_1", "per_1"]), "! @Codr is ambiguous: agt_1, per_1.");
        assert!(line(MentionProblemReason::NotInConversation, &[]).contains("cannot read"));
    }
}
