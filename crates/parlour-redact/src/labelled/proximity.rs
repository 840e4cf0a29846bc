//! Values near a label that look like a password by themselves: `log in as demo and enter …`, `no wait, it's …`.

use super::{
    super::{
        benign::{self, has_uneven_words, is_benign_name, is_identifier, looks_like_chosen_password},
        placeholder,
        shape::{self, CharCounts, char_boundary_before},
        words::{
            COMPOUND_ENDINGS, NAME_PREPOSITIONS, NAMED_NOUNS, NUMBER_LEADS, PASSPHRASE_LEADS, PASSWORD_LEADS,
            PASSWORD_TRAILS, SecretClass, TYPED_LEADS, is_context_word,
        },
    },
    Found,
    classify::is_strong,
    label::Label,
};

/// Bytes after a label that are searched.
const AFTER_BYTES_MAX: usize = 200;
/// Bytes before a label that are searched.
const BEFORE_BYTES_MAX: usize = 100;
/// Symbols that occur inside of passwords, and hardly inside of other words.
const INNER_SYMBOLS: &str = "!$%^&*?";

/// A word of the text, without quotation marks and punctuation.
struct Word<'t> {
    text: &'t str,
    start: usize,
    is_quoted: bool,
    is_alone: bool,
    is_before_comma: bool,
    /// The text before it on its line.
    lead: &'t str,
    /// The text after it on its line.
    rest: &'t str,
}

impl Word<'_> {
    /// Whether it is between commas: `the same pw everywhere, …, all year`.
    fn is_between_commas(&self) -> bool {
        self.lead.ends_with(", ") && (self.rest.is_empty() || self.is_before_comma)
    }
}

/// Characters of a random token, and of a part of one.
const TOKEN_LEAST: usize = 20;
const PIECE_LEAST: usize = 10;

/// Values around a label, after those that were found already.
pub(super) fn find(text: &str, label: &Label<'_>, from: usize) -> Vec<Found> {
    match label.class {
        SecretClass::Password if label.name.to_lowercase().ends_with("code") => {
            let mut found = passwords(text, label, from);
            found.extend(numbers(text, label, from));
            found
        }
        SecretClass::Password | SecretClass::Credentials | SecretClass::LoginPhrase | SecretClass::Service => {
            passwords(text, label, from)
        }
        SecretClass::Secret | SecretClass::Token | SecretClass::Key => tokens(text, label, from),
        SecretClass::Pin | SecretClass::Code => numbers(text, label, from),
    }
}

/// `the pin is what it was, I mean 4711`: digits after a lead, on the same line.
fn numbers(text: &str, label: &Label<'_>, from: usize) -> Vec<Found> {
    let window = &text[from..char_boundary_before(text, (from + AFTER_BYTES_MAX).min(text.len()))];
    let line = window.split_inclusive('\n').next().unwrap_or_default();
    let has_lead = |word: &Word<'_>| NUMBER_LEADS.iter().any(|lead| ends_with_words(word.lead, lead));
    let is_end = |word: &Word<'_>| word.rest.is_empty() || !word.rest.starts_with(char::is_alphanumeric);
    words(line, from)
        .into_iter()
        .filter(|word| (4..=8).contains(&word.text.len()) && word.text.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|word| has_lead(word) && is_end(word) || label.class == SecretClass::Pin && word.is_between_commas())
        .map(|word| (word.start..word.start + word.text.len(), label.class.kind()))
        .collect()
}

/// Random words on the same line.
fn tokens(text: &str, label: &Label<'_>, from: usize) -> Vec<Found> {
    let window = &text[from..char_boundary_before(text, (from + AFTER_BYTES_MAX).min(text.len()))];
    let line = window.split_inclusive('\n').next().unwrap_or_default();
    let words = words(line, from);
    let is_split = words.iter().filter(|word| is_token_part(word.text)).count() > 1;
    words
        .into_iter()
        .filter(|word| {
            let is_hex = label.class == SecretClass::Key && is_long_hex(word);
            !label.is_setting && (is_random_token(word.text) || is_hex || is_split && is_token_part(word.text))
        })
        .map(|word| (word.start..word.start + word.text.len(), label.class.kind()))
        .collect()
}

