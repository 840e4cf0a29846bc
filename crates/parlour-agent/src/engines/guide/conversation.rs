//! What the guide finds in the conversation: verbatim, with names, and bounded.

use std::fmt::Write as _;

use parlour_core::{author::AuthorType, message::Message};
use serde_json::{Value, json};

use super::{
    Prompt,
    escape::{escape, label, shortened},
};

/// Lines that a summary quotes.
const QUOTES_MAX: usize = 8;
/// Characters of one quoted line.
const QUOTE_CHARS_MAX: usize = 160;
/// Members that are named.
const NAMES_MAX: usize = 20;
/// Characters of a name that is shown.
const NAME_CHARS_MAX: usize = 64;

/// What was found, for the readers of a step.
pub(super) fn findings(prompt: &Prompt) -> Value {
    let said = said(prompt);
    json!({ "messages": said.len(), "authors": authors(&said).len() })
}

/// The conversation in a few lines of its own: the first of each, and the last ones.
pub(super) fn summary(prompt: &Prompt) -> String {
    let said = said(prompt);
    if said.is_empty() {
        return "There is nothing to summarise yet: nobody else has written here of late.".to_owned();
    }
    let mut text = format!("{} Their own words:\n", count(&said));
    for message in quoted(&said) {
        let line = escape(&shortened(first_line(&message.body), QUOTE_CHARS_MAX));
        // A text takes everything.
        let _ = write!(text, "\n- **{}**: {line}", name(&message.from.name));
    }
    text + "\n\nI only quote: whether it is what matters, you have to judge."
}

/// Who has written here of late. Who is merely connected is no matter of the conversation.
pub(super) fn who(prompt: &Prompt) -> String {
    let said = said(prompt);
    let authors = authors(&said);
    if authors.is_empty() {
        return "Apart from you and me nobody has written here of late. The list of members shows who is there right \
                now."
            .to_owned();
    }
    let mut text = format!("{}\n\n| who | is | messages |\n|---|---|---|", count(&said));
    for author in authors.iter().take(NAMES_MAX) {
        let _ = write!(text, "\n| {} | {} | {} |", name(author.name), sort(author.sort), author.messages);
    }
    text + "\n\nWho is connected right now stands in the list of members (`GET /presence`)."
}

/// The members of the conversation and who wrote after whom.
pub(super) fn diagram(prompt: &Prompt) -> String {
    let said = said(prompt);
    let authors = authors(&said);
    let place = |message: &Message| authors.iter().position(|author| author.name == message.from.name);
    let mut text = "Who has written here, and after whom:\n\n```mermaid\nflowchart LR".to_owned();
    let _ = write!(text, "\n    me([{}])", label(prompt.agent.name.as_str()));
    for (number, author) in authors.iter().enumerate().take(NAMES_MAX) {
        let _ = write!(text, "\n    m{number}([{}])", label(&shortened(author.name, NAME_CHARS_MAX)));
    }
    for (from, to, times) in turns(&said, place) {
        let _ = write!(text, "\n    m{from} -->|{times}| m{to}");
    }
    text + "\n```"
}

/// How often one author was followed by another, of those who are shown.
fn turns(said: &[&Message], place: impl Fn(&Message) -> Option<usize>) -> Vec<(usize, usize, usize)> {
    let mut turns: Vec<(usize, usize, usize)> = Vec::new();
    for pair in said.windows(2) {
        let (Some(from), Some(to)) = (place(pair[0]), place(pair[1])) else { continue };
        if from == to || from.max(to) >= NAMES_MAX {
            continue;
        }
        match turns.iter_mut().find(|(one, other, _)| (*one, *other) == (from, to)) {
            Some((_, _, times)) => *times += 1,
            None => turns.push((from, to, 1)),
        }
    }
    turns
}

/// What others have said here: neither the calls that are being answered nor the guide's own words.
fn said(prompt: &Prompt) -> Vec<&Message> {
    let own = prompt.agent.id.to_string();
    let is_call = |message: &Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let is_own = |message: &Message| message.from.id.as_deref() == Some(own.as_str());
    let says = |message: &Message| !first_line(&message.body).is_empty();
    prompt.history.iter().filter(|message| !is_call(message) && !is_own(message) && says(message)).collect()
}

/// Somebody who has written.
struct Writer<'a> {
    name: &'a str,
    sort: AuthorType,
    messages: usize,
}

/// Who has written, in the order of their first message.
fn authors<'a>(said: &[&'a Message]) -> Vec<Writer<'a>> {
    let mut authors: Vec<Writer<'a>> = Vec::new();
    for message in said {
        match authors.iter_mut().find(|author| author.name == message.from.name) {
            Some(author) => author.messages += 1,
            None => {
                authors.push(Writer { name: &message.from.name, sort: message.from.author_type, messages: 1 });
            }
        }
    }
    authors
}

/// The first message of the conversation that is known, then the latest.
fn quoted<'a>(said: &[&'a Message]) -> Vec<&'a Message> {
    if said.len() <= QUOTES_MAX {
        return said.to_vec();
    }
    let latest = &said[said.len() - (QUOTES_MAX - 1)..];
    said.iter().take(1).chain(latest).copied().collect()
}

fn count(said: &[&Message]) -> String {
    let authors = authors(said).len();
    let messages = if said.len() == 1 { "1 message".to_owned() } else { format!("{} messages", said.len()) };
    let authors = if authors == 1 { "1 author".to_owned() } else { format!("{authors} authors") };
    format!("I see **{messages} of {authors}** here, your question and my answers apart.")
}

/// The first line that says something.
fn first_line(body: &str) -> &str {
    let lines = body.lines().map(str::trim);
    lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default()
}

fn name(name: &str) -> String {
    escape(&shortened(name, NAME_CHARS_MAX))
}

fn sort(sort: AuthorType) -> &'static str {
    match sort {
        AuthorType::Person => "a person",
        AuthorType::Agent => "an agent",
        AuthorType::Applet => "an applet",
        AuthorType::Scheduler => "a schedule",
        AuthorType::Tool => "a tool",
        AuthorType::Host | AuthorType::System => "the hub",
    }
}
