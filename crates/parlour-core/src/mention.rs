//! Mentions: the members that a message mentions, and the names in it that match nobody.
//!
//! A mention is `@` and a known name (or id), at the start of the text or after a character that belongs to no word.
//! The longest known name wins, case does not matter, and the name must end where its word ends: `@Coder-2` is not
//! Coder. Code, quotes and URLs contain no mentions.
//!
//! Scripts without spaces (Han, Hiragana, Katakana, Hangul, Thai) have no word borders: a mention can be directly after
//! and before their letters, as in `请@Coder看一下`.

use crate::{Code, Refusal, id::MemberId, limits, name::Name};

mod closeness;
mod roster;
mod visible;

pub use closeness::closest_names;
pub use roster::{Resolution, Roster};

/// Wide mentions. No member can have them as a name.
const WIDE_WORDS: [(&str, WideMention); 4] = [
    ("agents", WideMention::Agents),
    ("all", WideMention::Everyone),
    ("channel", WideMention::Everyone),
    ("everyone", WideMention::Everyone),
];

/// In other systems this word means the members who are online. Parlour has no such mention: members answer when they
/// are back. So it is reported, with wide mentions as candidates.
const HERE: &str = "here";

/// The resolved mentions of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The mentioned members in order of first appearance, each once, at most `MENTIONS_MAX`.
    pub members: Vec<MemberId>,
    /// Names that match nobody or several members, each once, at most `MENTION_PROBLEMS_MAX`.
    pub problems: Vec<MentionProblem>,
    /// The wide mention of the text, if there is one; `everyone` takes precedence over `agents`.
    pub wide: Option<WideMention>,
}

/// Many members at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WideMention {
    /// All agents who can read the conversation: `@agents`.
    Agents,
    /// All agents and people: `@everyone`, `@all`, `@channel`.
    Everyone,
}

/// A name after an `@` that mentions nobody.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MentionProblem {
    /// The name as it was written, without the `@`.
    pub name: String,
    /// The problem.
    pub reason: MentionProblemReason,
    /// Names that may have been meant, or the ids of those who share the name.
    pub candidates: Vec<String>,
}

/// Why a name after an `@` mentions nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MentionProblemReason {
    /// No member of the project has it.
    Unknown,
    /// Several members have it.
    Ambiguous,
    /// The member has no access to the conversation and would never know.
    NotInConversation,
    /// It is a wide mention that was not confirmed or is not allowed here.
    Wide,
}

/// Finds the members that a Markdown text mentions, and the names that mention nobody.
pub fn find_mentions(body: &str, roster: &Roster) -> Mentions {
    let mut mentions = Mentions::default();
    if !body.contains('@') {
        return mentions;
    }
    let text = visible::visible_text(body);
    for tail in tails(&text) {
        mentions.take(tail, roster);
    }
    mentions
}

/// The text without the mentions of this member: they name the recipient and are not part of the content.
pub fn without_mentions_of(member: &MemberId, text: &str, roster: &Roster) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for tail in tails(text) {
        let known = name_ends(tail).into_iter().rev().find_map(|end| match roster.resolve(&tail[..end]) {
            Resolution::Unknown => None,
            found => Some((end, found)),
        });
        if let Some((end, Resolution::One(found))) = known
            && found == *member
        {
            let at = text.len() - tail.len();
            kept += text[from..at - '@'.len_utf8()].trim_end();
            from = at + end;
        }
    }
    kept + &text[from..]
}

/// Resolves the names or ids that a request lists, each with or without `@`; one that matches nobody or several members
/// is refused.
pub fn resolve_named(names: &[String], roster: &Roster) -> Result<Vec<MemberId>, Refusal> {
    if names.len() > limits::MENTIONS_MAX {
        let detail = format!("the message has {} mentions; at most {} are allowed", names.len(), limits::MENTIONS_MAX);
        return Err(Refusal::out_of_bounds(detail).at("mentions"));
    }
    let mut members = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let member = resolve_one(name, roster).map_err(|refusal| refusal.at(&format!("mentions[{index}]")))?;
        if !members.contains(&member) {
            members.push(member);
        }
    }
    Ok(members)
}

fn resolve_one(text: &str, roster: &Roster) -> Result<MemberId, Refusal> {
    let name = text.strip_prefix('@').unwrap_or(text);
    let shown: String = name.chars().take(limits::NAME_CHARS_MAX).collect();
    match roster.resolve(name) {
        Resolution::One(member) => Ok(member),
        Resolution::Ambiguous(members) => {
            let detail = format!("several members are called {shown:?}; use the id of one of them");
            Err(Refusal::new(Code::AmbiguousMention, detail).proposing(ids_of(&members)))
        }
        Resolution::Unknown => {
            let detail = format!("no member of this project is called {shown:?}");
            Err(Refusal::new(Code::UnknownMention, detail).proposing(roster.propose(name)))
        }
    }
}

fn ids_of(members: &[MemberId]) -> Vec<String> {
    members.iter().take(limits::MENTION_CANDIDATES_MAX).map(ToString::to_string).collect()
}