/// A part of a token that was written with spaces.
fn is_token_part(text: &str) -> bool {
    let counts = CharCounts::of(text);
    text.len() >= PIECE_LEAST
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && counts.upper > 1
        && counts.lower > 1
        && (counts.digits > 0 || !shape::is_words(text))
        && !placeholder::is_placeholder(text)
}

/// `AES key (hex) 70a0…`: a hexadecimal key, and no hash or id.
fn is_long_hex(word: &Word<'_>) -> bool {
    let is_hex = word.text.len() >= 32 && word.text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lead = word.lead.to_lowercase();
    is_hex
        && lead.split_whitespace().count() <= 3
        && !["id", "hash", "print", "sha", "md5", "digest", "sum", "commit", "iv", "public"]
            .iter()
            .any(|part| lead.contains(part))
}

fn is_random_token(text: &str) -> bool {
    let counts = CharCounts::of(text);
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_plain
        && (TOKEN_LEAST..=256).contains(&text.len())
        && counts.upper > 2
        && counts.lower > 2
        && counts.digits > 1
        && shape::is_random(text)
        && !placeholder::is_placeholder(text)
        && !shape::is_own_id(text)
        && !text.starts_with("AAAA")
}

fn passwords(text: &str, label: &Label<'_>, from: usize) -> Vec<Found> {
    let start = char_boundary_before(text, label.range.start.saturating_sub(BEFORE_BYTES_MAX));
    let before = start..label.range.start;
    let after = from..char_boundary_before(text, (from + AFTER_BYTES_MAX).min(text.len()));
    let ranges = [before, after].into_iter().filter(|range| range.start < range.end);
    ranges
        .flat_map(|range| words(&text[range.clone()], range.start))
        .filter(|word| {
            is_password_nearby(word, label.class)
                && (!label.is_setting
                    || word.is_alone
                    || matches!(label.class, SecretClass::LoginPhrase | SecretClass::Service))
        })
        .map(|word| (word.start..word.start + word.text.len(), "password"))
        .collect()
}

/// The words of a window, without those that its borders may cut.
fn words(window: &str, offset: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut line_start = 0;
    for line in window.split_inclusive('\n') {
        let mut at = 0;
        for piece in line.split_inclusive(char::is_whitespace) {
            let raw = piece.trim_end();
            let start = line_start + at;
            let is_cut = start == 0 && offset > 0 || start + raw.len() == window.len() && raw.len() == piece.len();
            if !is_plain(raw) && (!is_cut || offset == 0 || start > 0) {
                words.push(word(window, line, raw, start, at, offset));
            }
            at += piece.len();
        }
        line_start += line.len();
    }
    words
}

/// Lower-case letters and punctuation: most words, and never a candidate.
fn is_plain(raw: &str) -> bool {
    raw.bytes().all(|byte| byte.is_ascii_lowercase() || b".,;:?!'".contains(&byte))
}

fn word<'t>(window: &'t str, line: &'t str, raw: &'t str, word_start: usize, at: usize, offset: usize) -> Word<'t> {
    let opened = raw.trim_start_matches(['"', '\'', '`', '*', '_', '(', '“', '„', '«', '‘', '‹', '「']);
    let text = opened.trim_end_matches([
        '"', '\'', '`', '*', '_', ')', '”', '“', '»', '’', '」', '.', ',', ';', ':', '?', '…', '。',
    ]);
    let start = word_start + raw.len() - opened.len();
    let close = window[start + text.len()..].chars().next();
    // After more than three words, a word in brackets is a remark.
    let is_remark = raw.starts_with('(') && line[..at].split_whitespace().count() > 3;
    let is_quoted = !is_remark && opened.len() < raw.len() && close.is_some_and(|char| "\"'`*”“»’」)".contains(char));
    let lead = &line[..at];
    let rest = line[at + raw.len()..].trim();
    let is_alone = rest.is_empty() && is_speaker(lead);
    let is_before_comma = raw.ends_with(',');
    Word { text, start: offset + start, is_quoted, is_alone, is_before_comma, lead, rest }
}

