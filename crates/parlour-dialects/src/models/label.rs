//! The label of a message: a line that names its author.
//!
//! The label is built from fields. Lines of a text that look like a label are quoted, so that nobody can imitate
//! another author.

use parlour_core::{
    author::{Author, AuthorType},
    limits,
    member::Agent,
    message::{Kind, Message},
    name::{Name, look_of},
};

use super::provider_rules::lines_of;

const BEGIN: &str = "[from ";
const WORD: &str = "from";
/// Longer than the word, so that a longer word does not match.
const WORD_CHARS_MAX: usize = 8;
/// Characters that look like the opening bracket of a label.
const BRACKETS: [char; 14] = [
    '[', '\u{ff3b}', '\u{3010}', '\u{3014}', '\u{3016}', '\u{3018}', '\u{301a}', '\u{27e6}', '\u{2772}', '\u{2045}',
    '\u{fe5d}', '\u{298b}', '\u{298d}', '\u{298f}',
];
/// Precedes the name of another system.
const OF: &str = " of ";
/// Marks an author that only another system authenticated.
const UNVERIFIED: &str = ", unverified";
/// The maximum length of the label of a known author, with the line breaks around it.
const CHARS_MAX: usize = BEGIN.len() + limits::NAME_CHARS_MAX + ", tool result]\n\n\n".len();

/// The maximum length of the label of this message, with the line breaks around it.
pub(super) fn chars_max(message: &Message) -> usize {
    let system = message.from.foreign_system();
    CHARS_MAX + system.map_or(0, |system| OF.len() + system.len() + UNVERIFIED.len())
}

/// The author's name without characters that could end the label. Names of members contain none; those of applets and
/// other systems can.
pub fn shown_name(author: &Author) -> String {
    let is_plain = |character: &char| {
        let is_framing =
            ",:=()<>|]\"\\`".contains(*character) || BRACKETS.contains(character) || *character == '\u{ff3d}';
        !character.is_control() && !is_framing && !matches!(character, '\u{2028}' | '\u{2029}')
    };
    let name: String = author.name.chars().filter(is_plain).take(limits::NAME_CHARS_MAX).collect();
    if name.trim().is_empty() { "somebody".to_owned() } else { name.trim().to_owned() }
}

/// The name and role of an author, and the other system that it comes from.
pub fn shown_author(message: &Message) -> String {
    let (name, role) = (shown_name(&message.from), author_role(message));
    match message.from.foreign_system() {
        Some(system) => format!("{name}, {role}{OF}{system}{UNVERIFIED}"),
        None => format!("{name}, {role}"),
    }
}

/// Whether the author is another agent with a name that looks like this agent's.
pub fn is_mistaken_for(author: &Author, agent: &Agent) -> bool {
    let is_other = author.author_type == AuthorType::Agent && author.id.as_deref() != Some(agent.id.as_str());
    let key = |name: &str| Name::parse(name).map_or_else(|_| look_of(name), |name| name.key().as_str().to_owned());
    is_other && key(&author.name) == key(agent.name.as_str())
}

/// Quotes lines that look like a label. Characters that are shown as line breaks become line breaks first.
pub fn quote_labels(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for (index, line) in lines_of(text).split('\n').enumerate() {
        quoted.push_str(if index == 0 { "" } else { "\n" });
        quoted.push_str(if looks_like_label(line) { "> " } else { "" });
        quoted.push_str(line);
    }
    quoted
}

/// Whether a line looks like a label: after invisible characters, with any similar bracket and letters, and with
/// anything between them.
pub fn looks_like_label(line: &str) -> bool {
    let is_seen = |character: char| {
        character.is_alphanumeric() || character.is_ascii_punctuation() || BRACKETS.contains(&character)
    };
    let Some(rest) = line.trim_start_matches(|character| !is_seen(character)).strip_prefix(BRACKETS) else {
        return false;
    };
    let rest = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
    let is_in_word =
        |character: &char| character.is_alphanumeric() || !is_seen(*character) && !character.is_whitespace();
    let word: String = rest
        .chars()
        .take_while(is_in_word)
        .filter(|character| character.is_alphanumeric())
        .take(WORD_CHARS_MAX)
        .collect();
    word.eq_ignore_ascii_case(WORD) || !word.is_ascii() && look_of(&word) == look_of(WORD)
}

/// The text below its label.
pub(super) fn with_label(message: &Message, text: &str) -> String {
    format!("{BEGIN}{}]\n{}", shown_author(message), quote_labels(text))
}

fn author_role(message: &Message) -> &'static str {
    match (message.kind, message.from.author_type) {
        (Kind::ToolResult, _) | (_, AuthorType::Tool) => "tool result",
        (_, AuthorType::Person) => "person",
        (_, AuthorType::Agent) => "agent",
        (_, AuthorType::Applet) => "applet",
        (_, AuthorType::Scheduler) => "schedule",
        // The system of another installation is not this hub.
        (_, AuthorType::Host | AuthorType::System) if message.from.foreign_system().is_some() => "system",
        (_, AuthorType::Host | AuthorType::System) => "the hub",
    }
}
