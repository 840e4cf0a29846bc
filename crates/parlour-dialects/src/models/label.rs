//! The line before a message that tells its author. It is made of fields, and lines of a text that look like it are
//! quoted, so that nobody can speak in the name of another.

use parlour_core::{
    author::{Author, AuthorType},
    limits,
    member::Agent,
    message::{Kind, Message},
    name::{Name, look_of},
};

use super::texts::lines_of;

/// How every label begins.
const BEGIN: &str = "[from ";
/// The word that a label begins with.
const WORD: &str = "from";
/// Signs of a word that are looked at: more than it has, so that a longer word is another one.
const WORD_CHARS_MAX: usize = 8;
/// What a reader takes for the bracket at the beginning of a label.
const BRACKETS: [char; 14] = [
    '[', '\u{ff3b}', '\u{3010}', '\u{3014}', '\u{3016}', '\u{3018}', '\u{301a}', '\u{27e6}', '\u{2772}', '\u{2045}',
    '\u{fe5d}', '\u{298b}', '\u{298d}', '\u{298f}',
];
/// Stands before the other system that alone knew an author.
const OF: &str = " of ";
/// Says that an author is known by the word of another system alone.
const UNVERIFIED: &str = ", unverified";
/// The longest label of somebody whom the hub knows, with its line break, and the break between two messages.
const CHARS_MAX: usize = BEGIN.len() + limits::NAME_CHARS_MAX + ", tool result]\n\n\n".len();

/// Characters that the label of this message has at most, with its line break and the break between two messages.
pub(super) fn chars_max(message: &Message) -> usize {
    let system = message.from.foreign_system();
    CHARS_MAX + system.map_or(0, |system| OF.len() + system.len() + UNVERIFIED.len())
}

/// The author's name without signs that could end the label, or what stands around a name elsewhere. Names of members hold
/// none; those of applets and of other systems might.
pub fn shown_name(author: &Author) -> String {
    let is_plain = |sign: &char| {
        let is_framing = ",:=()<>|]\"\\`".contains(*sign) || BRACKETS.contains(sign) || *sign == '\u{ff3d}';
        !sign.is_control() && !is_framing && !matches!(sign, '\u{2028}' | '\u{2029}')
    };
    let name: String = author.name.chars().filter(is_plain).take(limits::NAME_CHARS_MAX).collect();
    if name.trim().is_empty() { "somebody".to_owned() } else { name.trim().to_owned() }
}

/// Name and sort of the author of a message, and whose word that is when only another system knew the author.
pub fn shown_author(message: &Message) -> String {
    let (name, sort) = (shown_name(&message.from), sort_of(message));
    match message.from.foreign_system() {
        Some(system) => format!("{name}, {sort}{OF}{system}{UNVERIFIED}"),
        None => format!("{name}, {sort}"),
    }
}

/// Whether an author is another agent than this one, and a reader could take it for this one by its name.
pub fn is_mistaken_for(author: &Author, agent: &Agent) -> bool {
    let is_other = author.author_type == AuthorType::Agent && author.id.as_deref() != Some(agent.id.as_str());
    let key = |name: &str| Name::parse(name).map_or_else(|_| look_of(name), |name| name.key().as_str().to_owned());
    is_other && key(&author.name) == key(agent.name.as_str())
}

/// Marks lines that look like a label as quoted. Every sign that may be shown as a line break becomes one first.
pub fn quote_labels(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for (place, line) in lines_of(text).split('\n').enumerate() {
        quoted.push_str(if place == 0 { "" } else { "\n" });
        quoted.push_str(if looks_like_label(line) { "> " } else { "" });
        quoted.push_str(line);
    }
    quoted
}

/// Whether a line begins like a label, after whatever nobody would see before it, whichever bracket and letters it is
/// made of, and with anything between the two.
pub fn looks_like_label(line: &str) -> bool {
    let is_seen = |sign: char| sign.is_alphanumeric() || sign.is_ascii_punctuation() || BRACKETS.contains(&sign);
    let Some(rest) = line.trim_start_matches(|sign| !is_seen(sign)).strip_prefix(BRACKETS) else { return false };
    let rest = rest.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let is_in_word = |sign: &char| sign.is_alphanumeric() || !is_seen(*sign) && !sign.is_whitespace();
    let word: String =
        rest.chars().take_while(is_in_word).filter(|sign| sign.is_alphanumeric()).take(WORD_CHARS_MAX).collect();
    word.eq_ignore_ascii_case(WORD) || !word.is_ascii() && look_of(&word) == look_of(WORD)
}

/// The text below the label of its message.
pub(super) fn put_before(message: &Message, text: &str) -> String {
    format!("{BEGIN}{}]\n{}", shown_author(message), quote_labels(text))
}

/// What the author is: a person, another agent, or no member at all.
fn sort_of(message: &Message) -> &'static str {
    match (message.kind, message.from.author_type) {
        (Kind::ToolResult, _) | (_, AuthorType::Tool) => "tool result",
        (_, AuthorType::Person) => "person",
        (_, AuthorType::Agent) => "agent",
        (_, AuthorType::Applet) => "applet",
        (_, AuthorType::Scheduler) => "schedule",
        // What another system called itself is not this hub.
        (_, AuthorType::Host | AuthorType::System) if message.from.foreign_system().is_some() => "system",
        (_, AuthorType::Host | AuthorType::System) => "the hub",
    }
}
