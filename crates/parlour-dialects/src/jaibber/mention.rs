//! Jaibber's three rules for `@name` in a text. Each is a pattern of JavaScript; what it matches is matched here.
//!
//! The rules of Parlour itself are in `parlour_core::mention`: they know who is there, so `@Coder` is not found in
//! `x@Coder` nor in `@Coder-2`.

/// Whether a text mentions the agent of this name: the rule by which agents are woken.
///
/// It is `@` and the name, letters alike in either case, with no word character behind. A blank in the name is exactly
/// that blank. What stands before the `@` does not matter. Nobody is mentioned by an empty name.
///
/// It takes time in proportion to the text, as long as the name holds no `@`.
pub fn mentions_agent(text: &str, name: &str) -> bool {
    let is_here = |(place, _)| after_name(&text[place + 1..], name).is_some_and(|rest| !rest.starts_with(is_word));
    !name.is_empty() && text.match_indices('@').any(is_here)
}

/// The mentions of a text by the rule of the list that frames may carry.
///
/// Each is in lower case, and it swallows all words that follow: `@Coder please fix this` mentions
/// `coder please fix this`. So it is good for nothing but being shown.
pub fn list_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find('@') {
        rest = &rest[place + 1..];
        let end = end_of_words(rest);
        if end > 0 {
            found.push(rest[..end].to_lowercase());
        }
        rest = &rest[end..];
    }
    found
}

/// The mentions of a text by the rule of the two bridges: a word in lower case that may go on with `-`.
pub fn adapter_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find('@') {
        rest = &rest[place + 1..];
        if rest.starts_with(is_word) {
            let end = rest.find(|sign| !is_word(sign) && sign != '-').unwrap_or(rest.len());
            found.push(rest[..end].to_ascii_lowercase());
            rest = &rest[end..];
        }
    }
    found
}

/// Whether a bridge of this name answers a text: when nobody is mentioned, or when a mention is a part of its name or
/// its name a part of a mention.
pub fn adapter_answers(text: &str, name: &str) -> bool {
    let (mentions, name) = (adapter_mentions(text), name.to_lowercase());
    mentions.is_empty() || mentions.iter().any(|mention| name.contains(mention.as_str()) || mention.contains(&name))
}

/// What follows the name, when the text begins with it.
fn after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut signs = text.chars();
    let mut is_next = |wanted| signs.next().is_some_and(|sign| sign == wanted || outline(sign) == outline(wanted));
    let is_name = name.chars().all(&mut is_next);
    is_name.then_some(signs.as_str())
}

/// The end of words with white space between them, at the beginning of a text.
fn end_of_words(text: &str) -> usize {
    let mut end = word_len(text);
    while end > 0 {
        let rest = &text[end..];
        let blank = rest.len() - rest.trim_start_matches(is_space).len();
        let word = word_len(&rest[blank..]);
        if blank == 0 || word == 0 {
            break;
        }
        end += blank + word;
    }
    end
}

fn word_len(text: &str) -> usize {
    text.find(|sign| !is_word(sign)).unwrap_or(text.len())
}

/// What two letters share that JavaScript takes for the same when case does not matter: the capital, if that is one unit
/// and does not make a letter of ASCII out of another.
fn outline(sign: char) -> char {
    if sign.is_ascii() {
        return sign.to_ascii_uppercase();
    }
    let mut capitals = sign.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) if !capital.is_ascii() && sign.len_utf16() == 1 && capital.len_utf16() == 1 => capital,
        _ => sign,
    }
}

fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// White space as JavaScript has it.
pub(super) fn is_space(sign: char) -> bool {
    sign == '\u{FEFF}' || (sign.is_whitespace() && sign != '\u{85}')
}
