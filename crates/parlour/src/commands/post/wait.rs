//! `parlour post --wait`: the answers of those whom a message calls, as they are written.
//!
//! An agent has answered this message when it replies to it, when the hub marks the delivery of this message as answered
//! (the agent answered it together with a later one, or without a reply), when it passes, or when the question of this
//! message ends. Answers to other messages do not count.

use std::{
    collections::HashMap,
    io::{self, Write},
    time::Duration,
};

use parlour_agent::{
    ClientError,
    answers::Posted,
    live::{Live, LiveItem, Start},
};
use parlour_core::{
    delivery::{Delivery, DeliveryState},
    event::{Change, Event},
    id::{AgentId, MemberId, MessageId},
    message::{Message, State},
    question::{QuestionMark, QuestionState},
};
use tokio::time::{Instant, sleep_until};

use super::PostReport;
use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_UNMET, Failure},
    lifetime::Lifetime,
    output::{
        Output,
        plain::{harmless, one_line},
        question::state_line,
        shell::quoted,
        style::{Emphasis, Style},
    },
    resolve::ResolvedConversation,
    session::Session,
};

/// Prints the report and the answers of all called agents. Ctrl+C and the time limit end the wait, not the answers.
pub(super) async fn for_answers(
    session: &Session,
    conversation: &ResolvedConversation,
    posted: &Posted,
    time_max: Lifetime,
) -> Result<Output, Failure> {
    let end = Instant::now() + Duration::from_secs(time_max.0);
    let message = &posted.message;
    if !session.is_json {
        write(&PostReport::of(posted).show(session, conversation));
    }
    let mut interrupt = Interrupt::catch()?;
    let mut live = Live::follow(&session.client, &message.project_id, Start::After(posted.position.clone()));
    let mut waiting = AnswerWait::new(message, session.style, session.is_json);
    note_missing_runners(session, message).await?;
    while !waiting.is_over() {
        tokio::select! {
            item = live.next() => match item {
                Ok(item) => waiting.take(session, item).await?,
                Err(error) => return Err(Failure::new(error.to_string())),
            },
            () = interrupt.caught() => return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
            () = sleep_until(end) => break,
        }
    }
    if !waiting.is_over() {
        note(&format!("parlour: no complete answer within {time_max}; the calls stay open"));
    }
    let text = if session.is_json { Output::json(&waiting.answers)?.text } else { String::new() };
    Ok(Output { text, exit: waiting.exit() })
}

/// Prints a note if no agent is called, and names the called agents that no process runs, with the command that starts
/// each. They may still answer: their calls stay open, and a coding agent with a hook is not connected between its steps.
async fn note_missing_runners(session: &Session, message: &Message) -> Result<(), ClientError> {
    if message.calls.is_empty() {
        note("! No agent was called, so there is no answer to wait for; mention one, for example @Guide");
        return Ok(());
    }
    let present = session.client.presence(&message.project_id).await?.items;
    let is_present = |agent: &AgentId| present.iter().any(|one| one.member_id == MemberId::from(agent.clone()));
    for id in message.calls.iter().filter(|agent| !is_present(agent)) {
        let agent = session.client.agent(id).await?;
        if agent.engine.is_none() {
            let name = one_line(agent.name.as_str());
            let command = format!("parlour agent --name {} --claude-code", quoted(agent.name.as_str()));
            note(&format!("! No runner of {name} is connected; start one, for example: {command}"));
        }
    }
    Ok(())
}

/// The open answers and their printed length.
struct AnswerWait {
    question: MessageId,
    /// Agents without an answer.
    left: Vec<AgentId>,
    style: Style,
    is_json: bool,
    answers: Vec<Message>,
    /// Printed length of each open answer. With several agents, each answer is printed when it is complete.
    shown: HashMap<MessageId, usize>,
    is_alone: bool,
    has_failed: bool,
    /// Whether the question of the message ended without an answer.
    is_unanswered: bool,
}

impl AnswerWait {
    fn new(question: &Message, style: Style, is_json: bool) -> Self {
        let left = question.calls.clone();
        Self {
            question: question.id.clone(),
            is_alone: left.len() == 1,
            left,
            style,
            is_json,
            answers: Vec::new(),
            shown: HashMap::new(),
            has_failed: false,
            is_unanswered: false,
        }
    }

    fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// The exit code: a failed answer counts more than a missing one.
    fn exit(&self) -> u8 {
        match (self.has_failed, self.is_over() && !self.is_unanswered) {
            (true, _) => EXIT_FAILED,
            (false, true) => 0,
            (false, false) => EXIT_UNMET,
        }
    }

