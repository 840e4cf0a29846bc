//! Turns for interfaces in which the two sides take turns strictly: the user first and last, results right after calls.

use super::{
    Call, Turn, Turns,
    texts::{add_below, is_blank},
};

/// What stands before an answer that begins the visible part of a conversation.
pub(super) const NO_BEGINNING: &str = "(The conversation as far as it is shown begins with your own words.)";
/// What stands at the end when nobody has said anything since the agent's last words.
pub(super) const NO_QUESTION: &str = "(Nobody has said anything since. Go on.)";
/// What the agent says between results and the next words of somebody else, where it said nothing.
pub(super) const NO_WORDS: &str = "(no words)";

/// What one side says before the other speaks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Side<'a> {
    /// The results of the calls before it, then a text; one of them may be missing.
    User { results: Vec<&'a Call>, text: String },
    /// A text, then calls; one of them may be missing.
    Assistant { text: String, calls: Vec<&'a Call> },
}

/// Whether a text may stand beside results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Results {
    /// After them.
    BeforeText,
    /// Nothing but results stands there.
    Alone,
}

/// The lasting context of the whole list: nothing but the two sides can stand in the list itself.
pub(super) fn system_of(turns: &Turns) -> String {
    turns.list.iter().fold(turns.instructions.clone(), |mut system, turn| {
        if let Turn::System(text) = turn {
            add_below(&mut system, text);
        }
        system
    })
}

/// The two sides, one after the other.
pub(super) fn sides(turns: &Turns, results: Results) -> Vec<Side<'_>> {
    let mut sides = Vec::new();
    for turn in &turns.list {
        match turn {
            Turn::System(_) => {}
            Turn::User { text, .. } => hear(&mut sides, text, results),
            Turn::Assistant { text, calls } => speak(&mut sides, text, calls),
        }
    }
    if !matches!(sides.last(), Some(Side::User { .. })) {
        hear(&mut sides, NO_QUESTION, results);
    }
    sides
}

fn hear(sides: &mut Vec<Side<'_>>, more: &str, rule: Results) {
    if let Some(Side::User { results, text }) = sides.last_mut() {
        if results.is_empty() || rule == Results::BeforeText {
            return add_below(text, more);
        }
        sides.push(Side::Assistant { text: NO_WORDS.to_owned(), calls: Vec::new() });
    }
    sides.push(Side::User { results: Vec::new(), text: more.to_owned() });
}

fn speak<'a>(sides: &mut Vec<Side<'a>>, more: &str, more_calls: &'a [Call]) {
    if sides.is_empty() {
        sides.push(Side::User { results: Vec::new(), text: NO_BEGINNING.to_owned() });
    }
    match sides.last_mut() {
        // It has no calls: results would stand after them.
        Some(Side::Assistant { text, calls }) => {
            add_below(text, more);
            calls.extend(more_calls);
        }
        _ => sides.push(Side::Assistant { text: more.to_owned(), calls: more_calls.iter().collect() }),
    }
    if !more_calls.is_empty() {
        sides.push(Side::User { results: more_calls.iter().collect(), text: String::new() });
    }
}

/// The text if there is anything in it.
pub(super) fn some(text: &str) -> Option<String> {
    (!is_blank(text)).then(|| text.to_owned())
}