impl Mentions {
    /// Reads the name at the start of `tail`, the text after an `@`.
    fn take(&mut self, tail: &str, roster: &Roster) {
        let ends = name_ends(tail);
        for end in ends.iter().rev() {
            match roster.resolve(&tail[..*end]) {
                Resolution::One(member) => return self.add(member),
                Resolution::Ambiguous(members) => {
                    return self.report(&tail[..*end], MentionProblemReason::Ambiguous, || ids_of(&members));
                }
                Resolution::Unknown => {}
            }
        }
        if let Some(word) = first_word(tail, &ends) {
            self.take_word(word, roster);
        }
    }

    /// Handles a word that is no name: a wide mention, or a problem to report.
    fn take_word(&mut self, word: &str, roster: &Roster) {
        let is_word = |known: &str| word.eq_ignore_ascii_case(known);
        if let Some((_, wide)) = WIDE_WORDS.iter().find(|(known, _)| is_word(known)) {
            self.wide = self.wide.max(Some(*wide));
        } else if is_word(HERE) {
            self.report(word, MentionProblemReason::Wide, || vec!["everyone".to_owned(), "agents".to_owned()]);
        } else {
            self.report(word, MentionProblemReason::Unknown, || roster.propose(word));
        }
    }

    fn add(&mut self, member: MemberId) {
        if self.members.len() < limits::MENTIONS_MAX && !self.members.contains(&member) {
            self.members.push(member);
        }
    }

    /// Searches candidates only when there is room to report them, because the search is expensive.
    fn report(&mut self, name: &str, reason: MentionProblemReason, candidates: impl FnOnce() -> Vec<String>) {
        let fold = Name::fold(name);
        let is_known = self.problems.iter().any(|one| Name::fold(&one.name) == fold);
        if self.problems.len() < limits::MENTION_PROBLEMS_MAX && !is_known {
            self.problems.push(MentionProblem { name: name.to_owned(), reason, candidates: candidates() });
        }
    }
}

/// The text after each `@` at which a mention can start. The `@` in a URL such as `https://x/@y` is not one.
fn tails(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let mut is_address = false;
    text.char_indices().filter_map(move |(at, sign)| {
        let is_scheme_end = before.is_alphanumeric() && text[at..].starts_with("://");
        is_address = (is_address || is_scheme_end) && !(sign.is_whitespace() || matches!(sign, '<' | '>' | '"'));
        let is_start = sign == '@' && (!is_word(before) || is_unspaced(before)) && !is_address;
        before = sign;
        is_start.then(|| &text[at + 1..])
    })
}

/// The indexes in `tail` at which a name at its start could end, in ascending order.
fn name_ends(tail: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before = ' ';
    for (at, sign) in tail.char_indices().take(limits::NAME_CHARS_MAX) {
        let is_separator = matches!(sign, ' ' | '-' | '.' | '\'');
        // No name starts with a blank or has two in a row.
        if !(is_word(sign) || is_separator) || (sign == ' ' && before == ' ') {
            break;
        }
        let end = at + sign.len_utf8();
        if !is_separator && is_word_end(&tail[end..]) {
            ends.push(end);
        }
        before = sign;
    }
    ends
}

/// The word to report when no name fits; a word that is longer than any name is cut. A word in a script without spaces
/// is reported up to the next space or punctuation.
fn first_word<'a>(tail: &'a str, ends: &[usize]) -> Option<&'a str> {
    if !tail.starts_with(is_word) {
        return None;
    }
    let is_end = |end: &&usize| !tail.starts_with(is_unspaced) || !tail[**end..].starts_with(is_word);
    let cut = || tail.char_indices().nth(limits::NAME_CHARS_MAX).map_or(tail.len(), |(at, _)| at);
    Some(&tail[..ends.iter().find(is_end).copied().unwrap_or_else(cut)])
}

/// Whether a word ends before `rest`: a `-` or `.` binds what follows it directly, as in `Coder-2`.
fn is_word_end(rest: &str) -> bool {
    let mut signs = rest.chars();
    match signs.next() {
        Some('-' | '.') => !signs.next().is_some_and(is_word),
        // A mark belongs to the letter before it in these scripts too.
        Some(sign) if is_unspaced(sign) => !unicode_normalization::char::is_combining_mark(sign),
        Some(sign) => !is_word(sign),
        None => true,
    }
}

fn is_word(sign: char) -> bool {
    // A mark changes the letter before it, so it belongs to the word.
    sign.is_alphanumeric() || sign == '_' || unicode_normalization::char::is_combining_mark(sign)
}

/// Whether the character belongs to a word of a script that is written without spaces.
fn is_unspaced(sign: char) -> bool {
    let is_in_script = matches!(
        sign,
        '\u{0E00}'..='\u{0E7F}' // Thai
            | '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' | '\u{AC00}'..='\u{D7FF}' | '\u{FFA0}'..='\u{FFDC}' // Hangul
            | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' // Hiragana, Katakana
            | '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' // Han
            | '\u{20000}'..='\u{323AF}'
    );
    is_in_script && is_word(sign)
}

#[cfg(test)]
mod tests;
