//! Jaibber's own rule for hand-offs in the answer to a task.
//!
//! Parlour's rule, `parlour_core::handoff::find_handoffs`, is wider: it takes names with blanks, and makes a title of one
//! line. This one finds exactly what Jaibber's clients find.

use super::mention::is_space;

/// What a hand-off starts with.
const START: &str = "[HANDOFF:";

/// A hand-off, word for word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handoff<'a> {
    /// The agent that is to go on.
    pub name: &'a str,
    /// What it is to do.
    pub title: &'a str,
}

/// Finds `[HANDOFF: @name "title"]` in a text: the name is of ASCII letters, digits, `_` and `-`, and the title is
/// everything up to the next quotation mark, line breaks too.
pub fn parse_handoffs(text: &str) -> Vec<Handoff<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find(START) {
        rest = &rest[place + START.len()..];
        if let Some((handoff, after)) = read(rest) {
            found.push(handoff);
            rest = after;
        }
    }
    found
}

/// Reads what follows the start, and answers it with the text after it.
fn read(tail: &str) -> Option<(Handoff<'_>, &str)> {
    let tail = tail.trim_start_matches(is_space).strip_prefix('@')?;
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    let (name, tail) = tail.split_at(tail.find(|sign| !is_name(sign))?);
    let quoted = tail.trim_start_matches(is_space);
    let is_apart = !name.is_empty() && quoted.len() < tail.len();
    let (title, after) = quoted.strip_prefix('"').filter(|_| is_apart)?.split_once('"')?;
    let after = after.strip_prefix(']').filter(|_| !title.is_empty())?;
    Some((Handoff { name, title }, after))
}