/// Nothing, a quotation mark, or a speaker and a time: `> `, `A: `, `[14:03] tom: `.
fn is_speaker(lead: &str) -> bool {
    let lead = lead.rsplit('?').next().unwrap_or(lead).trim_matches([' ', '\t', '>', '-', '*', '•']);
    lead.is_empty() || lead.ends_with(':') && lead.split_whitespace().count() <= 3
}

/// The tests are in the order of their cost: most words fail the first one.
fn is_password_nearby(word: &Word<'_>, class: SecretClass) -> bool {
    let text = word.text;
    let counts = CharCounts::of(text);
    let is_plain = counts.digits + counts.symbols == 0 && counts.upper < 2;
    if is_plain || !(6..=64).contains(&text.chars().count()) {
        return false;
    }
    // `log in with Passkeys2`: a capitalised word with a digit is a feature, unless the label is a password.
    let stem = text.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_feature = stem.len() + 1 == text.len()
        && counts.upper == 1
        && counts.symbols == 0
        && text.starts_with(char::is_uppercase);
    if is_feature && class != SecretClass::Password {
        return false;
    }
    let looks_so = match class {
        SecretClass::Service => is_service_password(word),
        _ => has_inner_symbol(text) || is_introduced(word, class),
    };
    looks_so
        && !is_benign_name(text)
        && !placeholder::is_placeholder(text)
        && !placeholder::is_code(text)
        && !is_name(word)
}

/// Whether the text around a word introduces it, and it looks like a password.
fn is_introduced(word: &Word<'_>, class: SecretClass) -> bool {
    let (text, len) = (word.text, word.text.chars().count());
    let is_joined = has_capital_and_symbol(text);
    let may_be_shown = len >= 7 && is_strong(text);
    if are_joined_words(text) {
        let is_known = matches!(class, SecretClass::Password | SecretClass::LoginPhrase);
        return is_known && PASSPHRASE_LEADS.iter().any(|lead| ends_with_words(word.lead, lead));
    }
    if !is_joined && !may_be_shown {
        return false;
    }
    let is_outcome = word.rest.is_empty() && ends_with_words(word.lead, "so");
    let has_lead = is_outcome
        || PASSWORD_LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
        || PASSWORD_TRAILS.iter().any(|trail| starts_with(word.rest, trail));
    let is_between_commas = matches!(class, SecretClass::Password | SecretClass::Credentials)
        && word.is_between_commas()
        && (is_joined || text.ends_with('!') && len >= 8 || benign::has_inner_symbol(text) && may_be_shown);
    let is_emphasised =
        word.is_quoted || word.is_alone && class != SecretClass::LoginPhrase || has_lead || is_between_commas;
    let is_answer = word.is_alone && class == SecretClass::Password && word.lead.contains('?');
    let is_dashed = class == SecretClass::Password && word.rest.is_empty() && ends_with_dash(word.lead);
    is_emphasised && may_be_shown
        || (has_lead || is_answer || is_dashed) && is_joined
        || is_unplaced_password(word, class)
}

/// `coffee-before-code`: three unrelated words or more, as guest networks have them.
fn are_joined_words(text: &str) -> bool {
    let parts = || text.split(['-', '_', '.']);
    let is_remark = |part: &str| {
        let is_derived = ["ed", "ing", "able", "ible", "ly"].iter().any(|ending| part.ends_with(ending));
        is_context_word(part) || is_derived && part.len() > 4
    };
    let is_word = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_remark(part);
    let is_sort = parts().next_back().is_some_and(|last| COMPOUND_ENDINGS.contains(last));
    (3..7).contains(&parts().count()) && parts().all(is_word) && !is_sort
}

