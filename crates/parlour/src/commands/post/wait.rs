//! `parlour post --wait`: the answers of those whom a message calls, as they are written.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use parlour_agent::{
    answers::Posted,
    live::{Live, LiveItem, Start},
};
use parlour_core::{
    event::{Change, Event},
    id::{AgentId, MessageId},
    message::{Message, State},
};

use super::report::Report;
use crate::{
    commands::interrupt::Interrupt,
    failure::{EXIT_FAILED, EXIT_INTERRUPTED, Failure},
    output::{
        Output,
        plain::{harmless, one_line},
        style::{Look, Style},
    },
    resolve::Place,
    session::Session,
};

/// Shows the post, and then the answers until each of the called agents has given one. Ctrl+C ends the wait, not the
/// answers.
pub(super) async fn for_answers(session: &Session, place: &Place, posted: &Posted) -> Result<Output, Failure> {
    let message = &posted.message;
    if !session.is_json {
        write(&Report::of(posted).show(session, place));
    }
    let mut interrupt = Interrupt::catch()?;
    let mut live = Live::follow(&session.client, &message.project_id, Start::After(posted.position.clone()));
    let mut waiting = Waiting::new(message, session.style, session.is_json);
    while !waiting.is_over() {
        tokio::select! {
            item = live.next() => match item {
                Ok(item) => waiting.take(item),
                Err(error) => return Err(Failure::new(error.to_string())),
            },
            () = interrupt.caught() => return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
        }
    }
    if session.is_json {
        return Output::json(&waiting.answers);
    }
    Ok(Output { text: String::new(), exit: if waiting.has_failed { EXIT_FAILED } else { 0 } })
}

/// Which answers are still to come, and what was shown of those that are being written.
struct Waiting {
    question: MessageId,
    /// Those who have not answered yet.
    left: Vec<AgentId>,
    style: Style,
    is_json: bool,
    /// The answers that have ended.
    answers: Vec<Message>,
    /// How much of each open answer was shown. When several write at once, each is shown when it is whole.
    shown: HashMap<MessageId, usize>,
    is_alone: bool,
    has_failed: bool,
}

impl Waiting {
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
        }
    }

    fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    fn take(&mut self, item: LiveItem) {
        match item {
            LiveItem::Event(event) => self.take_event(*event),
            LiveItem::Stream(running) => self.grow(&running.message_id, 0, &running.text),
            LiveItem::Chunk(chunk) => {
                let before = usize::try_from(chunk.start).unwrap_or(usize::MAX);
                self.grow(&chunk.message_id, before, &chunk.text);
            }
            _ => {}
        }
    }

    fn take_event(&mut self, event: Event) {
        match event.change {
            Change::MessagePosted(message) if self.is_answer(&message) => match message.state {
                State::Streaming => self.begin(&message),
                _ => self.end(*message),
            },
            Change::MessageFinished(message) if self.is_answer(&message) => self.end(*message),
            Change::CallPassed(passed) if passed.message_id == self.question => {
                self.left.retain(|agent| *agent != passed.agent_id);
                self.say(&self.style.paint(Look::Dim, &format!("{} does not answer.\n", one_line(&event.actor.name))));
            }
            _ => {}
        }
    }

    /// An agent answers the question itself, or one that came right after it together with it.
    fn is_answer(&self, message: &Message) -> bool {
        let author = message.from.member_id();
        let agent = author.as_ref().and_then(|member| member.agent());
        agent.is_some_and(|agent| self.left.contains(agent)) && message.reply_to.is_some() && !message.is_notice
    }

    fn begin(&mut self, message: &Message) {
        if self.is_alone {
            self.say(&format!("{}\n", self.author(message)));
            self.shown.insert(message.id.clone(), 0);
        }
    }

    /// Shows what is new of an open answer.
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
            let reason = message.reason.as_deref().unwrap_or("it has ended early");
            self.say(&self.style.paint(Look::Bad, &format!("! {}\n", one_line(reason))));
        }
        self.answers.push(message);
    }

    fn author(&self, message: &Message) -> String {
        self.style.paint(Look::Author(message.from.source()), &one_line(&message.from.name))
    }

    fn say(&self, text: &str) {
        if !self.is_json {
            write(text);
        }
    }
}

/// Written at once: whoever waits wants to see it grow. Nobody may be reading any more.
fn write(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
