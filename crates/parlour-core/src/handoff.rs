//! Hand-offs: marks in a finished task's answer that give a follow-up task to another agent.

use crate::{limits, text};

/// What a hand-off starts with.
const START: &str = "[HANDOFF:";

/// A follow-up task that an answer asks for: `[HANDOFF: @name "title"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Who is to do it, as it was written.
    pub name: String,
    /// What is to be done, in one line that can stand as the title of a task.
    pub title: String,
}

/// Finds the hand-offs of an answer in order, at most `HANDOFFS_MAX`. Unlike the original, names with a blank are found
/// too: the name ends at the quotation mark.
///
/// A name has at most `NAME_CHARS_MAX` characters and stands in one line. A title has no quotation marks; line breaks in
/// it become blanks, and a longer one is cut at `TITLE_CHARS_MAX`. What does not have this form is ordinary text.
pub fn find_handoffs(body: &str) -> Vec<Handoff> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(place) = rest.find(START)
        && found.len() < limits::HANDOFFS_MAX
    {
        let tail = &rest[place + START.len()..];
        rest = match read(tail) {
            Some((handoff, after)) => {
                found.push(handoff);
                after
            }
            None => tail,
        };
    }
    found
}

/// Reads what follows the start of a hand-off, and answers it with the text after it.
fn read(tail: &str) -> Option<(Handoff, &str)> {
    let (name, tail) = read_name(tail.trim_start().strip_prefix('@')?)?;
    let (title, tail) = tail.split_once('"')?;
    let after = tail.strip_prefix(']')?;
    let title = one_line(title);
    text::check_not_blank(&title).ok()?;
    Some((Handoff { name: name.to_owned(), title }, after))
}

/// The name before the quotation mark, which at least one blank sets apart, and what follows that mark.
fn read_name(tail: &str) -> Option<(&str, &str)> {
    let end =
        tail.char_indices().find(|(_, sign)| matches!(sign, '"' | '[' | ']' | '@')).filter(|(_, sign)| *sign == '"')?.0;
    let name = tail[..end].trim_end();
    let is_apart = name.len() < end && name.starts_with(|sign: char| !sign.is_whitespace());
    let is_name = name.chars().count() <= limits::NAME_CHARS_MAX && !name.contains(['\n', '\r']);
    (is_apart && is_name).then(|| (name, &tail[end + 1..]))
}

/// A title as a task takes it: without line breaks, control characters and signs that turn the direction of reading.
fn one_line(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|sign| if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}') { ' ' } else { sign })
        .filter(|sign| !matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(limits::TITLE_CHARS_MAX).collect();
    cut.trim_end().to_owned()
}

#[cfg(test)]
mod tests;