/// After the name of a service: a word after a lead that looks like a chosen password, or a word that can only be a password.
fn is_service_password(word: &Word<'_>) -> bool {
    let text = word.text;
    let has_lead = PASSWORD_LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
        || PASSWORD_TRAILS.iter().any(|trail| starts_with(word.rest, trail));
    let lead = word.lead.trim_end();
    // `the job is …`: another subject.
    let subject =
        lead.trim_end_matches(" is").trim_end_matches(" was").split_whitespace().next_back().unwrap_or_default();
    if NAMED_NOUNS.contains(subject.to_lowercase().as_str()) {
        return false;
    }
    let is_linked =
        has_lead || lead.ends_with([':', '→', '?']) || ends_with_words(lead, "is") || ends_with_words(lead, "was");
    is_linked && (has_inner_symbol(text) || has_uneven_words(text)) || has_lead && looks_like_chosen_password(text)
}

/// `the pass is what it always was - …`.
fn ends_with_dash(lead: &str) -> bool {
    let is_linked = [" is ", " was ", " ist ", " war ", " est ", " es "].iter().any(|word| lead.contains(word));
    is_linked && lead.trim_end().ends_with(['-', '–', '—'])
}

/// A word that looks like a chosen password, near a password label and not after a preposition.
fn is_unplaced_password(word: &Word<'_>, class: SecretClass) -> bool {
    let last = word.lead.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    class == SecretClass::Password
        && looks_like_chosen_password(word.text)
        && !NAME_PREPOSITIONS.contains(last.as_str())
}

/// An identifier or a name. A typed word that ends with a number is none.
fn is_name(word: &Word<'_>) -> bool {
    let is_service_password = || {
        word.text.ends_with(|char: char| char.is_ascii_digit())
            && TYPED_LEADS.iter().any(|lead| ends_with_words(word.lead, lead))
    };
    is_identifier(word.text) && !word.is_quoted && !is_service_password() || is_named(word)
}

/// `ask Tom.Becker2`, `user "etl2024"`: the word before it announces a name.
fn is_named(word: &Word<'_>) -> bool {
    let before = word.lead.trim_end_matches([' ', '\t', ':', '"', '\'', '`']);
    let last = before.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    NAMED_NOUNS.contains(last.as_str()) && !benign::has_inner_symbol(word.text)
}

/// Letters, digits and a symbol between them, as hardly anything but a password has.
fn has_inner_symbol(text: &str) -> bool {
    let counts = CharCounts::of(text);
    let chars: Vec<char> = text.chars().collect();
    let is_inner = chars
        .windows(3)
        .any(|three| INNER_SYMBOLS.contains(three[1]) && three[0].is_alphanumeric() && three[2].is_alphanumeric());
    counts.digits > 0 && counts.letters() >= 3 && chars.len() >= 7 && is_inner && counts.upper + counts.symbols > 1
}

fn has_capital_and_symbol(text: &str) -> bool {
    let counts = CharCounts::of(text);
    let is_joined = text.contains(['-', '_', '.']) && counts.upper > 0 && counts.lower > 3;
    is_joined && text.chars().next().is_some_and(char::is_alphanumeric)
}

fn starts_with(rest: &str, words: &str) -> bool {
    let is_same = rest.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words));
    is_same && !rest[words.len()..].starts_with(char::is_alphanumeric)
}

fn ends_with_words(lead: &str, words: &str) -> bool {
    let lead = lead.trim_end_matches([' ', '\t', ':']);
    let Some(start) = lead.len().checked_sub(words.len()) else { return false };
    lead.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(words))
        && !lead[..start].ends_with(|char: char| char.is_alphanumeric())
}