    async fn take(&mut self, session: &Session, item: LiveItem) -> Result<(), ClientError> {
        match item {
            LiveItem::Event(event) => return self.take_event(session, *event).await,
            LiveItem::Stream(running) => self.grow(&running.message_id, 0, &running.text),
            LiveItem::Chunk(chunk) => {
                let before = usize::try_from(chunk.start).unwrap_or(usize::MAX);
                self.grow(&chunk.message_id, before, &chunk.text);
            }
            _ => {}
        }
        Ok(())
    }

    async fn take_event(&mut self, session: &Session, event: Event) -> Result<(), ClientError> {
        match event.change {
            Change::MessagePosted(message) if self.is_answer(&message) => match message.state {
                State::Streaming => self.begin(&message),
                _ => self.end(*message),
            },
            Change::MessageFinished(message) if self.is_answer(&message) => self.end(*message),
            Change::CallPassed(passed) if passed.message_id == self.question => {
                self.left.retain(|agent| *agent != passed.agent_id);
                self.say(
                    &self.style.paint(Emphasis::Dim, &format!("{} declined to answer.\n", one_line(&event.actor.name))),
                );
            }
            Change::Delivered(mark) => {
                for delivery in &mark.deliveries {
                    self.take_delivery(session, delivery).await?;
                }
            }
            Change::QuestionChanged(mark) if mark.message_id == self.question && !mark.question.is_open() => {
                self.end_question(session, &mark).await?;
            }
            Change::MessageRemoved(message) if message.id == self.question => {
                self.left.clear();
                self.say("The message was removed.\n");
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the wait for an agent whose answer is not a reply to this message.
    async fn take_delivery(&mut self, session: &Session, delivery: &Delivery) -> Result<(), ClientError> {
        let is_answered = delivery.message_id == self.question && delivery.state == DeliveryState::Answered;
        let is_awaited = delivery.recipient.agent().is_some_and(|agent| self.left.contains(agent));
        if let Some(answer) = delivery.answer_id.as_ref().filter(|_| is_answered && is_awaited) {
            self.end(session.client.message(answer).await?);
        }
        Ok(())
    }

    /// Ends the wait for everybody: one answer to a question is enough.
    async fn end_question(&mut self, session: &Session, mark: &QuestionMark) -> Result<(), ClientError> {
        let question = &mark.question;
        match question.answer.as_ref().and_then(|answer| answer.message_id.as_ref()) {
            Some(answer) if self.answers.iter().all(|one| one.id != *answer) => {
                self.end(session.client.message(answer).await?);
            }
            Some(_) => {}
            None => {
                self.is_unanswered = question.state != QuestionState::Answered;
                self.say(&format!("Question {}.\n", state_line(question, &session.local_time)));
                self.answers.push(session.client.message(&mark.message_id).await?);
            }
        }
        self.left.clear();
        Ok(())
    }

    fn is_answer(&self, message: &Message) -> bool {
        let author = message.from.member_id();
        let agent = author.as_ref().and_then(|member| member.agent());
        let is_reply = message.reply_to.as_ref() == Some(&self.question);
        agent.is_some_and(|agent| self.left.contains(agent)) && is_reply && !message.is_notice
    }

    fn begin(&mut self, message: &Message) {
        if self.is_alone {
            self.say(&format!("{}\n", self.author(message)));
            self.shown.insert(message.id.clone(), 0);
        }
    }

    /// Prints the new text of an open answer.
    fn grow(&mut self, id: &MessageId, start: usize, text: &str) {
        let Some(shown) = self.shown.get_mut(id) else { return };
        let new: String = text.chars().skip(shown.saturating_sub(start)).collect();
        *shown += new.chars().count();
        self.say(&harmless(&new));
    }

    fn end(&mut self, message: Message) {
        let author = message.from.member_id();
        self.left.retain(|agent| author.as_ref().and_then(|member| member.agent()) != Some(agent));
        match self.shown.remove(&message.id) {
            Some(shown) => self.say(&harmless(&message.body.chars().skip(shown).collect::<String>())),
            None => self.say(&format!("{}\n{}", self.author(&message), harmless(&message.body))),
        }
        if !message.body.ends_with('\n') {
            self.say("\n");
        }
        if message.state != State::Complete {
            self.has_failed = true;
            let reason = message.reason.as_deref().unwrap_or("ended early");
            self.say(&self.style.paint(Emphasis::Bad, &format!("! {}\n", one_line(reason))));
        }
        self.answers.push(message);
    }

    fn author(&self, message: &Message) -> String {
        self.style.paint(Emphasis::Author(message.from.source()), &one_line(&message.from.name))
    }

    fn say(&self, text: &str) {
        if !self.is_json {
            write(text);
        }
    }
}

/// Writes a line to stderr. Errors are ignored.
fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Flushes at once; write errors are ignored.
fn write(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
